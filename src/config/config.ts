import { ABILITY_ROUTES, ADAPTER_PROFILES } from "../core/ability.js";
import { quoteAll } from "../core/collections.js";
import { STATIC_TOOLS } from "../core/connection.js";
import {
  connection,
  type ConnectionSettings,
  keysOfOneKind,
  recording,
  type RecordSettings,
} from "../core/connection-settings.js";
import { INCLUDES } from "../core/entries.js";
import { McpCodegenError } from "../core/errors.js";
import * as f from "../core/format.js";
import { HOST_IDS, type HostId } from "../core/hosts/host.js";
import { getOwn } from "../core/json.js";
import { findPatternProblem } from "../core/name-pattern.js";
import { SERVER_KEY, toServerName } from "../core/tool-name.js";
import type { RuleClass } from "../core/check-policy.js";
import type { PolicyRules } from "../core/policy.js";
import { DIALECTS } from "../core/schema-ir.js";
import type { ToolAnnotations } from "../core/snapshot.js";
import type { RuleName } from "../drift/rules.js";
import { makeServerName, splitCommand } from "./parse-server-argument.js";

/** The default folders of cassettes. */
export const DEFAULT_CASSETTES: readonly string[] = ["cassettes"];

/** The default folder of generated files. */
export const DEFAULT_OUTPUT = "generated";

/** A pattern for names; with `mayBeTemplate`, for URIs and their templates. */
function patternLike(mayBeTemplate: boolean): f.ValueFormat<string> {
  return f.withRule(f.text, (value, refuse) => {
    const problem = findPatternProblem(value, mayBeTemplate);
    if (problem !== undefined) refuse(problem);
  });
}

const namePattern = patternLike(false);
const namePatterns = f.list(namePattern, "expected an array of strings");
const uriPatterns = f.list(patternLike(true), "expected an array of strings");
const names = f.mapOf(
  f.matching(
    f.textLike({}, "expected a name"),
    /^[A-Za-z_$][\w$]*$/,
    "expected a name that TypeScript accepts",
  ),
  "expected an object of names",
);

const selectors = f.list(
  f.withRule(
    f.record({
      categories: f.optional(namePatterns),
      names: f.optional(namePatterns),
      effects: f.optional(f.list(f.oneOf("reads", "writes", "destroys"), "expected an array of effects")),
    }),
    (selector, refuse) =>
      Object.keys(selector).length > 0 || refuse("expected a condition: without one, it selects every tool"),
  ),
  "expected an array of selectors",
);
const rulesByName = f.mapOf<PolicyRules>(
  f.record({ allow: f.optional(selectors), deny: f.optional(selectors) }),
  "expected an object of rules by name",
);

const policy = f.record({
  /** `full-admin`, `content-editing`, `read-only`, or one of `focusModes`. Default: `full-admin`. */
  focusMode: f.optional(f.text),
  /** `content-editor`, or one of `roles`. It further restricts the focus mode. Default: none. */
  role: f.optional(f.text),
  /** Custom focus modes by name. */
  focusModes: f.optional(rulesByName),
  /** Custom roles by name. */
  roles: f.optional(rulesByName),
  /**
   * Whether tools that do more than read may be called: one value, or one per server, `static` for the program's own
   * tools. `false` always wins. Default: `MCP_CODEGEN_ENABLE_WRITES` decides.
   */
  writes: f.optional(
    f.either("expected true, false or an object of true and false by server", f.flag, f.mapOf(f.flag)),
  ),
});

/** A policy. The effects of tools are declared in `servers.<name>.tools.annotations`. */
export type PolicyConfig = f.SettingsOf<typeof policy>;

const serve = f.record({
  /** Globs of modules with your own tools (`defineStaticTool`), such as `tools/*.ts`. Default: none. */
  tools: f.optional(f.texts),
  /** Prefix for the names of the five tools. */
  prefix: f.optional(f.matching(f.text, /^[\w-]+$/, "expected only letters, digits, _ and -")),
  /** Host names that `serve --http` accepts, besides the machine's own. */
  hosts: f.optional(f.texts),
});
type ServeConfig = f.SettingsOf<typeof serve>;

const wordpress = f.record({
  /**
   * `tools`: the server's tools are the abilities. `execute`: the adapter's default server lists and calls them.
   * `rest`: as `execute`, but the REST API alone lists them.
   */
  route: f.optional(f.oneOf(...ABILITY_ROUTES)),
  /** The version of the MCP adapter that turns abilities into tools. */
  profile: f.optional(f.oneOf(...ADAPTER_PROFILES)),
});
type WordPressConfig = f.SettingsOf<typeof wordpress>;

