import { join } from "node:path";
import type { LoadedConfig } from "../config/load-config.js";
import { McpCodegenError } from "../contract/errors.js";
import { getOwn, isJsonObject, type JsonValue } from "../contract/json.js";
import type { LockedTool, Lockfile } from "../contract/lockfile.js";
import type { StaleFile, VectorsReport } from "./reports.js";
import { VECTORS_NAME } from "../contract/lockfile.js";
import { readVectors, writeVectors } from "../files/vectors-on-disk.js";
import { digestOfText, embeddedText, embedTools } from "../agent/search/embed-tools.js";
import type { SearchableTool } from "../agent/search/searchable-tool.js";
import { loadEmbedder } from "./load-embedder.js";

/**
 * Brings the vectors beside the lock up to date; only tools whose texts are new are embedded.
 *
 * @throws McpCodegenError `CONFIG_INVALID`, `DEPENDENCY_MISSING`, `FILE_FAILED`, and `EMBEDDER_FAILED` when the embedder
 *   throws or gives other vectors than it announced
 */
export async function embedLockedTools(
  loaded: LoadedConfig,
  lock: Lockfile,
  embedderName: string,
): Promise<VectorsReport> {
  const path = join(loaded.dir, VECTORS_NAME);
  const [embedder, known] = await Promise.all([loadEmbedder(loaded, embedderName), readVectors(path)]);
  const tools = searchableTools(lock);
  const { vectors, embedded } = await embedTools(tools, embedder, known).catch((cause: unknown) => {
    if (cause instanceof McpCodegenError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new McpCodegenError("EMBEDDER_FAILED", `The tools could not be embedded: ${reason}`, {
      hint: 'Lock and files are written. Run "npx mcp-codegen generate" to embed the tools.',
      cause,
    });
  });
  await writeVectors(path, vectors);
  return { embedded, kept: Object.keys(vectors.vectors).length - embedded };
}

/** Whether the vectors beside the lock are those of its tools; needs no embedder. */
export async function findStaleVectors(loaded: LoadedConfig, lock: Lockfile): Promise<readonly StaleFile[]> {
  const found = await readVectors(join(loaded.dir, VECTORS_NAME));
  if (found === undefined) {
    return [
      {
        path: VECTORS_NAME,
        state: "missing",
        reason: "The tools are not embedded, as search.embedder asks.",
      },
    ];
  }
  const wanted = new Set(
    await Promise.all(searchableTools(lock).map((tool) => digestOfText(embeddedText(tool)))),
  );
  const missing = [...wanted].filter((digest) => getOwn(found.vectors, digest) === undefined).length;
  const isCurrent = missing === 0 && Object.keys(found.vectors).length === wanted.size;
  return isCurrent
    ? []
    : [
        {
          path: VECTORS_NAME,
          state: "stale",
          reason: "The texts of tools have changed since they were embedded.",
        },
      ];
}

function searchableTools(lock: Lockfile): readonly SearchableTool[] {
  return Object.values(lock.servers).flatMap((server) =>
    Object.entries(server.tools).flatMap(([name, tool]) =>
      tool.unusable === undefined ? [toSearchable(name, tool)] : [],
    ),
  );
}

/** With the texts that the generated definition has. */
function toSearchable(name: string, { definition }: LockedTool): SearchableTool {
  const annotations = getOwn(definition, "annotations");
  const title =
    textOf(getOwn(definition, "title")) ??
    (isJsonObject(annotations) ? textOf(getOwn(annotations, "title")) : undefined);
  const description = textOf(getOwn(definition, "description"));
  return { name, ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
