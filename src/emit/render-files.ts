import { formatHeader } from "../core/generated-file.js";
import { fillFile } from "./fill-file.js";
import type { Format } from "./format-text.js";
import type { FileToRender, Rendered, RenderRefusal, SchemasTask } from "./render-task.js";
import { reasonOfRefusal } from "./tool-schemas.js";

export { diagnoseTool } from "./tool-schemas.js";

/** Files that are formatted at once. */
const BATCH = 12;

/**
 * Returns the outcome of every file, in order: the text with its header, or the refused tools with reasons. Rejects with the
 * first error that does not concern a single tool.
 */
export async function renderFiles(
  files: readonly FileToRender[],
  format: Format,
  onRender?: (done: number, total: number) => void,
): Promise<readonly Rendered[]> {
  const results: Rendered[] = [];
  while (results.length < files.length) {
    const batch = files.slice(results.length, results.length + BATCH);
    // While oxfmt formats a file in a thread, the next one is printed.
    results.push(...(await Promise.all(batch.map((file) => renderFile(file, format)))));
    onRender?.(results.length, files.length);
  }
  return results;
}

async function renderFile({ task, input }: FileToRender, format: Format): Promise<Rendered> {
  try {
    const { text, diagnostics } = fillFile(task);
    return { text: formatHeader(await format(text), input), diagnostics };
  } catch (error) {
    if (task.kind === "tool") return { refused: [{ tool: task.names.tool, reason: reasonOfRefusal(error) }] };
    const refused = task.kind === "schemas" ? await findRefused(task, format) : [];
    if (refused.length === 0) throw error;
    return { refused };
  }
}

async function findRefused(task: SchemasTask, format: Format): Promise<readonly RenderRefusal[]> {
  const refused: RenderRefusal[] = [];
  for (const [at, names] of task.tools.entries()) {
    const { text } = fillFile({
      ...task,
      tools: [names],
      definitions: task.definitions.slice(at, at + 1),
    });
    await format(text).catch((error: unknown) => {
      refused.push({ tool: names.tool, reason: reasonOfRefusal(error) });
    });
  }
  return refused;
}
