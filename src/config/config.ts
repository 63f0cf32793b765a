import type { AbilityRoute, AdapterProfile } from "../contract/ability.js";
import type { FailOn, Preset, RuleClass } from "../contract/change.js";
import type { ConnectionSettings, OutputMode } from "../contract/connection.js";
import type { JsonValue } from "../contract/json.js";
import type { Dialect, FormatRule } from "../contract/schema-ir.js";
import type { RuleName } from "../drift/rules.js";
import type { PolicyRules } from "../agent/policy/policy.js";
import type { ToolAnnotations } from "../contract/snapshot.js";

/** Where generated files go when the configuration does not say. */
export const DEFAULT_OUTPUT = "generated";

/** What `mcp-codegen.config.ts` exports. Every path is relative to the configuration file. */
export interface Config {
  /** For editors, in JSON: where the JSON Schema of this file is. */
  readonly $schema?: string;
  /** Folder of the generated files, or `false` to keep a lock and generate no code. Default: `generated`. */
  readonly output?: string | false;
  /** By name, `[a-z][a-z0-9_]*`. The name is the folder and the export of the generated code. */
  readonly servers: { readonly [name: string]: ServerConfig };
  /** What makes `check` fail. */
  readonly check?: CheckConfig;
  /** What `serve` serves beside the locked tools, and to whom. */
  readonly serve?: ServeConfig;
  /** Which tools an agent may find and call through `serve` and `call`. */
  readonly policy?: PolicyConfig;
  /**
   * How generated files import each other: `./server.js`, `./server.ts` or `./server`. Default: what the nearest
   * `tsconfig.json` needs.
   */
  readonly importExtension?: ImportExtension;
  /**
   * `open`: where a tool takes or answers an object, the static type of its Zod schema has `.shape`, `.pick`, `.extend` and
   * the other methods of an object. Default: `closed`, any schema of that type, which tsc checks faster.
   */
  readonly schemas?: SchemaStyle;
}

/** As `createPolicy` takes it; what tools do is asserted in `servers.<name>.tools.annotations`. */
export interface PolicyConfig {
  /** `full-admin`, `content-editing`, `read-only`, or one of `focusModes`. Default: `full-admin`. */
  readonly focusMode?: string;
  /** `content-editor`, or one of `roles`. It narrows what the focus mode leaves. Default: none. */
  readonly role?: string;
  /** Focus modes of your own, by name. */
  readonly focusModes?: { readonly [name: string]: PolicyRules };
  /** Roles of your own, by name. */
  readonly roles?: { readonly [name: string]: PolicyRules };
  /**
   * Whether tools that do not only read may be called: all of them, or by server, `static` for the program's own. `false`
   * is final. Where nothing is said, `MCP_CODEGEN_ENABLE_WRITES` decides.
   */
  readonly writes?: boolean | { readonly [server: string]: boolean };
}

export interface ServeConfig {
  /** Globs of modules that export tools of your own, such as `tools/*.ts`: what `defineStaticTool` gives. Default: none. */
  readonly tools?: readonly string[];
  /** Stands before the names of the five tools, where other servers of a host have tools of these names. */
  readonly prefix?: string;
  /** Names by which the server is reached over HTTP, beside those that a machine has for itself. */
  readonly hosts?: readonly string[];
}

export type SchemaStyle = "open" | "closed";

export type ImportExtension = "js" | "ts" | "none";

