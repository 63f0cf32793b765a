/** Tools that do opposite things are never the same tool under a new name, however much their definitions have in common. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import type { ToolSnapshot } from "../../../src/core/snapshot.js";
import { diffTools } from "../../../src/drift/diff-tools.js";
import { findToolRenames } from "../../../src/drift/renames/find-tool-renames.js";

const DEFINITION = {
  description: "Acts on the orders of a shop, with a body and headers.",
  inputSchema: { type: "object", properties: { body: { type: "object" }, headers: { type: "boolean" } } },
};
const tool = (name: string, annotations?: JsonObject): ToolSnapshot => ({
  name,
  ...DEFINITION,
  ...(annotations !== undefined && { annotations }),
});
const isRename = (before: ToolSnapshot, after: ToolSnapshot): boolean =>
  findToolRenames([before], [after], []).renames.length > 0;

const VERBS = {
  read: ["search", "list", "get", "find", "show", "view", "query", "read"],
  write: ["create", "update", "add", "set", "send", "write", "publish", "save"],
  destroy: ["delete", "remove", "wipe", "purge", "drop", "cancel", "revoke", "clear"],
} as const;
const EFFECTS = ["read", "write", "destroy"] as const;

/** The positions of the verb, with nouns that are verbs elsewhere. */
const POSITIONS: Readonly<Record<string, (verb: string) => string>> = {
  alone: (verb) => verb,
  first: (verb) => `${verb}_orders`,
  last: (verb) => `orders_${verb}`,
  "first, in camel case": (verb) => `${verb}ShopOrder`,
  "first, before a list": (verb) => `${verb}-order-list`,
  "after a prefix, before a list": (verb) => `shop_${verb}_list`,
  "between a prefix and a version": (verb) => `shop_${verb}OrderV1`,
};

const cases = EFFECTS.flatMap((was) =>
  EFFECTS.filter((is) => is !== was).flatMap((is) =>
    Object.keys(POSITIONS).map((position) => [was, is, position] as const),
  ),
);

describe("tools with equal definitions", () => {
  it.each(cases)("are not one tool if their verbs are to %s and to %s: %s", (was, is, position) => {
    const named = POSITIONS[position] ?? String;
    const claimed = VERBS[was].flatMap((verb) =>
      VERBS[is].flatMap((other) =>
        isRename(tool(named(verb)), tool(named(other))) ? [`${named(verb)} > ${named(other)}`] : [],
      ),
    );
    expect(claimed).toEqual([]);
  });

  it("are not one tool if a verb is in any position of either name", () => {
    const name = fc
      .tuple(fc.constantFrom(...EFFECTS), fc.constantFrom(...Object.values(POSITIONS)), fc.nat(7))
      .map(([effect, named, index]) => ({ effect, name: named(VERBS[effect][index] ?? "") }));
    fc.assert(
      fc.property(name, name, (was, is) => {
        fc.pre(was.effect !== is.effect);
        return !isRename(tool(was.name), tool(is.name));
      }),
      { numRuns: 500 },
    );
  });

  const NOUNS = ["list", "query", "search", "view", "order", "report", "invoice"];
  const PLACES: readonly ((verb: string, noun: string) => string)[] = [
    (verb, noun) => `${verb}-${noun}`,
    (verb, noun) => `${noun}_${verb}`,
    (verb, noun) => `${verb}${noun.charAt(0).toUpperCase()}${noun.slice(1)}`,
    (verb, noun) => `acme_${verb}_open_${noun}`,
  ];

  it.each(VERBS.destroy)(
    "are not one tool if one reads, whatever nouns are verbs elsewhere: %s",
    (destroys) => {
      const claimed = VERBS.read.flatMap((reads) =>
        NOUNS.flatMap((noun) =>
          PLACES.flatMap((place) =>
            PLACES.flatMap((other) => {
              const [reader, destroyer] = [tool(place(reads, noun)), tool(other(destroys, noun))];
              const isClaimed = isRename(reader, destroyer) || isRename(destroyer, reader);
              return isClaimed ? [`${reader.name}, ${destroyer.name}`] : [];
            }),
          ),
        ),
      );
      expect(claimed).toEqual([]);
    },
  );

  const [reads, writes, destroys] = [
    { readOnlyHint: true },
    { readOnlyHint: false },
    { destructiveHint: true },
  ];

  const ROWS: [string, ToolSnapshot, ToolSnapshot][] = [
    ["one is annotated to read and one to write", tool("order", reads), tool("order_now", writes)],
    ["one is annotated to read and one to destroy", tool("order", reads), tool("order_now", destroys)],
    ["one is annotated to read, and the verb of the other deletes", tool("order", reads), tool("delete_order")],
    ["one is annotated to destroy, and the verb of the other reads", tool("order", destroys), tool("get_order")],
    ["the annotations agree and the verbs do not", tool("search", destroys), tool("delete-list", destroys)],
    ["the verbs agree and the annotations do not", tool("get_order", reads), tool("order_get", destroys)],
  ]; // prettier-ignore

  it.each(ROWS)("are not one tool if %s", (_what, one, other) => {
    expect([isRename(one, other), isRename(other, one)]).toEqual([false, false]);
  });

  it.each([
    ["search_orders", "find_orders"],
    ["orders_list", "search_orders"],
    ["delete_order", "remove_order"],
    ["cancel_order", "order_cancel"],
    ["delete-list", "remove-list"],
    ["run_orders", "orders_execute"],
    ["list-order", "search-order"],
    ["order_get", "fetch_order"],
    ["wipe-view", "erase-view"],
    ["acme_delete_report", "acme_remove_report"],
  ])("are one tool if their verbs do the same: %s and %s", (one, other) => {
    expect([isRename(tool(one), tool(other)), isRename(tool(other), tool(one))]).toEqual([true, true]);
  });
});

/** The effect of the last two is the same or unknown, so that only the meaning of "list" matters. */
const LISTS = ["delete-list", "create-list", "get-list", "export-list"];

it.each(LISTS)("does not take the list of %s for a search", (name) => {
  const search: ToolSnapshot = { ...tool("search"), description: "Runs the query in the body." };
  const list: ToolSnapshot = { ...tool(name), description: "Create a new object from the body." };
  expect(diffTools([search], [list]).map(({ rule }) => rule)).toEqual(["tool-added", "tool-removed"]);
});
