import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/contract/json.js";
import type { ToolSnapshot } from "../../../src/contract/snapshot.js";
import { findToolRenames } from "../../../src/drift/renames/find-tool-renames.js";
import { verbOfName } from "../../../src/vocabulary/verbs.js";

const READ = ["get", "list", "search", "find", "query", "read", "show", "view", "fetch", "describe"];
const DESTROY = ["delete", "remove", "destroy", "drop", "purge", "wipe", "erase", "clear"];
/** Nouns that are verbs elsewhere, and one that never is. */
const NOUNS = ["list", "query", "search", "view", "order", "report", "invoice"];

/** The places of a verb in a name. */
const PLACES: readonly ((verb: string, noun: string) => string)[] = [
  (verb, noun) => `${verb}-${noun}`,
  (verb, noun) => `${noun}_${verb}`,
  (verb, noun) => `${verb}${noun.charAt(0).toUpperCase()}${noun.slice(1)}`,
  (verb, noun) => `acme_${verb}_open_${noun}`,
];

const tool = (name: string, annotations?: JsonObject): ToolSnapshot => ({
  name,
  description: "Works on the list of open orders, as the request body says.",
  inputSchema: {
    type: "object",
    properties: { body: { type: "object" }, includeHeaders: { type: "boolean" } },
  },
  ...(annotations !== undefined && { annotations }),
});

const isRename = (before: ToolSnapshot, after: ToolSnapshot): boolean =>
  findToolRenames([before], [after], []).length > 0;

describe("a tool that reads is never renamed to one that destroys, nor the reverse", () => {
  it.each(DESTROY)("by the verb %s, in any place, although the definitions are equal", (destroys) => {
    for (const reads of READ)
      for (const noun of NOUNS)
        for (const place of PLACES)
          for (const other of PLACES) {
            const [reader, destroyer] = [tool(place(reads, noun)), tool(other(destroys, noun))];
            const names = `${reader.name} and ${destroyer.name}`;
            expect(isRename(reader, destroyer), names).toBe(false);
            expect(isRename(destroyer, reader), names).toBe(false);
          }
  });

  it.each<[string, ToolSnapshot, ToolSnapshot]>([
    [
      "annotations, with the same verb",
      tool("run-order", { readOnlyHint: true }),
      tool("run-orders", { readOnlyHint: false, destructiveHint: true }),
    ],
    ["an annotation and a verb", tool("order", { readOnlyHint: true }), tool("delete-order")],
    ["a verb and an annotation", tool("get-order"), tool("order", { destructiveHint: true })],
    [
      "a verb that an annotation denies",
      tool("get-order", { readOnlyHint: true }),
      tool("delete-order", { readOnlyHint: true }),
    ],
  ])("by %s", (_by, before, after) => {
    expect(isRename(before, after)).toBe(false);
    expect(isRename(after, before)).toBe(false);
  });

  it("and not through a search whose noun is a list", () => {
    const before = { ...tool("search"), description: "Runs the query in the body." };
    const after = { ...tool("delete-list"), description: "Create a new object from the body." };
    expect(isRename(before, after)).toBe(false);
  });
});

describe("a rename with the same effect is still found", () => {
  it.each([
    ["get-order", "read-order"],
    ["list-order", "search-order"],
    ["order_get", "fetch_order"],
    ["delete-list", "remove-list"],
    ["wipe-view", "erase-view"],
    ["acme_delete_report", "acme_remove_report"],
  ])("from %s to %s", (before, after) => {
    expect(isRename(tool(before), tool(after))).toBe(true);
  });
});

describe("a noun that is a verb elsewhere", () => {
  const about = (name: string, description: string, keys: readonly string[]): ToolSnapshot => ({
    name,
    description,
    inputSchema: { type: "object", properties: Object.fromEntries(keys.map((key) => [key, {}])) },
  });

  it("is no synonym of a verb", () => {
    const before = about("search", "Runs a query.", ["body", "top"]);
    const after = about("create-list", "Makes a new object.", ["body", "top"]);
    expect(isRename(before, after)).toBe(false);
    expect(isRename(after, before)).toBe(false);
  });
});

describe("the verb of a name", () => {
  it.each([
    ["delete list", "delete"],
    ["list delete", "delete"],
    ["list updates", "list"],
    ["search query", "search"],
    ["search and replace", "replace"],
    ["order create", "create"],
    ["order list", "list"],
    ["track order", "track"],
    ["order", "order"],
    ["create todo task list", "create"],
    ["todo create task list", "create"],
    ["github get order", "get"],
    ["user profile", undefined],
    ["", undefined],
  ])("%s is %s", (name, verb) => {
    expect(verbOfName(name.split(" ").filter(Boolean))).toBe(verb);
  });
});
