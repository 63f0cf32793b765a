import type { AbilityRoute, AdapterProfile } from "../core/ability.js";
import type { FailOn, Preset, RuleClass } from "../core/check-policy.js";
import type { ConnectionSettings, InputMode, OutputMode, RecordSettings } from "../core/connection.js";
import type { Include } from "../core/entries.js";
import type { HostId } from "../core/hosts/host.js";
import { type JsonObject, type JsonValue, getOwn } from "../core/json.js";
import type { Dialect, FormatRule } from "../core/schema-ir.js";
import type { RuleName } from "../drift/rules.js";
import type { PolicyRules } from "../core/policy.js";
import type { ToolAnnotations } from "../core/snapshot.js";
import { McpCodegenError } from "../core/errors.js";

/** The default folders of cassettes. */
export const DEFAULT_CASSETTES: readonly string[] = ["cassettes"];

/** The default folder of generated files. */
export const DEFAULT_OUTPUT = "generated";

/** The default export of `mcp-codegen.config.ts`. Every path is relative to the configuration file. */
export interface Config {
  /** The path or URL of the JSON Schema, for editors. */
  readonly $schema?: string;
  /** Folder of the generated files, or `false` for a lock without code. Default: `generated`. */
  readonly output?: string | false;
  /** Servers by name, `[a-z][a-z0-9_]*`, which becomes a folder and an export of the code. */
  readonly servers: { readonly [name: string]: ServerConfig };
  /** What makes `check` fail. */
  readonly check?: CheckConfig;
  /** More tools for `serve`, and the hosts that it accepts. */
  readonly serve?: ServeConfig;
  /** Which tools an agent may find and call through `serve` and `call`. */
  readonly policy?: PolicyConfig;
  /** Folders of recorded calls that `check` compares with the lock. Default: `cassettes`. */
  readonly cassettes?: readonly string[];
  /** Globs of scripts that call tools, such as `automations/*.ts`: `check` type-checks them, and `fix` edits them. */
  readonly scripts?: readonly string[];
  /**
   * Globs of files that agents read, in which `check` reports names of tools that the lock does not have. Default:
   * skills, instructions, permissions and settings of common hosts; `[]` for none.
   */
  readonly references?: readonly string[];
  /**
   * Hosts and providers, such as `anthropic` and `cursor`: `check` reports what they refuse or change. Default:
   * none.
   */
  readonly hosts?: readonly HostId[];
  /**
   * How generated files import each other: `./server.js`, `./server.ts` or `./server`. Default: what `tsconfig.json`
   * needs.
   */
  readonly importExtension?: ImportExtension;
  /**
   * `open`: the static types of Zod schemas of objects have `.shape`, `.pick` and `.extend`. Default: `closed`,
   * which tsc checks faster.
   */
  readonly schemas?: SchemaStyle;
}

/** Options of `createPolicy`. The effects of tools are declared in `servers.<name>.tools.annotations`. */
export interface PolicyConfig {
  /** `full-admin`, `content-editing`, `read-only`, or one of `focusModes`. Default: `full-admin`. */
  readonly focusMode?: string;
  /** `content-editor`, or one of `roles`. It further restricts the focus mode. Default: none. */
  readonly role?: string;
  /** Custom focus modes by name. */
  readonly focusModes?: { readonly [name: string]: PolicyRules };
  /** Custom roles by name. */
  readonly roles?: { readonly [name: string]: PolicyRules };
  /**
   * Whether tools that do more than read may be called: one value, or one per server, `static` for the program's own
   * tools. `false` always wins. Default: `MCP_CODEGEN_ENABLE_WRITES` decides.
   */
  readonly writes?: boolean | { readonly [server: string]: boolean };
}

export interface ServeConfig {
  /** Globs of modules with your own tools (`defineStaticTool`), such as `tools/*.ts`. Default: none. */
  readonly tools?: readonly string[];
  /** Prefix for the names of the five tools. */
  readonly prefix?: string;
  /** Host names that `serve --http` accepts, besides the machine's own. */
  readonly hosts?: readonly string[];
}

export type SchemaStyle = "open" | "closed";

export type ImportExtension = "js" | "ts" | "none";

/** One server: exactly one of `url`, `command` and `file`, or `php` alone. */
export interface ServerConfig extends ConnectionSettings {
  /** A saved tool list, read instead of a running server. */
  readonly file?: string;
  /**
   * The PHP that registers these abilities, for `check --php` and `pull --php`. Without `url`, `command` and `file`,
   * every command reads it.
   */
  readonly php?: PhpConfig;
  /** What is locked: `tools` always, `prompts`, `resources` with their templates, `skills`. Default: `["tools"]`. */
  readonly include?: readonly Include[];
  /** Which tools get code, and their names in code. */
  readonly tools?: ToolsConfig;
  /** The names of prompts in code. */
  readonly prompts?: EntriesConfig;
  /** The names of resources and their templates in code. */
  readonly resources?: EntriesConfig;
  /** Output schemas of tools that declare none: a JSON Schema, or the path of a file with one. */
  readonly outputs?: { readonly [tool: string]: JsonObject | string };
  /** Categories by pattern of tool names, such as `"wordpress-*": "content"`. The first match counts. */
  readonly categories?: { readonly [pattern: string]: string };
  /** `parse`: schemas fill in the defaults of absent arguments, which are sent. Default: the server fills them in. */
  readonly defaults?: "parse";
  /**
   * What happens to a result that does not match its output schema. Default: `tolerant`, which accepts unknown keys in
   * closed objects and nothing else.
   */
  readonly validateOutput?: OutputValidation;
  /** Arguments that do not fit the input schema: `strict`, the default, refuses the call; `warn` sends it with a warning. */
  readonly validateInput?: InputMode;
  /** As `schemas` above, for this server. */
  readonly schemas?: SchemaStyle;
  /** `assert`: refuse strings that do not match their `format`. Default: a format is an annotation. */
  readonly formats?: FormatRule;
  /**
   * The dialect of schemas without `$schema`: `wordpress`, `draft-04`, `draft-06`, `draft-07`, `2019-09` or
   * `2020-12`, the default.
   */
  readonly dialect?: Dialect;
  /** How a WordPress lists its abilities. Detected automatically. */
  readonly wordpress?: WordPressConfig;
  /** What recorded calls of the server leave out. */
  readonly record?: RecordSettings;
  /** As `check` above, for this server. */
  readonly check?: CheckConfig;
}

