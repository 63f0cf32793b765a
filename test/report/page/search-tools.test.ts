import { expect, it } from "vitest";
import { createSearch } from "../../../src/report/page/browser/search-tools.js";
import type { PageTool } from "../../../src/report/page/page-data.js";

function toolOf(name: string, more: Partial<PageTool> = {}): PageTool {
  return {
    ...{ server: "shop", name, description: "", category: "stock", tokens: 1, isEstimate: false },
    ...{ effect: "reads" as const, input: {} },
    ...more,
  };
}

const TOOLS = [
  toolOf("get-order"),
  toolOf("move-stock", {
    input: { properties: { customer: { properties: { postcode: {} } }, state: { anyOf: [{ enum: ["pending", "shipped"] }, { const: "lost" }] } } },
    output: { properties: { warehouse: { items: { properties: { shelf: {} } } } } },
  }),
]; // prettier-ignore
const search = createSearch(TOOLS);

it.each(["postcode", "shelf", "shipped", "lost", "move-st", "stock MOVE"])("finds a tool by %s", (query) => {
  expect(search(query).map(({ name }) => name)).toEqual(["move-stock"]);
});

it("finds nothing for a word that no tool has, and all tools without a word", () => {
  expect(search("zebra")).toEqual([]);
  expect(search(" ")).toEqual(TOOLS);
});
