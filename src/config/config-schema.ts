import * as v from "valibot";
import { ABILITY_ROUTES, ADAPTER_PROFILES } from "../core/ability.js";
import { quoteAll } from "../core/collections.js";
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
import { findRounded } from "../core/exact-json.js";
import { HOST_IDS } from "../core/hosts/host.js";
import { HIGHEST_READ_LIMIT } from "../core/limits.js";
import { findPatternProblem } from "../core/name-pattern.js";
import { SERVER_NAME, VARIANT_NAME } from "../core/names.js";
import type { Dialect } from "../core/schema-ir.js";
import { DEFAULT_VIEW, type ToolAnnotations } from "../core/snapshot.js";
import type {
  CheckConfig,
  Config,
  PhpConfig,
  ServeConfig,
  ServerConfig,
  EntriesConfig,
  ToolsConfig,
  WordPressConfig,
} from "./config.js";
import {
  type Entries,
  json,
  listOf,
  dictionary,
  object,
  choice,
  keysOfOneKind,
  namePattern,
  namePatterns,
  onePlaceOfPhp,
  optionals,
  policyEntries,
  text,
  textRule,
  texts,
  positive,
  uriPatterns,
  dictionaryOf,
  yesOrNo,
} from "./schema-parts.js";

const settingText: v.GenericSchema<SettingText> = v.union(
  [v.string(), object({ value: v.string(), public: v.literal(true) })],
  "expected a string or { value, public: true }",
);
const settingTexts = dictionary(settingText, "expected an object of strings");
const anyObject = dictionary(json);

