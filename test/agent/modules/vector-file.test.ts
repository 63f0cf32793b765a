/** Vectors that are kept in a file. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { keepVectors } from "../../../src/agent/modules/vector-file.js";
import { createToolSearch, type Embedder } from "../../../src/agent/search/create-tool-search.js";

const dir = mkdtempSync(join(tmpdir(), "mcp-codegen-vectors-"));
afterAll(() => {
  rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
});

function countingEmbedder(): Embedder & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    embed: (texts) => {
      asked.push(...texts);
      return Promise.resolve(texts.map((text) => Float32Array.of(text.length, 0.1, -1)));
    },
  };
}

test("vectors of tools are embedded once for each text and model, and queries are not kept", async () => {
  const path = join(dir, "vectors");
  const first = countingEmbedder();
  const tools = [{ name: "list_orders" }, { name: "get_order" }];
  const search = createToolSearch(tools, { embedder: keepVectors(first, { path, model: "a" }) });
  await search.search("orders of today");
  expect(first.asked).toEqual(["list orders", "get order", "orders of today"]);

  const second = countingEmbedder();
  const kept = keepVectors(second, { path, model: "a" });
  const texts = ["get order", "new tool", "new tool"];
  expect(await kept.embed(texts, "tool")).toEqual(await countingEmbedder().embed(texts));
  expect(second.asked).toEqual(["new tool"]);
  expect(readFileSync(path, "utf8")).not.toMatch(/order|today|new tool/);
  expect(readFileSync(path, "utf8").trim().split("\n")).toHaveLength(3);

  const other = countingEmbedder();
  await keepVectors(other, { path, model: "b" }).embed(["get order"], "tool");
  expect(other.asked).toEqual(["get order"]);
});

test("a line that another process has not finished is ignored", async () => {
  const path = join(dir, "broken");
  await keepVectors(countingEmbedder(), { path, model: "a" }).embed(["get order"], "tool");
  const [line = ""] = readFileSync(path, "utf8").split("\n");
  rmSync(path);
  appendFileSync(path, `garbage\n${line.slice(0, -4)}`);
  const embedder = countingEmbedder();
  await keepVectors(embedder, { path, model: "a" }).embed(["get order"], "tool");
  expect(embedder.asked).toEqual(["get order"]);
});
