import { formatHeader } from "../contract/generated-header.js";
import { fillFile } from "./fill-file.js";
import { formatText, formatTexts, type FormatOptions } from "./format-text.js";
import type { FileToRender, Rendered } from "./render-task.js";
import { insertLiteral, PLACEHOLDER } from "./tool-literal.js";

/**
 * The outcome of a few planned files, in the order given: the whole text, header included, or why a tool is refused.
 * A tool's definition is often a quarter of its module and plain JSON, so it is printed apart where it can be.
 */
export async function renderBatch(
  files: readonly Pick<FileToRender, "task" | "input">[],
  options: FormatOptions,
): Promise<readonly Rendered[]> {
  const filled = [];
  for (const { task, input } of files) filled.push({ input, module: await fillFile(task) });
  const texts = filled.flatMap(({ module }) => ("refused" in module ? [] : [module.fill(PLACEHOLDER)]));
  const outlines = (await formatTexts(texts, options)).values();
  const rendered: Rendered[] = [];
  for (const { input, module } of filled) {
    if ("refused" in module) {
      rendered.push(module);
      continue;
    }
    const { fill, inputSchema, diagnostics } = module;
    const outline = outlines.next().value ?? "";
    const text =
      inputSchema === undefined
        ? outline
        : (insertLiteral(outline, inputSchema, options) ?? (await formatText(fill(), options)));
    rendered.push({ text: formatHeader(text, input), diagnostics });
  }
  return rendered;
}
