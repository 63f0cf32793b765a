import type { Diagnostic } from "../core/diagnostic.js";
import type { ServerSnapshot, ToolAnnotations } from "../core/snapshot.js";
import type { EntriesConfig, ServerConfig, ToolsConfig } from "./config.js";
import type { KeyPath } from "../core/json-pointer.js";
import { compileNamePattern, matchesAny } from "../core/name-pattern.js";

/** Whether a tool is included: no `include` is set or one of its patterns matches, and no `exclude` pattern does. */
export function isIncluded({ tools = {} }: { readonly tools?: ToolsConfig }, tool: string): boolean {
  const { include = ["*"], exclude = [] } = tools;
  return matchesAny(include, tool) && !matchesAny(exclude, tool);
}

/** Whether a prompt, a resource or a template gets code: no `exclude` pattern matches its name or URI. */
export function hasCode({ exclude = [] }: EntriesConfig = {}, id: string): boolean {
  // `{?q,lang}` of a URI template is read as a list of words.
  return !exclude.includes(id) && !matchesAny(exclude, id);
}

/** Returns the category of the first pattern that matches a tool's name; undefined when none matches. */
export function configuredCategory(
  { categories = {} }: { readonly categories?: ServerConfig["categories"] },
  tool: string,
): string | undefined {
  return Object.entries(categories).find(([pattern]) => compileNamePattern(pattern)(tool))?.[1];
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

/** Where a server's configuration selects or names what the server lists. */
const OF_SERVER = [
  ["tools", "include", "[]"],
  ["tools", "exclude", "[]"],
  ["tools", "rename", "{}"],
  ["tools", "stripPrefix"],
  ["tools", "annotations", "{}"],
  ["categories", "{}"],
  ["prompts", "exclude", "[]"],
  ["prompts", "rename", "{}"],
  ["resources", "exclude", "[]"],
  ["resources", "rename", "{}"],
] as const;

/** Whether a text of the configuration at such a path is about a name. */
function isAbout([list, key]: (typeof OF_SERVER)[number], text: string, name: string): boolean {
  if (key === "rename") return name === text;
  if (key === "stripPrefix") return name.startsWith(text);
  const isOfTool = list === "tools" || list === "categories";
  return isOfTool ? compileNamePattern(text)(name) : !hasCode({ exclude: [text] }, name);
}

/**
 * Returns notes about names and patterns of a server's configuration that nothing in its lists has, with what is left out.
 * A list that was not read gives none.
 */
export function findUnmatchedTexts(settings: ServerConfig, snapshot: ServerSnapshot): readonly Diagnostic[] {
  const { server, prompts, resources, resourceTemplates } = snapshot;
  const tools = ["tool", snapshot.tools.map(({ name }) => name)] as const;
  const places = resources === undefined ? undefined : { ...resources, ...resourceTemplates };
  const lists = {
    tools,
    categories: tools,
    prompts: ["prompt", prompts && Object.keys(prompts)] as const,
    resources: ["resource", places && Object.keys(places)] as const,
  };
  return OF_SERVER.flatMap((path) => {
    const [noun, names] = lists[path[0]];
    const unmatched = findTexts(settings, path).filter(
      ({ text }) => names !== undefined && !names.some((name) => isAbout(path, text, name)),
    );
    return unmatched.map(({ text }): Diagnostic => {
      const key = path.filter((step) => /^[a-z]/.test(step)).join(".");
      const message = `No ${noun} matches ${JSON.stringify(text)}, which ${key} has.`;
      return { code: "POLICY_UNMATCHED", server, tool: "", path: "", message };
    });
  });
}

/** Where a policy names tools, of all servers or as `server__tool`. */
export const OF_POLICY: readonly (readonly string[])[] = ["focusModes", "roles"].flatMap((layer) =>
  ["allow", "deny"].map((list) => ["policy", layer, "*", list, "[]", "names", "[]"]),
);

/** A text of a configuration, or one of its keys. */
interface ConfigText {
  readonly key: KeyPath;
  readonly text: string;
}

/** The texts at a path. Its steps are keys, `*` for any key, `[]` for any item; last `{}` for the keys themselves. */
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
