import { HIGHEST_READ_LIMIT } from "../core/limits.js";
import * as v from "valibot";
import { ABILITY_ROUTES, ADAPTER_PROFILES } from "../core/ability.js";
import {
  type AuthSettings,
  type EndpointSettings,
  type EnvironmentSettings,
  type OAuthSettings,
  type RecordSettings,
  type SettingText,
  type VariantSettings,
  PROTOCOL_VERSIONS,
  STATIC_TOOLS,
} from "../core/connection.js";
import { INCLUDES } from "../core/entries.js";
import { quoteAll } from "../core/collections.js";
import { HOST_IDS } from "../core/hosts/host.js";
import type { Dialect } from "../core/schema-ir.js";
import type {
  CheckConfig,
  ProjectCheckConfig,
  Config,
  PhpConfig,
  ServeConfig,
  ServerConfig,
  EntriesConfig,
  ToolsConfig,
  WordPressConfig,
} from "./config.js";
import type { ToolAnnotations } from "../core/snapshot.js";
import { json, text, texts, type Entries, knownPolicyKeys, policyEntries } from "./schema-parts.js";

const settingText: v.GenericSchema<SettingText> = v.union(
  [v.string(), v.strictObject({ value: v.string(), public: v.literal(true) })],
  "expected a string or { value, public: true }",
);
const settingTexts = v.record(v.string(), settingText, "expected an object of strings");