const oauthEntries = {
  type: v.literal("oauth"),
  ...optionals({
    clientId: text,
    clientSecret: settingText,
    issuer: v.pipe(text, v.regex(/^(?:https?:\/\/|\$\{)/i)),
    scopes: v.pipe(v.array(v.pipe(text, v.regex(/^[!#-[\]-~]+$/))), v.readonly()),
    redirectPort: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535)),
    resource: v.union([v.pipe(text, v.regex(/^(?:[a-z][a-z\d+.-]*:|\$\{)/i)), v.literal(false)]),
  }),
} satisfies Entries<OAuthSettings>;

const auth: v.GenericSchema<AuthSettings> = v.union(
  [
    object({ basic: object({ username: settingText, password: settingText }) }),
    object({ bearer: settingText }),
    v.pipe(
      object(oauthEntries),
      v.check(
        // Without the issuer, the MCP server would choose who receives the secret.
        ({ clientSecret, clientId, issuer }) =>
          clientSecret === undefined || (clientId !== undefined && issuer !== undefined),
        '"clientSecret" needs "clientId" and "issuer"',
      ),
    ),
  ],
  'expected { basic: { username, password } }, { bearer } or { type: "oauth" } with its client',
);

// `init` writes keys in the order in which they are here.
const endpointEntries = optionals({
  url: v.pipe(
    text,
    v.regex(/^(?:https?:\/\/|\$\{)/i, 'expected a URL that starts with "http://" or "https://"'),
  ),
  command: text,
  args: listOf(v.string("expected a string"), "expected an array of strings"),
  transport: choice(["http", "sse"]),
  protocol: choice(PROTOCOL_VERSIONS, `expected one of ${quoteAll(PROTOCOL_VERSIONS)}`),
  auth,
  headers: settingTexts,
  env: settingTexts,
  cwd: text,
}) satisfies Entries<EndpointSettings>;

const checkEntries = optionals({
  failOn: choice(["any", "dangerous", "breaking", "never"]),
  preset: choice(["wire", "types", "model", "strict"]),
  rules: dictionary(choice(["breaking", "dangerous", "safe"]), "expected an object of classes"),
  tokenBudget: positive("tokens", "expected at least 1 token"),
}) satisfies Entries<CheckConfig>;

const annotationsEntries = optionals({
  readOnlyHint: yesOrNo,
  destructiveHint: yesOrNo,
  idempotentHint: yesOrNo,
  openWorldHint: yesOrNo,
}) satisfies Entries<ToolAnnotations>;

const names = dictionary(
  v.pipe(
    v.string("expected a name"),
    v.regex(/^[A-Za-z_$][\w$]*$/, "expected a name that TypeScript accepts"),
  ),
  "expected an object of names",
);

const promptsEntries = optionals({ exclude: namePatterns, rename: names }) satisfies Entries<EntriesConfig>;
const resourcesEntries = optionals({ exclude: uriPatterns, rename: names }) satisfies Entries<EntriesConfig>;

const toolsEntries = optionals({
  include: namePatterns,
  exclude: namePatterns,
  stripPrefix: text,
  rename: names,
  annotations: dictionary(
    object(annotationsEntries, "expected an object of hints"),
    "expected an object of hints by pattern",
    namePattern,
  ),
}) satisfies Entries<ToolsConfig>;

const phpEntries = optionals({
  paths: listOf(text, "expected an array of strings", "expected at least one path"),
  core: text,
  wordpress: text,
  command: v.union(
    [text, listOf(text, "expected an array of strings", "expected a program")],
    "expected a command, as a string or as an array of strings",
  ),
  bootstrap: text,
  theme: text,
  options: anyObject,
  constants: dictionary(
    v.union(
      [v.string(), v.pipe(v.number(), v.finite()), v.boolean(), v.null()],
      "expected a string, a number, true, false or null",
    ),
    "expected an object of constants",
  ),
}) satisfies Entries<PhpConfig>;

const milliseconds = positive("milliseconds", "expected at least 1 millisecond");

const timeoutsEntries = optionals({
  connect: milliseconds,
  call: milliseconds,
  list: milliseconds,
}) satisfies Entries<NonNullable<ServerConfig["timeouts"]>>;

const wordpressEntries = optionals({
  route: choice(ABILITY_ROUTES),
  profile: choice(ADAPTER_PROFILES),
}) satisfies Entries<WordPressConfig>;

const DIALECTS = [
  "wordpress",
  "draft-04",
  "draft-06",
  "draft-07",
  "2019-09",
  "2020-12",
] as const satisfies readonly Dialect[];

const schemaStyle = choice(["open", "closed"]);

const environmentEntries = {
  ...endpointEntries,
  ...optionals({ production: yesOrNo }),
} satisfies Entries<EnvironmentSettings>;

const valuePaths = listOf(
  v.pipe(
    v.string("expected a path"),
    v.regex(
      /^(?:arguments|result)(?:\.[^.]+)+$/,
      'expected a path that starts with "arguments." or "result.", such as "arguments.customer.email"',
    ),
    textRule((path) => {
      return path
        .split(".")
        .map((step) => findPatternProblem(step))
        .find((problem) => problem !== undefined);
    }),
  ),
  "expected an array of paths",
);

const recordEntries = optionals({ redact: valuePaths, keep: valuePaths }) satisfies Entries<RecordSettings>;

const sendable = v.pipe(
  anyObject,
  v.check(
    (value) => findRounded(value).length === 0,
    "expected numbers that JavaScript can hold; write longer ones as strings",
  ),
);

const prelude = listOf(
  object({ tool: text, arguments: v.exactOptional(sendable) }, "expected { tool, arguments }"),
  "expected an array of calls",
);

const variantEntries = {
  ...endpointEntries,
  ...optionals({ capabilities: anyObject, prelude }),
} satisfies Entries<VariantSettings>;

const serverEntries = {
  ...endpointEntries,
  ...optionals({
    file: text,
    environments: dictionary(
      v.pipe(object(environmentEntries), keysOfOneKind(false)),
      "expected an object of endpoints",
    ),
    variants: dictionaryOf(
      v.pipe(
        v.string(),
        v.regex(VARIANT_NAME, "expected a name of letters, digits and _"),
        v.check(
          (name) => name !== DEFAULT_VIEW,
          `"${DEFAULT_VIEW}" is the name of the server's own settings`,
        ),
      ),
      v.pipe(object(variantEntries), keysOfOneKind(false)),
      "expected an object of variants",
    ),
    php: v.pipe(object(phpEntries), onePlaceOfPhp),
    wordpress: object(wordpressEntries),
    timeouts: object(timeoutsEntries),
    readLimit: v.pipe(
      positive("bytes", "expected a number of bytes from 1"),
      v.maxValue(HIGHEST_READ_LIMIT, `expected at most ${HIGHEST_READ_LIMIT} bytes (500 MiB)`),
    ),
    capabilities: anyObject,
    prelude,
    include: listOf(choice(INCLUDES, `expected ${quoteAll(INCLUDES)}`), "expected an array of names"),
    tools: object(toolsEntries),
    prompts: object(promptsEntries),
    resources: object(resourcesEntries),
    outputs: dictionary(
      v.union([text, anyObject], "expected a JSON Schema, or the path of a file with one"),
      "expected an object of schemas by tool",
    ),
    categories: dictionary(text, "expected an object of strings", namePattern),
    defaults: v.literal("parse", 'expected "parse"'),
    validateOutput: choice(["tolerant", "strict", "warn", "off"]),
    validateInput: choice(["strict", "warn"]),
    schemas: schemaStyle,
    formats: v.literal("assert", 'expected "assert"'),
    dialect: choice(DIALECTS, `expected one of ${quoteAll(DIALECTS)}`),
    record: object(recordEntries),
    check: object(checkEntries),
  }),
} satisfies Entries<ServerConfig>;

const serveEntries = optionals({
  tools: texts,
  prefix: v.pipe(text, v.regex(/^[\w-]+$/, "expected only letters, digits, _ and -")),
  hosts: texts,
}) satisfies Entries<ServeConfig>;

const configEntries = {
  ...optionals({
    $schema: v.string("expected a string"),
    output: v.union([text, v.literal(false)], "expected the path of a folder, or false"),
    importExtension: choice(["js", "ts", "none"]),
  }),
  servers: dictionaryOf(
    v.pipe(
      v.string(),
      v.regex(SERVER_NAME, "expected a name of a-z, 0-9 and _ that starts with a letter"),
      v.check((name) => name !== STATIC_TOOLS, "the name means the tools that no server has; use another"),
    ),
    v.pipe(object(serverEntries), keysOfOneKind(true)),
    "expected an object of servers",
  ),
  ...optionals({
    check: object(checkEntries),
    serve: object(serveEntries),
    policy: object(policyEntries),
    cassettes: texts,
    scripts: texts,
    references: texts,
    hosts: listOf(choice(HOST_IDS, `expected one of ${quoteAll(HOST_IDS)}`), "expected an array of hosts"),
    schemas: schemaStyle,
  }),
} satisfies Entries<Config>;

/** The keys of a configuration and of a server, in the order in which `init` writes them. */
export const CONFIG_KEYS: readonly string[] = Object.keys(configEntries);
export const SERVER_KEYS: readonly string[] = Object.keys(serverEntries);

/** The validator of {@link Config}; the published JSON Schema is generated from it. */
export const configSchema: v.GenericSchema<Config> = object(configEntries);

/** The known keys at a path of the configuration; undefined where users choose the keys. */
export function knownKeys(path: readonly (string | number)[]): readonly string[] | undefined {
  let schema: unknown = configSchema;
  for (const key of path) {
    const holder = unwrap(schema);
    schema =
      findMember(findMember(holder, "entries"), String(key)) ??
      findMember(holder, "value") ??
      findMember(holder, "item");
  }
  const entries = findMember(unwrap(schema), "entries");
  return typeof entries === "object" && entries !== null ? Object.keys(entries) : undefined;
}

function unwrap(schema: unknown): unknown {
  return findMember(schema, "wrapped") ?? schema;
}

function findMember(holder: unknown, key: string): unknown {
  return typeof holder === "object" && holder !== null && Object.hasOwn(holder, key)
    ? Reflect.get(holder, key)
    : undefined;
}
