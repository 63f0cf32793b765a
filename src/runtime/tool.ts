import {
  checkArgument,
  checkOptions,
  COUNT,
  FLAG,
  FUNCTION,
  LIST,
  MILLISECONDS,
  NUMBER,
  OBJECT,
  type OptionKind,
  type OptionRules,
  recordOf,
  SIGNAL,
  TEXT,
  TEXTS,
  withMethods,
} from "../core/check-options.js";
import type { CallOptions, ConnectOptions } from "../core/call.js";
import { PROTOCOL_VERSIONS } from "../core/connection.js";
import type { EndpointSettings, EnvironmentSettings, VariantSettings } from "../core/connection-settings.js";
import { McpCodegenError } from "../core/errors.js";
import { findOwn } from "../core/json.js";
import { DIALECTS } from "../core/schema-ir.js";
import { toServerName } from "../core/tool-name.js";
import type { AnyTool, ServerDefinition, ServerTrust } from "../core/tool.js";

/** Whether a value is a tool, possibly of another copy of this package. Calls nothing, so that any export can be tested. */
export function isTool(value: unknown): value is AnyTool {
  try {
    if (!isObject(value) || !("safe" in value) || !("definition" in value)) return false;
    const { safe, definition } = value;
    return (
      typeof safe === "function" &&
      isObject(definition) &&
      "name" in definition &&
      typeof definition.name === "string" &&
      "input" in definition &&
      isObject(definition.input) &&
      "~standard" in definition.input &&
      "inputSchema" in definition &&
      typeof definition.inputSchema === "function"
    );
  } catch {
    // A getter or a proxy that throws.
    return false;
  }
}

function isObject(value: unknown): value is object {
  return Object(value) === value;
}

/**
 * Returns the definition, with a name that names of tools can have: hyphens become underscores. Generated code calls this, so
 * that later versions can add to it.
 *
 * @throws McpCodegenError `USAGE` without a name, and for an unknown member
 */
export function defineServer(server: ServerDefinition): ServerDefinition {
  checkArgument("defineServer", "server", server, SERVER);
  // Generated code, which has a contract, may be of a later version with more members.
  if (server.contract === undefined) checkOptions("defineServer", server, SETTINGS);
  assertOneEndpoint("defineServer", server);
  if (server.trust !== undefined) checkOptions("defineServer: trust", server.trust, TRUST);
  if (server.timeouts !== undefined) checkOptions("defineServer: timeouts", server.timeouts, TIMEOUTS);
  for (const kind of ["environments", "variants"] as const) {
    const parts: { readonly [name: string]: object } = server[kind] ?? {};
    for (const [name, settings] of Object.entries(parts)) {
      checkOptions(`defineServer: ${kind}.${name}`, settings, PART);
      assertOneEndpoint(`defineServer: ${kind}.${name}`, settings);
    }
  }
  const name = toServerName(server.name);
  if (name === server.name) return server;
  // The same object each time, since connections are shared by it.
  const earlier = renamed.get(server) ?? { ...server, name };
  renamed.set(server, earlier);
  return earlier;
}

function assertOneEndpoint(caller: string, { url, command }: EndpointSettings): void {
  if (url === undefined || command === undefined) return;
  throw new McpCodegenError("USAGE", `${caller}: "url" and "command" are both set.`, {
    hint: "A server is called at a URL, or started by a command: remove one of them.",
  });
}

/** Records calls, as a tracker does. */
export const RECORDER = withMethods("a tracker of createChangeTracker()", "record");

const SECRET: OptionKind = { words: "", is: (value) => TEXT.is(value) || TEXT.is(findOwn(value, "value")) };
const SECRETS: OptionKind = recordOf(
  { words: "", is: (value) => value === undefined || SECRET.is(value) },
  "an object of strings",
);
const AUTH: OptionKind = {
  words: '{ bearer }, { basic: { username, password } } or { type: "oauth" }',
  is: (value) => {
    const basic = findOwn(value, "basic");
    const isBasic = SECRET.is(findOwn(basic, "username")) && SECRET.is(findOwn(basic, "password"));
    return isBasic || SECRET.is(findOwn(value, "bearer")) || findOwn(value, "type") === "oauth";
  },
};

/** Checks options at run time, for programs without TypeScript. */
const CALL_OPTIONS = {
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

const ENDPOINT: OptionRules<EndpointSettings> = {
  url: TEXT,
  command: TEXT,
  args: TEXTS,
  transport: ["http", "sse"],
  protocol: PROTOCOL_VERSIONS,
  auth: AUTH,
  headers: SECRETS,
  env: SECRETS,
  cwd: TEXT,
};
/** An environment or a variant. */
const PART: OptionRules<EnvironmentSettings & VariantSettings> = {
  ...ENDPOINT,
  production: FLAG,
  capabilities: OBJECT,
  prelude: LIST,
};
const TIMEOUTS = { connect: NUMBER, call: NUMBER, list: NUMBER };
const SETTINGS: OptionRules<ServerDefinition> = {
  name: TEXT,
  ...ENDPOINT,
  environments: OBJECT,
  variants: OBJECT,
  timeouts: OBJECT,
  readLimit: COUNT,
  capabilities: OBJECT,
  prelude: LIST,
  dialect: DIALECTS,
  formats: ["assert"],
  defaults: ["parse"],
  contract: TEXT,
  output: CALL_OPTIONS.output,
  validateInput: CALL_OPTIONS.validateInput,
  trust: OBJECT,
  record: OBJECT,
};

export const SERVER: OptionKind = {
  words: 'an object such as { name: "shop", url: "https://shop.example/mcp" }',
  is: (value) => OBJECT.is(value) && TEXT.is(findOwn(value, "name")),
};

export const TRUST: OptionRules<ServerTrust> = { newTools: FLAG, hints: FLAG };

const renamed = /* @__PURE__ */ new WeakMap<ServerDefinition, ServerDefinition>();

/** Returns the server for a tool that is not locked. */
export function withoutContract({ name, ...settings }: ServerDefinition): ServerDefinition {
  return { name, ...Object.fromEntries(Object.entries(settings).filter(([key]) => key !== "contract")) };
}
