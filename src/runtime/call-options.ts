import {
  COUNT,
  FLAG,
  FUNCTION,
  MILLISECONDS,
  OBJECT,
  SIGNAL,
  TEXT,
  type OptionKind,
  type OptionRules,
  recordOf,
  withMethods,
} from "../core/check-options.js";
import { findOwn } from "../core/json.js";
import type { ConnectOptions, CallOptions } from "../core/call.js";

/** Records calls, as a tracker does. */
export const RECORDER = withMethods("a tracker of createChangeTracker()", "record");

const SECRET: OptionKind = { words: "", is: (value) => TEXT.is(value) || TEXT.is(findOwn(value, "value")) };
export const SECRETS: OptionKind = recordOf(
  { words: "", is: (value) => value === undefined || SECRET.is(value) },
  "an object of strings",
);
export const AUTH: OptionKind = {
  words: '{ bearer }, { basic: { username, password } } or { type: "oauth" }',
  is: (value) => {
    const basic = findOwn(value, "basic");
    const isBasic = SECRET.is(findOwn(basic, "username")) && SECRET.is(findOwn(basic, "password"));
    return isBasic || SECRET.is(findOwn(value, "bearer")) || findOwn(value, "type") === "oauth";
  },
};

/** Checks options at run time, for programs without TypeScript. */
export const CALL_OPTIONS = {
  environment: TEXT,
  variant: TEXT,
  url: TEXT,
  auth: [AUTH, FUNCTION],
  headers: SECRETS,
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
  line: COUNT,
  logArguments: FLAG,
  logResults: FLAG,
  changes: RECORDER,
  learn: [FLAG, TEXT],
  timeout: MILLISECONDS,
  retry: [false, COUNT],
  onProgress: FUNCTION,
  onInput: FUNCTION,
} as const satisfies OptionRules<CallOptions>;

export const CONNECT_OPTIONS: OptionRules<ConnectOptions> = {
  ...CALL_OPTIONS,
  variables: FUNCTION,
  logins: OBJECT,
  onStderr: FUNCTION,
};
