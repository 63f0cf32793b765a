import { statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  AWAIT,
  describeValue,
  FUNCTION,
  HOLDER,
  isPromise,
  type OptionKind,
  TEXT,
} from "../../core/check-options.js";
import { listWords, omitUndefined } from "../../core/collections.js";
import { codeOf, explainError, McpCodegenError } from "../../core/errors.js";
import { endSentence } from "../../core/printable.js";
import { isJsonObject } from "../../core/json.js";
import { globFiles } from "../../files/read-files.js";
import { waitUnlessAborted } from "../../runtime/client/caller.js";
import type { AnyTool } from "../../core/tool.js";
import { isTool } from "../../runtime/tool.js";

export interface ModuleGlobs {
  /** Globs, relative to the root. Default: `tools/**` and `src/tools/**`. */
  readonly patterns?: readonly string[] | undefined;
  /** Further globs to ignore. Tests, specs, names that begin with `_` or a dot, and node_modules are always ignored. */
  readonly ignore?: readonly string[] | undefined;
}

export interface Discovery {
  /** Reports a skipped item: warns, or throws if discovery is strict. */
  readonly skip: (
    what: string,
    why: string,
    more?: { readonly hint?: string | undefined; readonly cause?: unknown },
  ) => void;
  /** Ends the search. */
  readonly signal: AbortSignal | undefined;
  /** Present while tools are watched. */
  readonly watch?: DiscoveryWatch | undefined;
}

export interface DiscoveryWatch {
  /** Searches again when something in this folder or below changes. The folder need not exist yet. */
  readonly dependOn: (folder: string) => void;
  /** By path, the states of modules when they were imported. */
  readonly imported: Map<string, { readonly state: string; readonly url: string }>;
}

const PATTERNS = ["tools/**", "src/tools/**"];
const IGNORED = [
  "**/node_modules/**",
  "**/*.{test,spec}.*",
  "**/{__tests__,__mocks__}/**",
  "**/_*",
  "**/_*/**",
  "**/*.d.{ts,mts,cts}",
];
const MODULE = /\.[cm]?[jt]s$/;

/**
 * Imports the matching modules in the order of their paths, and yields the tools that they export. If there are `a.ts` and `a.js`,
 * only the compiled one is imported. Symbolic links are not followed, since they may lead out of the root or in circles.
 *
 * @throws McpCodegenError `USAGE` for a pattern that leads out of the root
 */
export async function* importMatching(
  root: string,
  { patterns = PATTERNS, ignore = [] }: ModuleGlobs,
  discovery: Discovery,
): AsyncGenerator<AnyTool> {
  for (const pattern of patterns) {
    refuseOutside(pattern);
    if (!pattern.startsWith("!")) discovery.watch?.dependOn(join(root, baseOf(pattern)));
  }
  const paths = await globFiles(patterns, {
    cwd: root,
    ignore: [...IGNORED, ...ignore],
    ...omitUndefined({ signal: discovery.signal }),
  });
  const files = new Set(paths.filter((file) => MODULE.test(file)).sort());
  // While tools are watched, the first module may come later.
  if (files.size === 0 && discovery.watch === undefined)
    discovery.skip(`Root ${JSON.stringify(root)}`, `it has no modules at ${patterns.join(", ")}.`);
  const groups: ToolGroup[] = [];
  for (const file of files)
    if (!/\.[cm]?ts$/.test(file) || !files.has(file.replace(/ts$/, "js")))
      yield* importTools(join(root, file), discovery, groups);
  // A module may also export its tools, or those of other modules, as a list.
  for (const { place, tools } of groups)
    if (tools.some((tool) => !origins.has(tool)))
      discovery.skip(place, "it holds tools, but is not a tool.", {
        hint: "Export each tool by its own name.",
      });
}

/** An export that is an array or an object of tools. */
interface ToolGroup {
  readonly place: string;
  readonly tools: readonly AnyTool[];
}

function refuseOutside(pattern: string): void {
  const path = pattern.replace(/^!/, "");
  if (!isAbsolute(path) && !path.split(/[/\\]/).includes("..")) return;
  const message = `Pattern ${JSON.stringify(pattern)} leads out of the root.`;
  throw new McpCodegenError("USAGE", message, { hint: "Name the folder as a root: roots: [folder]." });
}

/** Returns the folder of all files that a pattern can match. */
function baseOf(pattern: string): string {
  const parts = pattern.split("/");
  const firstGlob = parts.findIndex((part) => /[*?{}[\]()!+@]/.test(part));
  return parts.slice(0, firstGlob === -1 ? parts.length : firstGlob).join("/");
}

const origins = /* @__PURE__ */ new WeakMap<AnyTool, string>();

export function moduleOf(tool: AnyTool): string | undefined {
  return origins.get(tool);
}

/**
 * Yields the tools that a module exports, by default or by name. A module that cannot be imported is skipped with a warning, and so
 * is an export that looks like a tool and is not one.
 */
async function* importTools(
  path: string,
  { skip, signal, watch }: Discovery,
  groups: ToolGroup[],
): AsyncGenerator<AnyTool> {
  let exports: readonly (readonly [key: string, value: unknown])[];
  try {
    const url = watch === undefined ? pathToFileURL(path).href : freshUrl(path, watch);
    // Top-level code of a module may wait forever.
    const module = await waitUnlessAborted(import(url) as Promise<object>, signal);
    // Reading an export throws if circular imports have not set it yet.
    exports = Object.entries(module);
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    skip(`Tool module ${JSON.stringify(path)}`, wordsOf(cause), { cause, hint: hintFor(cause) });
    return;
  }
  // A module may export a value twice.
  const keys = new Map(exports.toReversed().map(([key, value]) => [value, key]));
  for (const [value, key] of [...keys].toReversed()) {
    if (isTool(value)) {
      if (!origins.has(value)) origins.set(value, path);
      yield value;
      continue;
    }
    const place = `Export ${JSON.stringify(key)} of tool module ${JSON.stringify(path)}`;
    groups.push({ place, tools: findToolsIn(value) });
    const problem = await findToolProblem(value, key);
    if (problem !== undefined) skip(place, problem.why, { hint: problem.hint });
  }
}

