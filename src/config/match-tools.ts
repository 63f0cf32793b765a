import type { ToolAnnotations } from "../core/snapshot.js";
import type { EntriesConfig, ServerConfig, ToolsConfig, Config } from "./config.js";
import type { KeyPath } from "../core/json-pointer.js";
import { compileNamePattern, compileNamePatterns, isNamePattern } from "../core/name-pattern.js";
import type { ConfigName } from "../core/rename.js";

type Categories = NonNullable<ServerConfig["categories"]>;

/** Patterns are compiled once, since a list may have ten thousand tools. */
const matchers = new WeakMap<ToolsConfig, (tool: string) => boolean>();
const exclusions = new WeakMap<EntriesConfig, (id: string) => boolean>();
const categorizers = new WeakMap<Categories, (tool: string) => string | undefined>();

/** Whether a tool is included: no `include` is set or one of its patterns matches, and no `exclude` pattern does. */
export function isIncluded({ tools }: { readonly tools?: ToolsConfig }, tool: string): boolean {
  if (tools === undefined) return true;
  return compileOnce(matchers, tools, ({ include, exclude = [] }) => {
    const isNamed = include === undefined ? () => true : compileNamePatterns(include);
    const isExcluded = compileNamePatterns(exclude);
    return (name) => isNamed(name) && !isExcluded(name);
  })(tool);
}

/** Whether a prompt, a resource or a template gets code: no `exclude` pattern matches its name or URI. */
export function hasCode(config: EntriesConfig | undefined, id: string): boolean {
  if (config === undefined) return true;
  // `{?q,lang}` of a URI template is read as a list of words.
  if (config.exclude?.includes(id) === true) return false;
  return !compileOnce(exclusions, config, ({ exclude = [] }) => compileNamePatterns(exclude))(id);
}

/** Returns the category of the first pattern that matches a tool's name; undefined when none matches. */
export function configuredCategory(
  { categories }: { readonly categories?: Categories },
  tool: string,
): string | undefined {
  if (categories === undefined) return undefined;
  return compileOnce(categorizers, categories, (patterns) => {
    const entries = Object.entries(patterns).map(
      ([pattern, name]) => [compileNamePattern(pattern), name] as const,
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
    compileNamePattern(pattern)(tool),
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

const OF_SERVER: readonly (readonly string[])[] = [
  ["tools", "include", "[]"],
  ["tools", "exclude", "[]"],
  ["tools", "rename", "{}"],
  ["tools", "annotations", "{}"],
  ["categories", "{}"],
  ["outputs", "{}"],
  ["prelude", "[]", "tool"],
  ["variants", "*", "prelude", "[]", "tool"],
];

/** Where a policy names tools, of all servers or as `server__tool`. */
export const OF_POLICY: readonly (readonly string[])[] = ["focusModes", "roles"].flatMap((layer) =>
  ["allow", "deny"].map((list) => ["policy", layer, "*", list, "[]", "names", "[]"]),
);

interface RenamedTool {
  readonly server: string;
  readonly before: string;
  readonly after: string;
}

/**
 * The places of a configuration that may name a renamed tool. A new name with other characters than names have could be a
 * pattern that matches more tools, so only a person can write it.
 */
export function findToolNames(config: Config, { server, before, after }: RenamedTool): readonly ConfigName[] {
  const isName = /^[\w./:-]+$/.test(after);
  const isOnly = Object.keys(config.servers).length === 1;
  const named = (path: readonly string[], from: string, to: string, isCertain: boolean): ConfigName => ({
    path,
    before: from,
    after: isCertain ? to : undefined,
  });
  return [
    ...OF_SERVER.map((path) => named(["servers", server, ...path], before, after, isName)),
    ...OF_POLICY.flatMap((path) => [
      named(path, `${server}__${before}`, `${server}__${after}`, isName),
      // Another server may have a tool of this name.
      named(path, before, after, isName && isOnly),
    ]),
  ];
}

/** How often a configuration has a name at a place. */
export function countNames(config: Config, { path, before }: ConfigName): number {
  return textsAt(config, path).filter((name) => name === before).length;
}

/** The patterns of a configuration that match the old name of a tool and not its new one. */
export function findLostPatterns(config: Config, rename: RenamedTool): readonly string[] {
  const { server, before, after } = rename;
  const patterns = [
    ...OF_SERVER.filter(([list]) => list === "tools" || list === "categories").flatMap((path) =>
      textsAt(config, ["servers", server, ...path]).map((pattern) => ({ pattern, prefixes: [""] })),
    ),
    ...OF_POLICY.flatMap((path) =>
      textsAt(config, path).map((pattern) => ({ pattern, prefixes: ["", `${server}__`] })),
    ),
  ];
  const lost = patterns.filter(({ pattern, prefixes }) => {
    const matches = compileNamePattern(pattern);
    const has = (name: string): boolean => prefixes.some((prefix) => matches(`${prefix}${name}`));
    return isNamePattern(pattern) && has(before) && !has(after);
  });
  return [...new Set(lost.map(({ pattern }) => pattern))];
}

function textsAt(config: Config, path: readonly string[]): readonly string[] {
  return findTexts(config, path).map(({ text }) => text);
}

/** A text of a configuration, or one of its keys. */
interface ConfigText {
  readonly key: KeyPath;
  readonly text: string;
}

/** The texts at a path, with steps as in {@link ConfigName}. */
export function findTexts(
  value: unknown,
  [step, ...rest]: readonly string[],
  key: KeyPath = [],
): readonly ConfigText[] {
  if (step === undefined) return typeof value === "string" ? [{ key, text: value }] : [];
  if (typeof value !== "object" || value === null) return [];
  if (step === "{}") return Object.keys(value).map((text) => ({ key: [...key, text], text }));
  const isAny = step === "*" || step === "[]";
  return Object.entries(value).flatMap(([name, member]) => {
    const next = Array.isArray(value) ? Number(name) : name;
    return isAny || name === step ? findTexts(member, rest, [...key, next]) : [];
  });
}
