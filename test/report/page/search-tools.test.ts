import { expect, it } from "vitest";
import { createSearch } from "../../../src/report/page/browser/search-tools.js";
import type { PageTool } from "../../../src/report/page/page-data.js";

function toolOf(name: string, more: Partial<PageTool> = {}): PageTool {
  return {
    ...{ server: "shop", name, description: "", category: "stock", tokens: 1, isEstimate: false },
    ...{ effect: "reads" as const, hints: [], input: {} },
    ...more,
  };
}

const TOOLS = [
  toolOf("get-order"),
  toolOf("move-stock", {
    generatedName: "moveStock",
    input: {
      properties: {
        customer: { properties: { postcode: {} } },
        state: { anyOf: [{ enum: ["pending", "shipped"] }, { const: "lost" }] },
      },
    },
    output: { properties: { warehouse: { items: { properties: { shelf: {} } } } } },
  }),
];
const search = createSearch(TOOLS);

it.each(["postcode", "shelf", "shipped", "lost", "moveStock", "movest", "move-stock"])(
  "finds a tool by %s",
  (query) => {
    expect(search(query).map(({ name }) => name)).toEqual(["move-stock"]);
  },
);

it("finds nothing for a word that no tool has, and all tools without a word", () => {
  expect(search("zebra")).toEqual([]);
  expect(search(" ")).toEqual(TOOLS);
});

it("reads a bounded part of a schema that is very large", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 50_000 }, (_, at) => [`p${at}`, { type: "string" }]),
  );
  const large = createSearch([toolOf("large", { input: { properties } })]);
  expect(large("p1").map(({ name }) => name)).toEqual(["large"]);
});
