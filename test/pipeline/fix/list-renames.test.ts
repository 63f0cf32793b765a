import { expect, it } from "vitest";
import type { Change } from "../../../src/core/change.js";
import { nameOfRename } from "../../../src/core/rename.js";
import { lockOf } from "../../emit/golden-cases.js";
import { listRenames } from "../../../src/pipeline/fix/list-renames.js";

const base = { class: "breaking", security: false, server: "shop", impacts: [] } as const;

const toolRenamed = (tool: string, after: string, confidence?: number): Change => ({
  ...{ ...base, rule: "tool-renamed", tool, path: "", before: tool, after },
  ...(confidence !== undefined && { confidence }),
});

const property = (rule: string, tool: string, name: string, before?: string): Change => ({
  ...{ ...base, rule, tool, path: `/inputSchema/properties/${name}` },
  ...(before !== undefined && { before, after: name, confidence: 0.8 }),
});

const CHANGES = [
  toolRenamed("orders.get", "fetch_order", 0.9),
  toolRenamed("read_bill", "get_bill"),
  toolRenamed("read_cart", "delete_cart"),
  property("input-property-renamed", "fetch_order", "max", "limit"),
  property("input-property-removed", "find", "page"),
  property("input-optional-property-added", "find", "offset"),
  property("input-required-property-added", "find", "size"),
];

function errorOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

function list(
  ...named: readonly string[]
): readonly [certain: readonly string[], guessed: readonly string[]] {
  const config = { servers: { shop: { file: "tools.json" } } };
  const locks = {
    before: lockOf(config, { shop: ["read_bill", "read_cart"] }),
    after: lockOf(config, { shop: ["get_bill", "delete_cart"] }),
  };
  const { certain, guessed } = listRenames(CHANGES, named, locks, "HEAD");
  return [certain.map(nameOfRename), guessed.map(nameOfRename)];
}

const GUESSES = ["shop/orders.get=fetch_order", "shop/read_cart=delete_cart", "shop/fetch_order.limit=max"];

it("takes declared renames for certain, except to a tool with the opposite effect", () => {
  expect(list()).toEqual([["shop/read_bill=get_bill"], GUESSES]);
});

it.each([...GUESSES, "shop/find.page=offset", "shop/find.page=size"])(
  "applies %s to whom names it",
  (name) => {
    const [certain, guessed] = list(name);
    expect(certain.toSorted()).toEqual(["shop/read_bill=get_bill", name].toSorted());
    expect(guessed).toEqual(GUESSES.filter((one) => one !== name));
  },
);

it.each([
  ["shop/get_order", "get_order=fetch_order", "store/read_bill=get_bill"],
  // Values were renamed once.
  ["shop/find.status:PAID=paid", 'shop/"orders.get"=fetch_order', "shop/find.offset=page"],
])("refuses %s, %s and %s, and shows what can be named", (...names) => {
  for (const name of names) {
    const error = errorOf(() => list(name));
    expect(error).toMatchObject({
      code: "USAGE",
      message: `Unknown rename ${JSON.stringify(name)}: the changes of the lock do not include it.`,
      hint: expect.stringMatching(/"shop\/orders\.get=fetch_order".* Values are not renamed: /) as string,
    });
  }
});