const php = f.record({
  /**
   * Plugins: a plugin's folder or main file, or a folder of plugins. They run in the code of WordPress, without a site,
   * a database and network access. With `wordpress` or `command`: the plugins to read; default: all of the site.
   */
  paths: f.optional(f.nonEmpty(f.texts, "expected at least one path")),
  /**
   * The folder of a WordPress 6.9 or later, for its code alone. Default: `WP_CORE_DIR`, a WordPress above the plugins,
   * or one of Composer.
   */
  core: f.optional(f.text),
  /** The folder of a WordPress, with `wp-load.php`, to load the plugins in. */
  wordpress: f.optional(f.text),
  /**
   * The command that starts WP-CLI or Playground, to load the plugins in its WordPress: `"wp"`, `"ddev wp"`, `"npx
   * wp-env run cli --"`, or `npx` with `@wp-playground/cli` and `php --auto-mount`. No shell runs it.
   */
  command: f.optional(
    f.either(
      "expected a command, as a string or as an array of strings",
      f.text,
      f.nonEmpty(f.texts, "expected a program"),
    ),
  ),
  /** A PHP file to load before the plugins, for what they need. */
  bootstrap: f.optional(f.text),
  /** The folder of the active theme. */
  theme: f.optional(f.text),
  /** Values of `get_option()`, such as `"woocommerce_currency": "EUR"`. Default: those of a new site. */
  options: f.optional(f.anyObject),
  /** Constants of `wp-config.php`, such as `"WP_DEBUG": true`. */
  constants: f.optional(
    f.mapOf(
      f.either(
        "expected a string, a number, true, false or null",
        f.anyText,
        f.anyNumber,
        f.flag,
        f.oneOf(null),
      ),
      "expected an object of constants",
    ),
  ),
});
export type PhpConfig = f.SettingsOf<typeof php>;

/** Plugins run in exactly one place: the code of WordPress, a WordPress on disk, or one behind a command. */
const onePlaceOfPhp: f.ValueRule<PhpConfig> = (settings, refuse) => {
  const { paths, command } = settings;
  const [site, other] = (["wordpress", "command"] as const).filter((key) => settings[key] !== undefined);
  if (other !== undefined) refuse('expected "wordpress" or "command", not both');
  else if (site === undefined) {
    if (paths === undefined) refuse('expected "paths", "wordpress" or "command"');
    // The core and its content are in folders of their own.
    for (const name of ["ABSPATH", "WP_CONTENT_DIR"])
      if (Object.hasOwn(settings.constants ?? {}, name)) refuse("cannot be set", "constants", name);
  } else {
    for (const key of ["core", "theme", "options", "constants"] as const)
      if (settings[key] !== undefined) refuse(`does not apply together with "${site}"`, key);
    if (typeof command === "string" && !splitCommand(command)?.[0])
      refuse("expected a program, with every quotation mark closed", "command");
  }
};

const prompts = f.record({
  /** Patterns for names of prompts, or for URIs of resources, that are locked but get no code. */
  exclude: f.optional(namePatterns),
  /** Names in code by the name of the prompt, or by the URI or URI template of the resource. */
  rename: f.optional(names),
});
export type EntriesConfig = f.SettingsOf<typeof prompts>;
const resources = f.record({ ...prompts.fields, exclude: f.optional(uriPatterns) });

const annotations = f.record(
  {
    readOnlyHint: f.optional(f.flag),
    destructiveHint: f.optional(f.flag),
    idempotentHint: f.optional(f.flag),
    openWorldHint: f.optional(f.flag),
  },
  { text: "expected an object of hints" },
);
const tools = f.record({
  /** Patterns for the tools that are locked and get code. Default: all. */
  include: f.optional(namePatterns),
  /** Patterns for tools that are left out, even if `include` matches. */
  exclude: f.optional(namePatterns),
  /** Prefix to remove from names in code. */
  stripPrefix: f.optional(f.text),
  /** Names in code by tool name. */
  rename: f.optional(names),
  /**
   * Annotations by pattern, where the server's are missing or wrong: `"get-*": { "readOnlyHint": true }`. Later
   * patterns win.
   */
  annotations: f.optional(
    f.mapOf<ToolAnnotations>(annotations, "expected an object of hints by pattern", namePattern),
  ),
});
export type ToolsConfig = f.SettingsOf<typeof tools>;

