import { formatHeader } from "../contract/generated-file.js";
import { fillFile } from "./fill-file.js";
import { loadFormat, type Formatter } from "./format-text.js";
import type { FileToRender, Rendered } from "./render-task.js";

/**
 * Returns the outcome of some planned files, in order: the whole text with its header, or the reason why a tool is
 * refused.
 */
export async function renderBatch(
  files: readonly Pick<FileToRender, "task" | "input">[],
  formatter: Formatter,
): Promise<readonly Rendered[]> {
  const format = await loadFormat(formatter);
  const rendered: Rendered[] = [];
  for (const { task, input } of files) {
    const module = await fillFile(task);
    if ("refused" in module) rendered.push(module);
    else {
      const text = formatHeader(await format(module.text), input);
      rendered.push({ text, diagnostics: module.diagnostics });
    }
  }
  return rendered;
}