/** Returns a new URL for a module that has changed, since Node imports each URL only once. */
function freshUrl(path: string, { imported }: DiscoveryWatch): string {
  const { mtimeMs, size } = statSync(path);
  const state = `${mtimeMs}-${size}`;
  const last = imported.get(path);
  if (last?.state === state) return last.url;
  const plain = pathToFileURL(path).href;
  const url = last === undefined ? plain : `${plain}?changed=${state}`;
  imported.set(path, { state, url });
  return url;
}

function wordsOf(cause: unknown): string {
  return endSentence(explainError(cause));
}

function hintFor(cause: unknown): string | undefined {
  switch (codeOf(cause) ?? "") {
    case "ERR_UNKNOWN_FILE_EXTENSION":
      return `Node ${process.version} does not import TypeScript: use 22.18 or later, start it with "--import tsx", or have the patterns name the compiled files.`;
    case "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX":
      return 'Node removes types and nothing else: set "erasableSyntaxOnly" in tsconfig.json, or have the patterns name the compiled files.';
    default:
      return undefined;
  }
}

const HINT = "Make it with defineStaticTool({ name, input, execute }) of mcp-codegen/agent.";

/** The names that libraries of tools use for the parts of a tool. */
const FUNCTIONS = ["execute", "handler", "run", "invoke", "func", "callback"];
const SCHEMAS = ["input", "inputSchema", "input_schema", "parameters"];
const TEXTS = ["name", "description"];

/**
 * Explains why an export that looks like a tool is not one, and how to fix it; undefined for a tool and for any other export.
 * Reads keys of the value, and calls nothing.
 *
 * @param key the name of the export
 */
export async function findToolProblem(
  value: unknown,
  key: string,
): Promise<{ readonly why: string; readonly hint: string } | undefined> {
  try {
    if (isPromise(value)) {
      if (!(await mayBecomeTool(value, key))) return undefined;
      return { why: "it looks like a tool, but it is a promise.", hint: AWAIT };
    }
    const what = explain(value, key);
    return what === undefined ? undefined : { why: `it looks like a tool, but ${what}.`, hint: HINT };
  } catch {
    // A getter or a proxy that throws.
    return undefined;
  }
}

/** The default export of a module is its tool. Others are not waited for, since they may never settle. */
async function mayBecomeTool(promise: Promise<unknown>, key: string): Promise<boolean> {
  const pending = Symbol("pending");
  const settled = await Promise.race([promise, Promise.resolve(pending)]).catch(() => pending);
  if (settled === pending) return key === "default";
  return isTool(settled) || explain(settled, key) !== undefined;
}

function explain(value: unknown, key: string): string | undefined {
  return HOLDER.is(value) && !isTool(value) ? explainObject(Object(value) as object, key) : undefined;
}

function explainObject(value: object, key: string): string | undefined {
  const read = (name: string): unknown => Reflect.get(value, name);
  // Every function has a name and inherits methods.
  const has = (name: string): boolean =>
    typeof value === "function" ? name !== "name" && Object.hasOwn(value, name) : name in value;
  if (isClass(value)) {
    const isCalledTool = key === "default" || /tool$/i.test(value.name);
    return isCalledTool && FUNCTIONS.some((name) => name in value.prototype) ? "it is a class" : undefined;
  }
  if (has("safe") && has("definition")) {
    const definition = read("definition");
    // Prompts and resources have a definition without an input schema.
    if (!HOLDER.is(definition) || !("inputSchema" in Object(definition))) return undefined;
    const { name, input } = Object(definition) as { readonly name?: unknown; readonly input?: unknown };
    return TEXT.is(name)
      ? `its input is ${describeValue(input)} and not a schema such as one of Zod`
      : `its name is ${describeValue(name)}`;
  }
  if (has("~standard")) return undefined;
  const isCalled = FUNCTIONS.some(has);
  const isDescribed = SCHEMAS.some(has);
  if (!(isCalled && (isDescribed || TEXTS.some(has))) && !(isDescribed && "name" in value)) return undefined;
  const present = [...TEXTS, ...FUNCTIONS, ...SCHEMAS].filter(has);
  const wrong = present.find((name) => !kindOf(name).is(read(name)));
  if (wrong !== undefined) return `its "${wrong}" is ${describeValue(read(wrong))}`;
  if (!("name" in value)) return 'it has no "name"';
  return `it is ${describeValue(value)} with ${listWords(present.map((name) => `"${name}"`))}`;
}

/** Returns the tools in an array or a plain object, but not those of a connection. Runs no getter. */
function findToolsIn(value: unknown): readonly AnyTool[] {
  try {
    if (Array.isArray(value)) return value.filter(isTool);
    if (!isJsonObject(value) || Object.getPrototypeOf(value) !== Object.prototype || "close" in value)
      return [];
    const members: readonly PropertyDescriptor[] = Object.values(Object.getOwnPropertyDescriptors(value));
    return members.map((member): unknown => member.value).filter(isTool);
  } catch {
    // A proxy that throws.
    return [];
  }
}

function kindOf(name: string): OptionKind {
  if (TEXTS.includes(name)) return TEXT;
  return FUNCTIONS.includes(name) ? FUNCTION : HOLDER;
}

function isClass(value: object): value is { readonly name: string; readonly prototype: object } {
  return typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));
}
