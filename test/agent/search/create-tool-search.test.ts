import { describe, expect, it } from "vitest";
import { createToolSearch, type Embedder } from "../../../src/agent/search/create-tool-search.js";

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

  it("names a best tool for each request, also if the scores of words and meaning exceed 1", async () => {
    const certain = {
      name: "list_orders",
      title: "List orders",
      description: "List orders: list all orders.",
    };
    const search = createToolSearch([certain, { ...certain }, ...tools], { embedder: fakeEmbedder() });
    const [best, same] = await search.search("list orders");
    expect([best?.fit, same?.fit]).toEqual(["best", "near"]);
    expect(best?.score).toBeGreaterThan(1.12);
    const both = await search.search("list orders and refund an order", { limit: 2 });
    expect(both.map(({ fit }) => fit)).toEqual(["best", "best"]);
  });

  it("keeps what is not accepted out of both", async () => {
    const search = createToolSearch(tools, { embedder: fakeEmbedder() });
    const found = await search.search("compensate an order", { accepts: ({ server }) => server === "zoo" });
    expect(found.filter(({ tool }) => tool.server !== "zoo")).toEqual([]);
  });

  it("embeds the tools once, before the first search", async () => {
    const embedder = fakeEmbedder();
    const search = createToolSearch(tools, { embedder });
    expect(embedder.asked).toEqual([]);
    await search.search("compensate");
    await search.search("compensate");
    expect(embedder.asked).toEqual([
      "refund order. Pays an order back.",
      "list orders. Every order.",
      "feed animal. Gives food to one.",
      "compensate",
      "compensate",
    ]);
  });

  it("refuses an embedder that returns fewer vectors, or changes their dimension", async () => {
    const fewer = createToolSearch(tools, { embedder: { embed: () => Promise.resolve([]) } });
    await expect(fewer.search("compensate")).rejects.toThrow("returned 0 vectors for 3 texts");
    const embed = (texts: readonly string[], purpose?: string) =>
      Promise.resolve(texts.map(() => new Float32Array(purpose === "query" ? 3 : 2)));
    const other = createToolSearch(tools, { embedder: { embed } });
    const message = "The embedder returned vectors of 2 and 3 dimensions.";
    await expect(other.search("compensate")).rejects.toThrow(message);
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
