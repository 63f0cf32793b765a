import { basename, join, resolve } from "node:path";
import { keepVectors } from "../../agent/modules/module-files.js";
import { embedTools, measureNearness } from "../../agent/search/create-search-index.js";
import type { SearchableTool } from "../../agent/search/postings.js";
import { readQuery } from "../../agent/search/read-query.js";
import { EMBEDDER, type Embedder } from "../../agent/search/create-tool-search.js";
import { loadModule } from "../../config/load-config.js";
import { omitUndefined, once } from "../../core/collections.js";
import { sha256 } from "../../core/digest.js";
import { McpCodegenError, messageOf } from "../../core/errors.js";
import { findText } from "../../core/json.js";
import { readBounded } from "../../files/read-files.js";
import type { Project } from "../project.js";

function invalid(message: string): McpCodegenError {
  return new McpCodegenError("CONFIG_INVALID", message, {
    hint: "Write `export default { embed: async (texts) => vectors }` into that module.",
  });
}

/**
 * Finds the embedder that the configuration names. It keeps vectors by the digests of their texts and of its module, which is loaded
 * and so run once, by `load` or at the first text without a vector.
 */
async function findEmbedder(project: Project) {
  const { config, dir } = project;
  if (config.embedder === undefined) return undefined;
  const path = resolve(dir, config.embedder);
  const code = await readBounded(path, {
    explain: (cause) =>
      invalid(`"embedder" names "${basename(path)}", which cannot be read: ${messageOf(cause)}`),
  });
  const load = once(async () => {
    const exported = await loadModule(path);
    if (EMBEDDER.is(exported)) return exported as Embedder;
    throw invalid(`"embedder" names "${basename(path)}", whose default export is not an embedder.`);
  });
  const embedder: Embedder = { embed: async (texts, purpose) => (await load()).embed(texts, purpose) };
  const folder = project.cacheFolder(dir);
  if (folder === undefined) return { embedder, load };
  const model = sha256(code);
  return { embedder: keepVectors(embedder, { path: join(folder, "tools.vectors"), model }), load };
}

/**
 * Returns the embedder that the configuration names, loaded; undefined without one.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a module that cannot be loaded, or is not one
 */
export async function openEmbedder(project: Project): Promise<Embedder | undefined> {
  const configured = await findEmbedder(project);
  await configured?.load();
  return configured?.embedder;
}

/** Returns how near tools are to each intent of a query; undefined without an embedder. Throws what the embedder throws. */
export async function measureMeaning(
  project: Project,
  query: string,
  tools: readonly SearchableTool[],
): Promise<readonly Float32Array[] | undefined> {
  const embedder = await openEmbedder(project);
  return embedder && measureNearness(readQuery(query), await embedTools(tools, embedder), embedder);
}

/** Makes the missing vectors of the locked tools, so that no search waits for them. Throws what the embedder throws. */
export async function embedLockedTools(project: Project): Promise<void> {
  const configured = await findEmbedder(project);
  if (configured === undefined) return;
  const { servers } = await project.lockOrEmpty();
  const tools = Object.entries(servers).flatMap(([server, block]) =>
    Object.entries(block.tools).map(([tool, { definition }]) =>
      omitUndefined({
        name: `${server}__${tool}`,
        server,
        title: findText(definition, "title"),
        description: findText(definition, "description"),
      }),
    ),
  );
  await embedTools(tools, configured.embedder);
}
