import { createRequire } from "node:module";
import type picomatch from "picomatch";
import type { ToolAnnotations } from "../core/snapshot.js";
import type { EntriesConfig, ServerConfig, ToolsConfig } from "./config.js";

type Categories = NonNullable<ServerConfig["categories"]>;

/** Patterns are compiled once, since a list may have ten thousand tools. */
const matchers = new WeakMap<ToolsConfig, (tool: string) => boolean>();
const exclusions = new WeakMap<EntriesConfig, (id: string) => boolean>();
const categorizers = new WeakMap<Categories, (tool: string) => string | undefined>();

/** Whether a tool is included: no `include` is set or one of its patterns matches, and no `exclude` pattern does. */
export function isIncluded({ tools }: { readonly tools?: ToolsConfig }, tool: string): boolean {
  if (tools === undefined) return true;
  return compileOnce(matchers, tools, ({ include, exclude = [] }) => {
    const isNamed = include === undefined ? () => true : compilePatterns(include);
    const isExcluded = compilePatterns(exclude);
    return (name) => isNamed(name) && !isExcluded(name);
  })(tool);
}

/** Whether a prompt, a resource or a template gets code: no `exclude` pattern matches its name or URI. */
export function hasCode(config: EntriesConfig | undefined, id: string): boolean {
  if (config === undefined) return true;
  return !compileOnce(exclusions, config, ({ exclude = [] }) => compilePatterns(exclude))(id);
}

/** Returns the category of the first pattern that matches a tool's name; undefined when none matches. */
export function configuredCategory(
  { categories }: { readonly categories?: Categories },
  tool: string,
): string | undefined {
  if (categories === undefined) return undefined;
  return compileOnce(categorizers, categories, (patterns) => {
    const entries = Object.entries(patterns).map(
      ([pattern, name]) => [compilePatterns([pattern]), name] as const,
    );
    return (named) => entries.find(([matches]) => matches(named))?.[1];
  })(tool);
}

/** Returns the annotations that the configuration gives a tool; undefined without any. Later patterns win. */
export function annotationsOf(
  { tools }: { readonly tools?: ToolsConfig },
  tool: string,
): ToolAnnotations | undefined {
  const fitting = Object.entries(tools?.annotations ?? {}).filter(([pattern]) =>
    compilePatterns([pattern])(tool),
  );
  return fitting.length === 0
    ? undefined
    : (Object.assign({}, ...fitting.map(([, hints]) => hints)) as ToolAnnotations);
}

function compileOnce<Key extends object, T>(
  compiled: WeakMap<Key, T>,
  key: Key,
  compile: (key: Key) => T,
): T {
  const known = compiled.get(key) ?? compile(key);
  compiled.set(key, known);
  return known;
}

/** Whether a text may match other names than itself. */
export function isPattern(text: string): boolean {
  return /[*?{}[\]!()]/.test(text);
}

/** Loaded with the first pattern, since most configurations have none. */
// In a CommonJS bundle of esbuild, `import.meta.url` is undefined.
const require = createRequire(import.meta.url || __filename);

/**
 * Returns a matcher for the names of tools. `*` matches any text, `?` any character, `{a,b}` either. Names are not
 * paths, so path separators are replaced in names and patterns: `*` also matches a tool named `../evil`.
 */
export function compilePatterns(patterns: readonly string[]): (tool: string) => boolean {
  if (patterns.length === 0) return () => false;
  const compile = require("picomatch") as typeof picomatch;
  const matches = compile(patterns.map(withoutPathMarks), { dot: true, nonegate: true });
  return (tool) => matches(withoutPathMarks(tool));
}

function withoutPathMarks(text: string): string {
  return `=${text.replace(/[/\n\r\u2028\u2029]/g, "\u2215")}`;
}
