import { basename, join, resolve } from "node:path";
import { keepVectors } from "../../agent/modules/module-files.js";
import { embedTools, measureNearness } from "../../agent/search/create-search-index.js";
import type { SearchableTool } from "../../agent/search/postings.js";
import { readQuery } from "../../agent/search/read-query.js";
import type { Embedder } from "../../agent/search/create-tool-search.js";
import { loadModule } from "../../config/load-module.js";
import { omitUndefined } from "../../core/collections.js";
import { withMethods } from "../../core/check-options.js";
import { sha256 } from "../../core/digest.js";
import { McpCodegenError, messageOf } from "../../core/errors.js";
import { findText } from "../../core/json.js";
import { readBounded } from "../../files/read-files.js";
import type { Project } from "../project.js";

const EMBEDDER = withMethods("an object with the method embed(texts)", "embed");

function isEmbedder(value: unknown): value is Embedder {
  return EMBEDDER.is(value);
}

function invalid(message: string): McpCodegenError {
  return new McpCodegenError("CONFIG_INVALID", message, {
    hint: "Write `export default { embed: async (texts) => vectors }` into that module.",
  });
}

/**
 * Returns the embedder that the configuration names; undefined without one. It keeps the vectors of tools in the cache, by the
 * digests of their texts and of its module. Importing the module runs it.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a module that cannot be loaded, or is not one
 */
export async function openEmbedder(project: Project): Promise<Embedder | undefined> {
  const { config, dir } = project;
  if (config.embedder === undefined) return undefined;
  const path = resolve(dir, config.embedder);
  const code = await readBounded(path, {
    explain: (cause) =>
      invalid(`"embedder" names "${basename(path)}", which cannot be read: ${messageOf(cause)}`),
  });
  const embedder = await loadModule(path);
  if (!isEmbedder(embedder))
    throw invalid(`"embedder" names "${basename(path)}", which exports no embedder by default.`);
  const folder = project.cacheFolder(dir);
  if (folder === undefined) return embedder;
  return keepVectors(embedder, { path: join(folder, "tools.vectors"), model: sha256(code) });
}

/** Returns how near tools are to each intent of a query; undefined without an embedder. Throws what the embedder throws. */
export async function measureNearnessIn(
  project: Project,
  query: string,
  tools: readonly SearchableTool[],
): Promise<readonly Float32Array[] | undefined> {
  const embedder = await openEmbedder(project);
  return embedder && measureNearness(readQuery(query), await embedTools(tools, embedder), embedder);
}

/** Makes the vectors of the locked tools, so that no search waits for them. Throws what the embedder throws. */
export async function embedLockedTools(project: Project): Promise<void> {
  const embedder = await openEmbedder(project);
  if (embedder === undefined) return;
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
  await embedTools(tools, embedder);
}
