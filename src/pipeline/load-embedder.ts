import { join } from "node:path";
import type { LoadedConfig } from "../config/load-config.js";
import { loadModule } from "../config/load-module.js";
import { McpCodegenError } from "../contract/errors.js";
import type { Embedder } from "../agent/search/embedder.js";

/** The embedder that this package exports. */
const OWN = "mcp-codegen/embedder";

/**
 * The embedder that a configuration names: our own, or the default export of a module of the user's.
 *
 * @throws McpCodegenError `CONFIG_INVALID`
 */
export async function loadEmbedder({ dir }: LoadedConfig, name: string): Promise<Embedder> {
  if (name === OWN) return (await import("../agent/search/energetic-embedder.js")).default;
  if (!name.startsWith(".")) {
    throw new McpCodegenError(
      "CONFIG_INVALID",
      `search.embedder: "${name}" is neither "${OWN}" nor a path.`,
      {
        hint: 'Write a module whose default export is an Embedder, and its path, such as "./embedder.ts".',
      },
    );
  }
  const embedder = await loadModule(join(dir, name));
  if (isEmbedder(embedder)) return embedder;
  throw new McpCodegenError("CONFIG_INVALID", `The default export of "${name}" is no embedder.`, {
    hint: "It needs an id, the number of dimensions, and a function embed(texts).",
  });
}

function isEmbedder(value: unknown): value is Embedder {
  if (typeof value !== "object" || value === null) return false;
  if (!("id" in value) || !("dimensions" in value) || !("embed" in value)) return false;
  return (
    typeof value.id === "string" &&
    Number.isSafeInteger(value.dimensions) &&
    Number(value.dimensions) > 0 &&
    typeof value.embed === "function"
  );
}
