import type { SearchableTool } from "../agent/search/postings.js";
import { explainEmbedder } from "../agent/toolset/find-tools.js";
import { codeOf } from "../core/errors.js";
import type { Project } from "../project/project.js";
import { type Context, printWarning, redirectConsole } from "./context.js";

/**
 * Returns how near tools are to a query in meaning; undefined without an embedder in the configuration, and with a warning if it
 * fails.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a module that is not an embedder
 */
export async function tryMeasureMeaning(
  context: Context,
  project: Project,
  query: string,
  tools: readonly SearchableTool[],
): Promise<readonly Float32Array[] | undefined> {
  return withEmbedder(context, project, async ({ measureMeaning }) => measureMeaning(project, query, tools));
}

/**
 * Makes the vectors of the locked tools, so that no search waits for them, if the configuration names an embedder.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a module that is not an embedder
 */
export async function tryEmbedLockedTools(context: Context, project: Project): Promise<void> {
  await withEmbedder(context, project, async ({ embedLockedTools }) => embedLockedTools(project));
}

/** Most projects name no embedder. */
const loadEmbedding = async () => import("../project/tools/embedder.js");

/** The search also works by words, so an embedder that fails is a warning. */
async function withEmbedder<T>(
  context: Context,
  project: Project,
  work: (embedding: Awaited<ReturnType<typeof loadEmbedding>>) => Promise<T>,
): Promise<T | undefined> {
  if (project.config.embedder === undefined) return undefined;
  const embedding = await loadEmbedding();
  try {
    return await redirectConsole(context.io, () => work(embedding));
  } catch (error) {
    if (codeOf(error) === "CONFIG_INVALID") throw error;
    printWarning(context, explainEmbedder(error));
    return undefined;
  }
}
