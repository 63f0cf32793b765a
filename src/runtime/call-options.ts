import {
  FLAG,
  FUNCTION,
  NUMBER,
  OBJECT,
  SIGNAL,
  TEXT,
  type OptionRules,
  withMethods,
} from "../core/check-options.js";
import type { ConnectOptions, CallOptions } from "../core/call.js";

/** Records calls, as a tracker does. */
export const RECORDER = withMethods("a tracker of createChangeTracker()", "record");

/** Checks options at run time, for programs without TypeScript. */
const CALL_OPTIONS: OptionRules<CallOptions> = {
  environment: TEXT,
  variant: TEXT,
  url: TEXT,
  auth: [OBJECT, FUNCTION],
  headers: OBJECT,
  client: withMethods("a client of the MCP SDK", "callTool"),
  record: TEXT,
  replay: TEXT,
  mode: ["once", "new", "all"],
  output: ["strict", "tolerant", "warn", "off"],
  validateInput: ["strict", "warn"],
  onContent: FUNCTION,
  onWarning: FUNCTION,
  signal: SIGNAL,
  logger: FUNCTION,
  traceId: [TEXT, FUNCTION],
  line: NUMBER,
  logArguments: FLAG,
  logResults: FLAG,
  changes: RECORDER,
  learn: [FLAG, TEXT],
  timeout: NUMBER,
  retry: [false, NUMBER],
  onProgress: FUNCTION,
  onInput: FUNCTION,
};

export const CONNECT_OPTIONS: OptionRules<ConnectOptions> = {
  ...CALL_OPTIONS,
  variables: FUNCTION,
  logins: OBJECT,
  onStderr: FUNCTION,
};
