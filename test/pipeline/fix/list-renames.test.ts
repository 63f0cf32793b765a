import { describe, expect, it } from "vitest";
import type { Change } from "../../../src/core/change.js";
import { McpCodegenError } from "../../../src/core/errors.js";
import { nameOfRename, toolRenamesNamed } from "../../../src/core/rename.js";
import { lockOf } from "../../emit/golden-cases.js";
import { listRenames, uniqueRenames } from "../../../src/pipeline/fix/list-renames.js";

const base = { class: "breaking", security: false, server: "shop", impacts: [] } as const;

const toolRenamed = (tool: string, after: string): Change => ({
  ...{ ...base, rule: "tool-renamed", tool, path: "", before: tool, after, confidence: 0.8 },
});

const propertyRenamed = (tool: string, before: string, after: string): Change => ({
  ...{ ...base, rule: "input-property-renamed", tool, before, after, confidence: 0.8 },
  path: `/inputSchema/properties/${after}`,
});

/** The renames that a name selects among changes, as they are printed. */
function select(named: string, changes: readonly Change[], tools: readonly string[] = []): readonly string[] {
  const { certain } = listRenames(changes, [named], lockOf({ servers: {} }, { shop: tools }));
  return certain.map(({ kind, tool, before, after }) => `${kind} ${tool} ${before} ${after}`);
}

function errorOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof McpCodegenError) return `${error.code}: ${error.message} ${error.hint ?? ""}`;
  }
  throw new Error("There is no error.");
}

describe("the name of a rename", () => {
  it("means the tool with dots in its name", () => {
    const changes = [
      toolRenamed("orders.get", "fetch_order"),
      propertyRenamed("orders.find", "limit", "max"),
    ];
    expect(select("shop/orders.get=fetch_order", changes)).toEqual([
      "tool orders.get orders.get fetch_order",
    ]);
    expect(select("shop/orders.find.limit=max", changes)).toEqual(["property orders.find limit max"]);
  });

  it("means the property of the tool that the lock has", () => {
    expect(select("shop/orders.get=fetch", [propertyRenamed("orders", "get", "fetch")])).toEqual([
      "property orders get fetch",
    ]);
  });

  it("is refused if it means several, until its parts are quoted", () => {
    const changes = [toolRenamed("orders.get", "fetch"), propertyRenamed("orders", "get", "fetch")];
    expect(errorOf(() => select("shop/orders.get=fetch", changes))).toBe(
      'USAGE: The rename "shop/orders.get=fetch" is ambiguous. Quote the parts: \'shop/"orders.get"=fetch\' (a tool), \'shop/"orders"."get"=fetch\' (a property).',
    );
    expect(select('shop/"orders.get"=fetch', changes)).toEqual(["tool orders.get orders.get fetch"]);
    expect(select('shop/"orders"."get"=fetch', changes)).toEqual(["property orders get fetch"]);
  });

  it("is printed so that it has one meaning", () => {
    const changes = [
      ...[toolRenamed("orders.get", "fetch"), toolRenamed("a=b", "c"), toolRenamed("a", "b=c")],
      ...[propertyRenamed("orders", "get", "fetch"), propertyRenamed("find_orders", "limit", "max")],
    ];
    const { guessed } = listRenames(changes, [], lockOf({ servers: {} }, {}));
    const names = uniqueRenames(guessed).map(nameOfRename);
    expect(names).toEqual([
      'shop/"orders.get"=fetch',
      'shop/"a=b"=c',
      "shop/a=b=c",
      "shop/orders.get=fetch",
      "shop/find_orders.limit=max",
    ]);
  });

  it("names the tool that the lock had, if nothing of it was renamed", () => {
    const message = errorOf(() => select("shop/orders.get=fetch", [], ["orders.get"]));
    expect(message).toContain("the changes of the lock do not include it");
    expect(errorOf(() => select("shop/orders.get.id=key", [], ["orders"]))).toContain("do not include it");
    expect(errorOf(() => select('shop/"orders.gt"=fetch', [], ["orders.get"]))).toContain(
      'server "shop" had no tool "orders.gt"',
    );
  });
});

it.each([
  ["shop/get_order", 'it has no "="'],
  ["get_order=fetch_order", 'it names no server. Write "shop/get_order=fetch_order".'],
  ["store/get_order=fetch_order", 'there is no locked server "store"'],
  [
    "shop/get_order.limit=max",
    'tool "get_order" was renamed to "fetch_order". Name it by its new name: "shop/fetch_order.limit=max".',
  ],
  ["shop/fetch_order.limt=max", 'do not include it. Did you mean "shop/fetch_order.limit=max"?'],
  ["shop/fetch_order.page.limit=max", 'Did you mean "shop/fetch_order.limit=max"?'],
])("says what is wrong with %s", (name, message) => {
  const changes = [toolRenamed("get_order", "fetch_order"), propertyRenamed("fetch_order", "limit", "max")];
  expect(errorOf(() => select(name, changes, ["get_order"]))).toContain(message);
});

it.each([
  ["shop/get_order=fetch_order", "get_order"],
  ['shop/"orders.get"=fetch_order', "orders.get"],
  ["shop/orders.get=fetch_order", "orders.get"],
])("reads %s as the rename of a tool", (name, before) => {
  expect(toolRenamesNamed([name])).toEqual([{ server: "shop", before, after: "fetch_order", confidence: 1 }]);
});

it("reads no rename where a part is missing", () => {
  expect(toolRenamesNamed(["shop/get_order", "get_order=fetch_order", "shop/=x", "shop/a="])).toEqual([]);
});
