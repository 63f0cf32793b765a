import { joinPointer, splitPointer } from "./json-pointer.js";

/**
 * The lists of a server beside its tools: for each, the method that lists it, the key of its entries that identifies
 * one, and how people call one (specification: "Resources", "Prompts"; extension `io.modelcontextprotocol/skills`,
 * SEP-2640).
 */
export const ENTRY_LISTS = {
  prompts: { method: "prompts/list", id: "name", noun: "prompt" },
  resources: { method: "resources/list", id: "uri", noun: "resource" },
  resourceTemplates: { method: "resources/templates/list", id: "uriTemplate", noun: "resource template" },
  skills: { method: "skills/list", id: "uri", noun: "skill" },
} as const satisfies Record<string, { readonly method: string; readonly id: string; readonly noun: string }>;

/** A list of a server beside its tools, by its key in a lock. */
export type EntryList = keyof typeof ENTRY_LISTS;

/** The lists in the order in which they are requested, locked and reported. */
export const ENTRY_LIST_NAMES = [
  "prompts",
  "resources",
  "resourceTemplates",
  "skills",
] as const satisfies readonly EntryList[];

/** Whether a text is the name of a list beside the tools. */
export function isEntryList(name: string | undefined): name is EntryList {
  return name !== undefined && Object.hasOwn(ENTRY_LISTS, name);
}

/** The entry that a change is about. */
export interface EntryPlace {
  readonly list: EntryList;
  readonly id: string;
  /** JSON Pointer into the definition of the entry. */
  readonly path: string;
}

/** Returns the entry that a server's path, such as `/prompts/review/arguments/0`, leads to; undefined for another path. */
export function findEntry(path: string): EntryPlace | undefined {
  const [list, id, ...rest] = splitPointer(path);
  return isEntryList(list) && id !== undefined ? { list, id, path: joinPointer("", ...rest) } : undefined;
}

/** What a configuration may include of a server: its tools, and the lists beside them. */
export const INCLUDES = ["tools", "prompts", "resources", "skills"] as const;
export type Include = (typeof INCLUDES)[number];

/** Returns the lists beside the tools that a configuration includes; templates of resources come with the resources. */
export function includedLists(include: readonly Include[] | undefined): readonly EntryList[] {
  return ENTRY_LIST_NAMES.filter((list) =>
    include?.includes(list === "resourceTemplates" ? "resources" : list),
  );
}

/** Returns the lists of a server, each as `map` returns it. Lists that the server does not have stay absent. */
export function mapLists<T, U>(
  server: { readonly [List in EntryList]?: T | undefined },
  map: (list: T, name: EntryList) => U,
): { readonly [List in EntryList]?: U } {
  return Object.fromEntries(
    ENTRY_LIST_NAMES.flatMap((name) => {
      const list = server[name];
      return list === undefined ? [] : [[name, map(list, name)]];
    }),
  );
}