export interface WordPressConfig {
  /**
   * `tools`: the server's tools are the abilities. `execute`: the adapter's default server lists and calls them.
   * `rest`: as `execute`, but the REST API alone lists them.
   */
  readonly route?: AbilityRoute;
  /** The version of the MCP adapter that turns abilities into tools: `0.4`, `0.5` or `0.6`. */
  readonly profile?: AdapterProfile;
}

export interface PhpConfig {
  /**
   * Plugins: a plugin's folder or main file, or a folder of plugins. They run in the code of WordPress, without a site,
   * a database and network access. With `wordpress` or `command`: the plugins to read; default: all of the site.
   */
  readonly paths?: readonly string[];
  /**
   * The folder of a WordPress 6.9 or later, for its code alone. Default: `WP_CORE_DIR`, a WordPress above the plugins,
   * or one of Composer.
   */
  readonly core?: string;
  /** The folder of a WordPress, with `wp-load.php`, to load the plugins in. */
  readonly wordpress?: string;
  /**
   * The command that starts WP-CLI or Playground, to load the plugins in its WordPress: `"wp"`, `"ddev wp"`, `"npx
   * wp-env run cli --"`, or `npx` with `@wp-playground/cli` and `php --auto-mount`. No shell runs it.
   */
  readonly command?: string | readonly string[];
  /** A PHP file to load before the plugins, for what they need. */
  readonly bootstrap?: string;
  /** The folder of the active theme. */
  readonly theme?: string;
  /** Values of `get_option()`, such as `"woocommerce_currency": "EUR"`. Default: those of a new site. */
  readonly options?: { readonly [name: string]: JsonValue };
  /** Constants of `wp-config.php`, such as `"WP_DEBUG": true`. */
  readonly constants?: { readonly [name: string]: string | number | boolean | null };
}

type OutputValidation = OutputMode;

export interface EntriesConfig {
  /** Patterns for names of prompts, or for URIs of resources, that are locked but get no code. */
  readonly exclude?: readonly string[];
  /** Names in code by the name of the prompt, or by the URI or URI template of the resource. */
  readonly rename?: { readonly [id: string]: string };
}

export interface ToolsConfig {
  /** Patterns for the tools that are locked and get code. Default: all. */
  readonly include?: readonly string[];
  /** Patterns for tools that are left out, even if `include` matches. */
  readonly exclude?: readonly string[];
  /** Prefix to remove from names in code. */
  readonly stripPrefix?: string;
  /** Names in code by tool name. */
  readonly rename?: { readonly [tool: string]: string };
  /**
   * Annotations by pattern, where the server's are missing or wrong: `"get-*": { "readOnlyHint": true }`. Later
   * patterns win.
   */
  readonly annotations?: { readonly [pattern: string]: ToolAnnotations };
}

export interface CheckConfig {
  /** The mildest drift that fails. Default: `any`, which counts all but a new version number of the same tools. */
  readonly failOn?: FailOn;
  /** Which impacts count: `wire`, `types`, `model` or `strict`, each with those before it. Default: `strict`. */
  readonly preset?: Preset;
  /** Class by rule, such as `"input-default-changed": "safe"`. An unproved change cannot become `safe`. */
  readonly rules?: { readonly [Rule in RuleName]?: RuleClass };
  /** The most tokens that the tools of a server may cost together. Default: no limit. */
  readonly tokenBudget?: number;
}

/** A configuration with its defaults. */
export interface CompleteConfig extends Config {
  readonly output: string | false;
}

/** Returns the configuration unchanged, with its type. */
export function defineConfig(config: Config): Config {
  return config;
}

/** Returns the settings of a server. Throws `SERVER_UNKNOWN` for a name that is not configured. */
export function getServer(servers: { readonly [name: string]: ServerConfig }, name: string): ServerConfig {
  const server = getOwn(servers, name);
  if (server !== undefined) return server;
  const names = Object.keys(servers).map((each) => `"${each}"`);
  throw new McpCodegenError("SERVER_UNKNOWN", `The configuration has no server "${name}".`, {
    hint:
      names.length === 0
        ? 'No server is configured: add one under "servers".'
        : `Configured servers: ${names.join(", ")}.`,
  });
}