type ClassByRule = { readonly [Rule in RuleName]?: RuleClass };
const check = f.record({
  /** The mildest drift that fails. Default: `any`, which counts all but a new version number of the same tools. */
  failOn: f.optional(f.oneOf("any", "dangerous", "breaking", "never")),
  /** Which impacts count: `wire`, `types`, `model` or `strict`, each with those before it. Default: `strict`. */
  preset: f.optional(f.oneOf("wire", "types", "model", "strict")),
  /** Class by rule, such as `"input-default-changed": "safe"`. An unproved change cannot become `safe`. */
  rules: f.optional<ClassByRule>(
    f.mapOf(f.oneOf("breaking", "dangerous", "safe"), "expected an object of classes"),
  ),
  /** The most tokens that the tools of a server may cost together. Default: no limit. */
  tokenBudget: f.optional(f.wholeNumber(1, "expected a whole number of tokens from 1")),
});
type CheckConfig = f.SettingsOf<typeof check>;

const schemaStyle = f.oneOf("open", "closed");
export type SchemaStyle = f.ValueOf<typeof schemaStyle>;

const server = f.record({
  /** A saved tool list, read instead of a running server. */
  file: f.optional(f.text),
  /**
   * The PHP that registers these abilities, for `check --php` and `pull --php`. Without `url`, `command` and `file`,
   * every command reads it.
   */
  php: f.optional<PhpConfig>(f.withRule<PhpConfig>(php, onePlaceOfPhp)),
  /** How a WordPress lists its abilities. Detected automatically. */
  wordpress: f.optional<WordPressConfig>(wordpress),
  /** What is locked: `tools` always, `prompts`, `resources` with their templates, `skills`. Default: `["tools"]`. */
  include: f.optional(f.list(f.oneOf(...INCLUDES), "expected an array of names")),
  /** Which tools get code, and their names in code. */
  tools: f.optional<ToolsConfig>(tools),
  /** The names of prompts in code. */
  prompts: f.optional<EntriesConfig>(prompts),
  /** The names of resources and their templates in code. */
  resources: f.optional<EntriesConfig>(resources),
  /** Output schemas of tools that declare none: a JSON Schema, or the path of a file with one. */
  outputs: f.optional(
    f.mapOf(
      f.either("expected a JSON Schema, or the path of a file with one", f.text, f.anyObject),
      "expected an object of schemas by tool",
    ),
  ),
  /** Categories by pattern of tool names, such as `"wordpress-*": "content"`. The first match counts. */
  categories: f.optional(f.mapOf(f.text, "expected an object of strings", namePattern)),
  /** `parse`: schemas fill in the defaults of absent arguments, which are sent. Default: the server fills them in. */
  defaults: f.optional(f.oneOf("parse")),
  /**
   * What happens to a result that does not match its output schema. Default: `tolerant`, which accepts unknown keys in
   * closed objects and nothing else.
   */
  validateOutput: f.optional(f.oneOf("tolerant", "strict", "warn", "off")),
  /** Arguments that do not fit the input schema: `strict`, the default, refuses the call; `warn` sends it with a warning. */
  validateInput: f.optional(f.oneOf("strict", "warn")),
  /** As `schemas` above, for this server. */
  schemas: f.optional(schemaStyle),
  /** `assert`: refuse strings that do not match their `format`. Default: a format is an annotation. */
  formats: f.optional(f.oneOf("assert")),
  /** The dialect of schemas without `$schema`. Default: `2020-12`. */
  dialect: f.optional(f.oneOf(...DIALECTS)),
  /**
   * Tools that are not locked, in every environment: `newTools` offers them to agents, and `hints` believes what they say
   * about their effect. Default: neither.
   */
  trust: f.optional(f.record({ newTools: f.optional(f.flag), hints: f.optional(f.flag) })),
  /** What recorded calls of the server leave out. */
  record: f.optional<RecordSettings>(recording),
  /** As `check` above, for this server. */
  check: f.optional<CheckConfig>(check),
});

/** One server: exactly one of `url`, `command` and `file`, or `php` alone. */
export interface ServerConfig extends ConnectionSettings, f.SettingsOf<typeof server> {}
const serverFields = { ...connection.fields, ...server.fields };