const oauthEntries = {
  type: v.literal("oauth"),
  clientId: v.exactOptional(text),
  clientSecret: v.exactOptional(settingText),
  issuer: v.exactOptional(v.pipe(text, v.regex(/^(?:https?:\/\/|\$\{)/i))),
  scopes: v.exactOptional(v.pipe(v.array(v.pipe(text, v.regex(/^[!#-[\]-~]+$/))), v.readonly())),
  redirectPort: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535))),
  resource: v.exactOptional(
    v.union([v.pipe(text, v.regex(/^(?:[a-z][a-z\d+.-]*:|\$\{)/i)), v.literal(false)]),
  ),
} satisfies Entries<OAuthSettings>;

const auth: v.GenericSchema<AuthSettings> = v.union(
  [
    v.strictObject({ basic: v.strictObject({ username: settingText, password: settingText }) }),
    v.strictObject({ bearer: settingText }),
    v.strictObject(oauthEntries),
  ],
  'expected { basic: { username, password } }, { bearer } or { type: "oauth" } with its client',
);

const endpointEntries = {
  url: v.exactOptional(
    v.pipe(
      text,
      v.regex(/^(?:https?:\/\/|\$\{)/i, 'expected a URL that starts with "http://" or "https://"'),
    ),
  ),
  transport: v.exactOptional(v.picklist(["http", "sse"], 'expected "http" or "sse"')),
  protocol: v.exactOptional(
    v.picklist(
      PROTOCOL_VERSIONS,
      `expected one of ${PROTOCOL_VERSIONS.map((version) => `"${version}"`).join(", ")}`,
    ),
  ),
  auth: v.exactOptional(auth),
  headers: v.exactOptional(settingTexts),
  command: v.exactOptional(text),
  args: v.exactOptional(
    v.pipe(v.array(v.string("expected a string"), "expected an array of strings"), v.readonly()),
  ),
  env: v.exactOptional(settingTexts),
  cwd: v.exactOptional(text),
} satisfies Entries<EndpointSettings>;

const milliseconds = v.pipe(
  v.number("expected a number of milliseconds"),
  v.integer("expected a whole number of milliseconds"),
  v.minValue(1, "expected at least 1 millisecond"),
);

const checkEntries = {
  failOn: v.exactOptional(
    v.picklist(
      ["any", "dangerous", "breaking", "consumer", "never"],
      'expected "any", "dangerous", "breaking", "consumer" or "never"',
    ),
  ),
  preset: v.exactOptional(
    v.picklist(["wire", "types", "model", "strict"], 'expected "wire", "types", "model" or "strict"'),
  ),
  rules: v.exactOptional(
    v.record(
      v.string(),
      v.picklist(["breaking", "dangerous", "safe"], 'expected "breaking", "dangerous" or "safe"'),
      "expected an object of classes",
    ),
  ),
  tokenBudget: v.exactOptional(
    v.pipe(
      v.number("expected a number of tokens"),
      v.integer("expected a whole number of tokens"),
      v.minValue(1, "expected at least 1 token"),
    ),
  ),
} satisfies Entries<CheckConfig>;

const projectCheckEntries = {
  ...checkEntries,
  consumers: v.exactOptional(v.pipe(v.array(text, "expected an array of paths and patterns"), v.readonly())),
} satisfies Entries<ProjectCheckConfig>;

const yesOrNo = v.boolean("expected true or false");

const annotationsEntries = {
  readOnlyHint: v.exactOptional(yesOrNo),
  destructiveHint: v.exactOptional(yesOrNo),
  idempotentHint: v.exactOptional(yesOrNo),
  openWorldHint: v.exactOptional(yesOrNo),
} satisfies Entries<ToolAnnotations>;

const names = v.record(
  v.string(),
  v.pipe(
    v.string("expected a name"),
    v.regex(/^[A-Za-z_$][\w$]*$/, "expected a name that TypeScript accepts"),
  ),
  "expected an object of names",
);

const entriesEntries = {
  exclude: v.exactOptional(texts),
  rename: v.exactOptional(names),
} satisfies Entries<EntriesConfig>;

const toolsEntries = {
  include: v.exactOptional(texts),
  exclude: v.exactOptional(texts),
  stripPrefix: v.exactOptional(text),
  rename: v.exactOptional(names),
  annotations: v.exactOptional(
    v.record(
      v.string(),
      v.strictObject(annotationsEntries, "expected an object of hints"),
      "expected an object of hints by pattern",
    ),
  ),
} satisfies Entries<ToolsConfig>;

const phpEntries = {
  paths: v.exactOptional(
    v.pipe(
      v.array(text, "expected an array of strings"),
      v.minLength(1, "expected at least one path"),
      v.readonly(),
    ),
  ),
  wordpress: v.exactOptional(text),
  command: v.exactOptional(
    v.union(
      [
        text,
        v.pipe(
          v.array(text, "expected an array of strings"),
          v.minLength(1, "expected a program"),
          v.readonly(),
        ),
      ],
      "expected a command, as a string or as an array of strings",
    ),
  ),
  bootstrap: v.exactOptional(text),
  stubs: v.exactOptional(v.record(v.string(), json, "expected an object")),
} satisfies Entries<PhpConfig>;

const timeoutsEntries = {
  connect: v.exactOptional(milliseconds),
  call: v.exactOptional(milliseconds),
  list: v.exactOptional(milliseconds),
} satisfies Entries<NonNullable<ServerConfig["timeouts"]>>;

const wordpressEntries = {
  route: v.exactOptional(v.picklist(ABILITY_ROUTES, 'expected "tools", "execute" or "rest"')),
  profile: v.exactOptional(v.picklist(ADAPTER_PROFILES, 'expected "0.4", "0.5" or "0.6"')),
} satisfies Entries<WordPressConfig>;

const DIALECTS = [
  "wordpress",
  "draft-04",
  "draft-06",
  "draft-07",
  "2019-09",
  "2020-12",
] as const satisfies readonly Dialect[];

const schemaStyle = v.picklist(["open", "closed"], 'expected "open" or "closed"');

const environmentEntries = {
  ...endpointEntries,
  production: v.exactOptional(v.boolean("expected true or false")),
} satisfies Entries<EnvironmentSettings>;

const valuePaths = v.pipe(
  v.array(
    v.pipe(
      v.string("expected a path"),
      v.regex(
        /^(?:arguments|result)(?:\.[^.]+)+$/,
        'expected a path that starts with "arguments." or "result.", such as "arguments.customer.email"',
      ),
    ),
    "expected an array of paths",
  ),
  v.readonly(),
);

const recordEntries = {
  redact: v.exactOptional(valuePaths),
  keep: v.exactOptional(valuePaths),
} satisfies Entries<RecordSettings>;

const prelude = v.pipe(
  v.array(
    v.strictObject(
      {
        tool: text,
        arguments: v.exactOptional(v.record(v.string(), json, "expected an object")),
      },
      "expected { tool, arguments }",
    ),
    "expected an array of calls",
  ),
  v.readonly(),
);

const variantEntries = {
  ...endpointEntries,
  capabilities: v.exactOptional(v.record(v.string(), json, "expected an object")),
  prelude: v.exactOptional(prelude),
} satisfies Entries<VariantSettings>;

const serverEntries = {
  ...endpointEntries,
  file: v.exactOptional(text),
  environments: v.exactOptional(
    v.record(
      v.string(),
      v.strictObject(environmentEntries, "expected an object"),
      "expected an object of endpoints",
    ),
  ),
  variants: v.exactOptional(
    v.record(
      v.pipe(v.string(), v.regex(/^[A-Za-z]\w*$/, "expected a name of letters, digits and _")),
      v.strictObject(variantEntries, "expected an object"),
      "expected an object of variants",
    ),
  ),
  timeouts: v.exactOptional(v.strictObject(timeoutsEntries, "expected an object")),
  readLimit: v.exactOptional(
    v.pipe(
      v.number("expected a number of bytes"),
      v.integer("expected a whole number of bytes"),
      v.minValue(1, "expected a number of bytes from 1"),
      v.maxValue(HIGHEST_READ_LIMIT, `expected at most ${HIGHEST_READ_LIMIT} bytes (500 MiB)`),
    ),
  ),
  capabilities: v.exactOptional(v.record(v.string(), json, "expected an object")),
  prelude: v.exactOptional(prelude),
  php: v.exactOptional(v.strictObject(phpEntries, "expected an object")),
  include: v.exactOptional(
    v.pipe(
      v.array(
        v.picklist(INCLUDES, `expected ${INCLUDES.map((name) => `"${name}"`).join(", ")}`),
        "expected an array of names",
      ),
      v.readonly(),
    ),
  ),
  tools: v.exactOptional(v.strictObject(toolsEntries, "expected an object")),
  prompts: v.exactOptional(v.strictObject(entriesEntries, "expected an object")),
  resources: v.exactOptional(v.strictObject(entriesEntries, "expected an object")),
  outputs: v.exactOptional(
    v.record(
      v.string(),
      v.union(
        [text, v.record(v.string(), json, "expected an object")],
        "expected a JSON Schema, or the path of a file with one",
      ),
      "expected an object of schemas by tool",
    ),
  ),
  categories: v.exactOptional(v.record(v.string(), text, "expected an object of strings")),
  defaults: v.exactOptional(v.literal("send", 'expected "send"')),
  validateOutput: v.exactOptional(
    v.picklist(["tolerant", "strict", "warn", "off"], 'expected "tolerant", "strict", "warn" or "off"'),
  ),
  schemas: v.exactOptional(schemaStyle),
  formats: v.exactOptional(v.literal("assert", 'expected "assert"')),
  dialect: v.exactOptional(
    v.picklist(DIALECTS, `expected one of ${DIALECTS.map((name) => `"${name}"`).join(", ")}`),
  ),
  wordpress: v.exactOptional(v.strictObject(wordpressEntries, "expected an object")),
  record: v.exactOptional(v.strictObject(recordEntries, "expected an object")),
  check: v.exactOptional(v.strictObject(checkEntries, "expected an object")),
} satisfies Entries<ServerConfig>;

const serveEntries = {
  tools: v.exactOptional(texts),
  prefix: v.exactOptional(v.pipe(text, v.regex(/^[\w-]+$/, "expected only letters, digits, _ and -"))),
  hosts: v.exactOptional(texts),
} satisfies Entries<ServeConfig>;

const configEntries = {
  $schema: v.exactOptional(v.string("expected a string")),
  output: v.exactOptional(v.union([text, v.literal(false)], "expected the path of a folder, or false")),
  servers: v.record(
    v.pipe(
      v.string(),
      v.regex(/^[a-z][a-z0-9_]*$/, "expected a name of a-z, 0-9 and _ that starts with a letter"),
      v.check((name) => name !== STATIC_TOOLS, "the name means the tools that no server has; use another"),
    ),
    v.strictObject(serverEntries, "expected an object"),
    "expected an object of servers",
  ),
  check: v.exactOptional(v.strictObject(projectCheckEntries, "expected an object")),
  serve: v.exactOptional(v.strictObject(serveEntries, "expected an object")),
  policy: v.exactOptional(v.strictObject(policyEntries, "expected an object")),
  cassettes: v.exactOptional(texts),
  scripts: v.exactOptional(texts),
  references: v.exactOptional(texts),
  hosts: v.exactOptional(
    v.pipe(
      v.array(v.picklist(HOST_IDS, `expected one of ${quoteAll(HOST_IDS)}`), "expected an array of hosts"),
      v.readonly(),
    ),
  ),
  importExtension: v.exactOptional(v.picklist(["js", "ts", "none"], 'expected "js", "ts" or "none"')),
  schemas: v.exactOptional(schemaStyle),
} satisfies Entries<Config>;

/** The validator of {@link Config}; the published JSON Schema is generated from it. */
export const configSchema: v.GenericSchema<Config> = v.strictObject(configEntries, "expected an object");

/** The known keys at a path of the configuration; undefined where users choose the keys. */
export function knownKeys(path: readonly (string | number)[]): readonly string[] | undefined {
  const [root, , part, , deeper] = path;
  if (path.length === 0) return Object.keys(configEntries);
  if (root === "check" && path.length === 1) return Object.keys(projectCheckEntries);
  if (root === "serve" && path.length === 1) return Object.keys(serveEntries);
  if (root === "policy") return knownPolicyKeys(path.slice(1));
  if (part === "tools" && path[3] === "annotations" && path.length === 5)
    return Object.keys(annotationsEntries);
  if (root !== "servers" || path.length < 2 || deeper !== undefined) return undefined;
  if (path.length === 2) return Object.keys(serverEntries);
  if (part === "environments") return path.length === 4 ? Object.keys(environmentEntries) : undefined;
  if (part === "variants") return path.length === 4 ? Object.keys(variantEntries) : undefined;
  if (path.length > 3) return undefined;
  if (part === "check") return Object.keys(checkEntries);
  if (part === "wordpress") return Object.keys(wordpressEntries);
  if (part === "record") return Object.keys(recordEntries);
  if (part === "tools") return Object.keys(toolsEntries);
  if (part === "prompts" || part === "resources") return Object.keys(entriesEntries);
  if (part === "php") return Object.keys(phpEntries);
  return part === "timeouts" ? Object.keys(timeoutsEntries) : undefined;
}