/** One server: exactly one of `url`, `command` and `file`, or `php` alone. */
export interface ServerConfig extends ConnectionSettings {
  /** A saved tool list, in place of a running server. */
  readonly file?: string;
  /**
   * The PHP that registers these abilities: what `check --php` and `pull --php` read in place of the server. Without `url`,
   * `command` and `file`, every command reads it.
   */
  readonly php?: PhpConfig;
  /** Which tools get code, and under which names. */
  readonly tools?: ToolsConfig;
  /** Category by pattern of the tool's name, such as `"wordpress-*": "content"`. The first that fits counts. */
  readonly categories?: { readonly [pattern: string]: string };
  /** `send`: fill absent optional arguments with the schema's defaults. Default: leave them to the server. */
  readonly defaults?: "send";
  /**
   * What happens when a server's answer does not fit its output schema. Default: `tolerant`, an error unless the only
   * misfits are unknown keys in closed objects.
   */
  readonly validateOutput?: OutputValidation;
  /** As `schemas` of the configuration, for this server alone. */
  readonly schemas?: SchemaStyle;
  /** `assert`: refuse a string that lacks the `format` its schema asks for. Default: a format is an annotation. */
  readonly formats?: FormatRule;
  /**
   * What schemas without `$schema` are written in: `wordpress`, `draft-04`, `draft-06`, `draft-07`, `2019-09` or
   * `2020-12`. Default: `2020-12`, as MCP has it.
   */
  readonly dialect?: Dialect;
  /** How the abilities of a WordPress are reached and told; found out by itself. */
  readonly wordpress?: WordPressConfig;
  /** As `check` of the configuration, for this server alone. */
  readonly check?: CheckConfig;
}

export interface WordPressConfig {
  /**
   * `tools`: the server's tools are the abilities. `execute`: they are found and called through the three tools of the
   * adapter's default server. `rest`: as `execute`, but found through the REST API alone.
   */
  readonly route?: AbilityRoute;
  /** The version of the MCP adapter in whose words abilities are told as tools: `0.4`, `0.5` or `0.6`. */
  readonly profile?: AdapterProfile;
}

export interface PhpConfig {
  /**
   * Plugins: a plugin's folder or main file, a folder of must-use plugins, or a folder of plugins. Their code runs in a stub of
   * WordPress without network. With `wordpress` or `command`: the plugins whose abilities are read; by default all of the site.
   */
  readonly paths?: readonly string[];
  /** The folder of a WordPress, the one with `wp-load.php`. The plugins then register their abilities there, and not in the stub. */
  readonly wordpress?: string;
  /**
   * WP-CLI or WordPress Playground, as the command that starts it: `"wp"`, `"ddev wp"`, `"npx wp-env run cli --"`,
   * `"npx @wp-playground/cli php --auto-mount"`. The plugins then register their abilities in its WordPress. A text is split at
   * spaces and quotes; no shell runs it.
   */
  readonly command?: string | readonly string[];
  /** A PHP file that is loaded before the plugins: for what they need and neither they nor the stub have. */
  readonly bootstrap?: string;
  /**
   * What functions and constants of other plugins are, by name, such as `"wc_get_order_statuses": { "wc-paid": "Paid" }`.
   */
  readonly stubs?: { readonly [name: string]: JsonValue };
}

export type OutputValidation = OutputMode;

export interface ToolsConfig {
  /** Patterns of the names that are locked and get code. Default: all. */
  readonly include?: readonly string[];
  /** Patterns of the names that are left out, whatever `include` says. */
  readonly exclude?: readonly string[];
  /** Taken off the front of tool names before they become names in code. */
  readonly stripPrefix?: string;
  /** Name in code by the tool's name. */
  readonly rename?: { readonly [tool: string]: string };
  /**
   * What tools do, by patterns, where the server does not say or says it wrong: `"get-*": { "readOnlyHint": true }`.
   * Policies go by it; later patterns win.
   */
  readonly annotations?: { readonly [pattern: string]: ToolAnnotations };
}

export interface CheckConfig {
  /** The mildest drift that fails `check`. Default: `any`. */
  readonly failOn?: FailOn;
  /** Which impacts count: `wire`, `types` (and wire), `model` (and behaviour and types), or `strict`: all. Default: `strict`. */
  readonly preset?: Preset;
  /** Class by rule, such as `"input-default-changed": "safe"`. What could not be proved does not become `safe` by it. */
  readonly rules?: { readonly [Rule in RuleName]?: RuleClass };
  /** How many tokens the tools of a server may cost together. `check` fails when they cost more. Default: any number. */
  readonly tokenBudget?: number;
}

/** A configuration with its defaults filled in. */
export interface CompleteConfig extends Config {
  readonly output: string | false;
}

/** Gives a configuration its type; returns it as it is. */
export function defineConfig(config: Config): Config {
  return config;
}