const serverName = f.withRule(
  f.anyText,
  (name, refuse) => {
    const other = `such as "${makeServerName(name)}"`;
    if (!SERVER_KEY.test(name))
      refuse(`expected a name of a-z, 0-9, _ and - that starts with a letter, ${other}`);
    else if (toServerName(name) === STATIC_TOOLS)
      refuse(`the name means the tools that no server has; use another, ${other}`);
  },
  { pattern: SERVER_KEY.source },
);

const importExtension = f.oneOf("js", "ts", "none");
export type ImportExtension = f.ValueOf<typeof importExtension>;

const isServer: f.ValueRule<ServerConfig> = (settings, refuse, path) => {
  if (settings.wordpress?.route === "rest" && settings.url === undefined && settings.php === undefined)
    refuse('"rest" applies only together with "url"', "wordpress", "route");
  return keysOfOneKind(true)(settings, refuse, path);
};

const config = f.record({
  /** The path or URL of the JSON Schema, for editors. */
  $schema: f.optional(f.anyText),
  /** Folder of the generated files, or `false` for a lock without code. Default: `generated`. */
  output: f.optional(f.either("expected the path of a folder, or false", f.text, f.oneOf(false))),
  /**
   * How generated files import each other: `./server.js`, `./server.ts` or `./server`. Default: what `tsconfig.json`
   * needs.
   */
  importExtension: f.optional(importExtension),
  /** Servers by name, `[a-z][a-z0-9_-]*`, which becomes a folder and an export of the code, with `_` for `-`. */
  servers: f.mapOf(
    f.withRule<ServerConfig>(f.record(serverFields), isServer),
    "expected an object of servers",
    serverName,
  ),
  /** What makes `check` fail. */
  check: f.optional<CheckConfig>(check),
  /** More tools for `serve`, and the hosts that it accepts. */
  serve: f.optional<ServeConfig>(serve),
  /** Which tools an agent may find and call through `serve` and `call`. */
  policy: f.optional<PolicyConfig>(policy),
  /** A module whose default export is an `Embedder`: `search` and `serve` also find by meaning. */
  embedder: f.optional(f.text),
  /** Folders of recorded calls that `check` compares with the lock. Default: `cassettes`. */
  cassettes: f.optional(f.texts),
  /** Globs of scripts that call tools, such as `automations/*.ts`: `check` type-checks them, and `fix` edits them. */
  scripts: f.optional(f.texts),
  /**
   * Globs of files that agents read, in which `check` reports names of tools that the lock does not have. Default:
   * skills, instructions, permissions and settings of common hosts; `[]` for none.
   */
  references: f.optional(f.texts),
  /**
   * Hosts and providers, such as `anthropic` and `cursor`: `check` reports what they refuse or change. Default:
   * none.
   */
  hosts: f.optional<readonly HostId[]>(f.list(f.oneOf(...HOST_IDS), "expected an array of hosts")),
  /**
   * `open`: the static types of Zod schemas of objects have `.shape`, `.pick` and `.extend`. Default: `closed`,
   * which tsc checks faster.
   */
  schemas: f.optional(schemaStyle),
});

/** The default export of `mcp-codegen.config.ts`. Every path is relative to the configuration file. */
export type Config = f.SettingsOf<typeof config>;
export const CONFIG_FORMAT: f.ValueFormat<Config> = config;

/** The keys of a configuration and of a server, in the order in which `init` writes them. */
export const CONFIG_KEYS: readonly string[] = Object.keys(config.fields);
export const SERVER_KEYS: readonly string[] = Object.keys(serverFields);

/** A configuration with its defaults. */
export interface CompleteConfig extends Config {
  readonly output: string | false;
}

/** Returns the configuration unchanged, with its type. */
export function defineConfig(config: Config): Config {
  return config;
}

/** Whether there is a server or a saved list besides the PHP. */
export function hasEndpoint({ url, command, file }: ServerConfig): boolean {
  return (url ?? command ?? file) !== undefined;
}

/** Returns the settings of a server. Throws `SERVER_UNKNOWN` for a name that is not configured. */
export function getServer(servers: Config["servers"], name: string): ServerConfig {
  const server = getOwn(servers, name);
  if (server !== undefined) return server;
  const names = quoteAll(Object.keys(servers));
  throw new McpCodegenError("SERVER_UNKNOWN", `The configuration has no server "${name}".`, {
    hint:
      names === "" ? 'No server is configured: add one under "servers".' : `Configured servers: ${names}.`,
  });
}
