import type { AbilityRoute, AdapterProfile } from "../core/ability.js";
import type { FailOn, Preset, RuleClass } from "../core/change.js";
import type { ConnectionSettings, OutputMode, RecordSettings } from "../core/connection.js";
import type { Include } from "../core/entries.js";
import type { HostId } from "../core/hosts/host.js";
import { type JsonObject, type JsonValue, getOwn } from "../core/json.js";
import type { Dialect, FormatRule } from "../core/schema-ir.js";
import type { RuleName } from "../drift/rules.js";
import type { PolicyRules } from "../agent/policy/policy.js";
import type { ToolAnnotations } from "../core/snapshot.js";
import { McpCodegenError } from "../core/errors.js";

/** The default folders of cassettes. */
export const DEFAULT_CASSETTES: readonly string[] = ["cassettes"];

/** The default folder of generated files. */
export const DEFAULT_OUTPUT = "generated";

/** The default export of `mcp-codegen.config.ts`. Every path is relative to the configuration file. */
export interface Config {
  /** The path or URL of the JSON Schema of this file, for editors. */
  readonly $schema?: string;
  /** Folder of the generated files, or `false` to keep a lock and generate no code. Default: `generated`. */
  readonly output?: string | false;
  /** Servers by name, `[a-z][a-z0-9_]*`. The name becomes a folder and an export of the generated code. */
  readonly servers: { readonly [name: string]: ServerConfig };
  /** What makes `check` fail. */
  readonly check?: ProjectCheckConfig;
  /** Further tools that `serve` offers, and the hosts that it accepts. */
  readonly serve?: ServeConfig;
  /** Which tools an agent may find and call through `serve` and `call`. */
  readonly policy?: PolicyConfig;
  /** Folders of cassettes: `check` compares the recorded calls in and below them with the lock. Default: `cassettes`. */
  readonly cassettes?: readonly string[];
  /** Globs of scripts that call tools, such as `automations/*.ts`: `check` type-checks them, and `fix` edits them. */
  readonly scripts?: readonly string[];
  /**
   * Globs of files that agents read, such as `prompts/*.md`: `check` reports names of locked servers' tools in them that the
   * lock does not have. Default: skills, instructions, permissions and settings of common hosts; `[]` for none.
   */
  readonly references?: readonly string[];
  /**
   * Hosts and providers that show the tools to models, such as `anthropic` and `cursor`: `check` reports what they refuse or
   * change. Default: none.
   */
  readonly hosts?: readonly HostId[];
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
  /**
   * Globs of modules that export your own tools, made with `defineStaticTool`, such as `tools/*.ts`. Default: none.
   */
  readonly tools?: readonly string[];
  /** Prefix for the names of the five tools, where another server of the host has tools with these names. */
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
   * The PHP that registers these abilities: `check --php` and `pull --php` read it instead of asking the server.
   * Without `url`, `command` and `file`, every command reads it.
   */
  readonly php?: PhpConfig;
  /**
   * What is locked: `tools`, `prompts`, `resources` with their templates, `skills`. Default: `["tools"]`. Tools are
   * always locked.
   */
  readonly include?: readonly Include[];
  /** Which tools get code, and their names in code. */
  readonly tools?: ToolsConfig;
  /** The names of prompts in code. */
  readonly prompts?: EntriesConfig;
  /** The names of resources and their templates in code. */
  readonly resources?: EntriesConfig;
  /**
   * The output schema of a tool that declares none, by the tool's name: a JSON Schema, or the path of a file with one.
   */
  readonly outputs?: { readonly [tool: string]: JsonObject | string };
  /** Category by pattern of tool names, such as `"wordpress-*": "content"`. The first match counts. */
  readonly categories?: { readonly [pattern: string]: string };
  /** `send`: fill absent optional arguments with the schema's defaults. Default: leave that to the server. */
  readonly defaults?: "send";
  /**
   * What happens when a result does not match its output schema. Default: `tolerant`, which reports an error unless
   * the only mismatches are unknown keys in closed objects.
   */
  readonly validateOutput?: OutputValidation;
  /** As `schemas` of the configuration, for this server only. */
  readonly schemas?: SchemaStyle;
  /** `assert`: refuse strings that do not match their schema's `format`. Default: a format is an annotation. */
  readonly formats?: FormatRule;
  /**
   * The dialect of schemas without `$schema`: `wordpress`, `draft-04`, `draft-06`, `draft-07`, `2019-09` or
   * `2020-12`. Default: `2020-12`, as MCP specifies.
   */
  readonly dialect?: Dialect;
  /** How a WordPress exposes its abilities, and how they are listed as tools. Detected automatically. */
  readonly wordpress?: WordPressConfig;
  /** What recorded calls of the server leave out. */
  readonly record?: RecordSettings;
  /** As `check` of the configuration, for this server only. */
  readonly check?: CheckConfig;
}

