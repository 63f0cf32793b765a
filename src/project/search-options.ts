import { join } from "node:path";
import type { LoadedConfig } from "../config/load-config.js";
import { VECTORS_NAME } from "../contract/lockfile.js";
import type { ToolSearchOptions } from "../agent/search/create-tool-search.js";

/**
 * What a project's tools are searched with. Searching by meaning needs an embedder, and vectors that were made with it;
 * words alone need neither.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for an embedder that is none, `FILE_FAILED` for vectors that cannot be read
 */
export async function searchOptionsOf(
  project: LoadedConfig,
  onWarning: (message: string) => void,
): Promise<Pick<ToolSearchOptions, "embedder" | "vectors">> {
  const name = project.config.search?.embedder;
  if (name === undefined) return {};
  const [{ readVectors }, { loadEmbedder }] = await Promise.all([
    import("../files/vectors-on-disk.js"),
    import("../pipeline/load-embedder.js"),
  ]);
  const vectors = await readVectors(join(project.dir, VECTORS_NAME));
  if (vectors !== undefined) return { embedder: await loadEmbedder(project, name), vectors };
  onWarning('Searching by words alone: run "npx mcp-codegen generate" to embed the tools.');
  return {};
}
