import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { generate } from "../../../pipeline/generate/generate.js";
import { outputOf } from "../../../pipeline/places.js";
import { printGenerate } from "../../../report/print-generate.js";
import type { Runner } from "../../command-spec.js";
import { today } from "../../context.js";
import { loadProject } from "../../load-project.js";
import { adviseImports } from "../../missing-packages.js";
import { showRendering } from "../../show-progress.js";
import type { GENERATE_FLAGS } from "./spec.js";

/** Writes the code from the lock. Throws as `generate` of the pipeline does. */
export const runGenerate: Runner<typeof GENERATE_FLAGS> = async (context, _servers, options) => {
  const loaded = await loadProject(context);
  const rendering = showRendering(context);
  const report = await generate(loaded, {
    workers: availableParallelism(),
    onRender: rendering.onRender,
    today: today(),
    force: options.force,
    full: options.full,
  }).finally(rendering.close);
  const output = outputOf(loaded);
  context.print(
    printGenerate(report, { paint: context.paint, output: relative(context.io.cwd, output) || "." }),
  );
  context.print(await adviseImports(context, loaded.dir, output, report.written.length > 0));
  context.printDocument({ report: "generate", exitCode: 0, ...report });
  return 0;
};
