import { formatHeader } from "../core/generated-file.js";
import { fillFile } from "./fill-file.js";
import { loadFormat, type Format, type Formatter } from "./format-text.js";
import type { FileToRender, Refusal, Rendered, SchemasTask } from "./render-task.js";
import { reasonOfRefusal } from "./tool-schemas.js";

type Unrendered = Pick<FileToRender, "task" | "input">;

/**
 * Returns the outcome of some planned files, in order: the whole text with its header, or the tools that must be left
 * out, with the reasons.
 */
export async function renderBatch(
  files: readonly Unrendered[],
  formatter: Formatter,
): Promise<readonly Rendered[]> {
  const format = await loadFormat(formatter);
  const rendered: Rendered[] = [];
  for (const file of files) rendered.push(await renderFile(file, format));
  return rendered;
}

async function renderFile({ task, input }: Unrendered, format: Format): Promise<Rendered> {
  try {
    const { text, diagnostics } = await fillFile(task);
    return { text: formatHeader(await format(text), input), diagnostics };
  } catch (error) {
    if (task.kind === "tool") return { refused: [{ tool: task.names.tool, reason: reasonOfRefusal(error) }] };
    const refused = task.kind === "schemas" ? await findRefused(task, format) : [];
    if (refused.length === 0) throw error;
    return { refused };
  }
}

/** Returns the tools whose raw schemas cannot be printed in a module of their own. */
async function findRefused(task: SchemasTask, format: Format): Promise<readonly Refusal[]> {
  const refused: Refusal[] = [];
  for (const [at, names] of task.tools.entries()) {
    const { text } = await fillFile({
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