export interface WordPressConfig {
  /**
   * `tools`: the server's tools are the abilities. `execute`: abilities are listed and called with the three tools of
   * the adapter's default server. `rest`: as `execute`, but listed with the REST API only.
   */
  readonly route?: AbilityRoute;
  /** The version of the MCP adapter whose tool definitions are used for abilities: `0.4`, `0.5` or `0.6`. */
  readonly profile?: AdapterProfile;
}

export interface PhpConfig {
  /**
   * Plugins: a plugin's folder or main file, a folder of must-use plugins, or a folder of plugins. Their code runs in
   * a stub of WordPress without network access. With `wordpress` or `command`: the plugins whose abilities are read;
   * default: all plugins of the site.
   */
  readonly paths?: readonly string[];
  /**
   * The folder of a WordPress, with `wp-load.php`. The plugins then register their abilities in it instead of the
   * stub.
   */
  readonly wordpress?: string;
  /**
   * The command that starts WP-CLI or WordPress Playground: `"wp"`, `"ddev wp"`, `"npx wp-env run cli --"`, or `npx`
   * with `@wp-playground/cli` and `php --auto-mount`. The plugins then register their abilities in its WordPress. A
   * string is split at spaces and quotes; no shell runs it.
   */
  readonly command?: string | readonly string[];
  /** A PHP file that is loaded before the plugins: it defines what they need and the stub lacks. */
  readonly bootstrap?: string;
  /**
   * Values for functions and constants of other plugins, by name, such as `"wc_get_order_statuses": { "wc-paid":
   * "Paid" }`.
   */
  readonly stubs?: { readonly [name: string]: JsonValue };
}

type OutputValidation = OutputMode;

export interface EntriesConfig {
  /** Patterns for the names of prompts, or the URIs and URI templates of resources, that get no code. They stay locked. */
  readonly exclude?: readonly string[];
  /** Names in code by the name of the prompt, or by the URI or URI template of the resource. */
  readonly rename?: { readonly [id: string]: string };
}

export interface ToolsConfig {
  /** Patterns for the names of tools that are locked and get code. Default: all. */
  readonly include?: readonly string[];
  /** Patterns for the names of tools that are left out, even if `include` matches. */
  readonly exclude?: readonly string[];
  /** Prefix that is removed from tool names before they become names in code. */
  readonly stripPrefix?: string;
  /** Names in code by tool name. */
  readonly rename?: { readonly [tool: string]: string };
  /**
   * Annotations by pattern, where the server gives none or wrong ones: `"get-*": { "readOnlyHint": true }`. Policies
   * use them; later patterns win.
   */
  readonly annotations?: { readonly [pattern: string]: ToolAnnotations };
}

export interface CheckConfig {
  /** The mildest drift that fails `check`. Default: `any`, which counts all but a new version number of the same tools. */
  readonly failOn?: FailOn;
  /** Which impacts count: `wire`, `types` (and wire), `model` (and behaviour and types), or `strict`: all. Default: `strict`. */
  readonly preset?: Preset;
  /**
   * Class by rule, such as `"input-default-changed": "safe"`. It cannot make a change `safe` that could not be proved
   * so.
   */
  readonly rules?: { readonly [Rule in RuleName]?: RuleClass };
  /**
   * The most tokens that the tools of a server may cost together. `check` fails when they cost more. Default: no
   * limit.
   */
  readonly tokenBudget?: number;
}

/** The settings of `check` for a whole project. */
export interface ProjectCheckConfig extends CheckConfig {
  /**
   * Files of the projects that use the servers' tools, which `export` writes: paths and glob patterns, such as
   * `consumers/*.json`. `check` reports which of them a change breaks.
   */
  readonly consumers?: readonly string[];
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
  const known = Object.keys(servers).map((each) => `"${each}"`);
  throw new McpCodegenError("SERVER_UNKNOWN", `The configuration has no server "${name}".`, {
    hint:
      known.length === 0
        ? 'No server is configured: add one under "servers".'
        : `Configured servers: ${known.join(", ")}.`,
  });
}
