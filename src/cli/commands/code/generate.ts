import { relative } from "node:path";
import { quoteAll } from "../../../core/collections.js";
import { OBSERVED_NAME } from "../../../core/observed.js";
import { printable } from "../../../core/printable.js";
import { generate } from "../../../pipeline/generate/generate.js";
import type { LearnReport } from "../../../pipeline/learn.js";
import { count, type Paint, present } from "../../../report/layout.js";
import { printGenerate } from "../../../report/print-generate.js";
import { orAll, type Runner, usageError } from "../../command-spec.js";
import type { Context } from "../../context.js";
import { loadProject } from "../../load-project.js";
import type { OptionValues } from "../../options.js";
import { adviseImports } from "../setup/examine-tsconfig.js";
import { tryEmbedLockedTools } from "../../search-by-meaning.js";
import { showRendering } from "../../show-progress.js";
import type { GENERATE_FLAGS } from "./spec.js";

/** Writes the code from the lock, or learns output schemas. Throws as `generate` of the pipeline does. */
export const runGenerate: Runner<typeof GENERATE_FLAGS> = async (context, servers, options) => {
  if (options.learn === true) return learnSchemas(context, servers, options);
  if (servers.length > 0)
    throw usageError(
      `generate takes names of servers only with --learn, not ${JSON.stringify(servers[0])}.`,
      "Remove them: generate writes the code of all servers.",
    );
  const project = await loadProject(context);
  const rendering = showRendering(context);
  const report = await generate(project, {
    onRender: rendering.onRender,
    force: options.force,
    trusts: options.full === true ? "nothing" : undefined,
  }).finally(rendering.close);
  const { output } = project;
  context.print(
    printGenerate(report, { paint: context.paint, output: relative(context.io.cwd, output) || "." }),
  );
  const advice = await adviseImports(context, project, report.written.length > 0);
  await tryEmbedLockedTools(context, project);
  return context.report({ report: "generate", exitCode: 0, ...report }, advice);
};

async function learnSchemas(
  context: Context,
  servers: readonly string[],
  { from, fresh }: OptionValues<typeof GENERATE_FLAGS>,
): Promise<number> {
  const { learn } = await import("../../../pipeline/learn.js");
  const report = await learn(await loadProject(context), {
    servers: orAll(servers),
    cassettes: from,
    isFresh: fresh,
  });
  if (from !== undefined && report.files === 0)
    throw usageError(
      `No cassette is in ${quoteAll(from)}.`,
      "Pass --from a folder that call --record or MCP_CODEGEN_RECORD wrote.",
    );
  return context.report({ report: "learn", exitCode: 0, ...report }, printLearned(report, context.paint));
}

const WORDS = {
  structured: "structured content",
  json: "JSON texts",
  text: "texts that are not JSON, so they get no type",
} as const;

const TYPED =
  "Generated code returns these answers with their types, no longer as { text, content }. Code that reads .text passes onContent to the call: node_modules/mcp-codegen/docs/testing.md#types-of-answers";

function printLearned({ tools, files, unrecorded, wrote }: LearnReport, paint: Paint): readonly string[] {
  const rest = present(
    unrecorded > 0 &&
      paint.dim(`${count(unrecorded, "other tool")} without an output schema: no answer is recorded.`),
  );
  if (files === 0)
    return [
      "No cassette was found.",
      paint.dim(
        'Record calls first: "npx mcp-codegen call --record <tool>", or run a program with MCP_CODEGEN_RECORD=cassettes/sample.',
      ),
    ];
  if (tools.length === 0 && !wrote)
    return [
      `Nothing to learn: ${count(files, "file")} of cassettes, and no answer of a tool without an output schema.`,
      ...rest,
    ];
  const isTyped = tools.some(({ status, answers }) => status === "new" && answers !== "text");
  return [
    `Learned from ${count(files, "file")} of cassettes:`,
    ...tools.map(
      ({ server, tool, status, samples, answers }) =>
        `  ${printable(server, 80)} ${paint.bold(printable(tool, 80))} ${status}: ${count(samples, "answer")}, ${WORDS[answers]}`,
    ),
    ...rest,
    ...(isTyped ? [TYPED] : []),
    wrote
      ? `Wrote ${OBSERVED_NAME}. Commit it, and run ${paint.bold("npx mcp-codegen generate")}.`
      : `${OBSERVED_NAME} is up to date.`,
  ];
}
