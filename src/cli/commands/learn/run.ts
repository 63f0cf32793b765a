import { OBSERVED_NAME } from "../../../core/observed.js";
import { printable } from "../../../core/printable.js";
import { learn, type LearnReport } from "../../../pipeline/learn.js";
import { count, type Paint } from "../../../report/layout.js";
import type { Runner } from "../../command-spec.js";
import { loadProject } from "../../load-project.js";
import type { LEARN_FLAGS } from "./spec.js";

/** Learns the output schemas of tools that declare none from recorded answers. */
export const runLearn: Runner<typeof LEARN_FLAGS> = async (context, servers, { from, fresh }) => {
  const report = await learn(await loadProject(context), {
    servers: servers.length > 0 ? servers : undefined,
    cassettes: from,
    isFresh: fresh,
  });
  context.print(printLearned(report, context.paint));
  context.printDocument({ report: "learn", exitCode: 0, ...report });
  return 0;
};

const WORDS = {
  structured: "structured content",
  json: "JSON texts",
  text: "texts that are not JSON, so they get no type",
} as const;

function printLearned({ tools, files, unrecorded, wrote }: LearnReport, paint: Paint): readonly string[] {
  const lines = tools.map(
    ({ server, tool, status, samples, answers }) =>
      `  ${printable(server, 80)} ${paint.bold(printable(tool, 80))} ${status}: ${count(samples, "answer")}, ${WORDS[answers]}`,
  );
  const isTyped = tools.some(({ status, answers }) => status === "new" && answers !== "text");
  const typed = isTyped
    ? [
        "Generated code returns these answers with their types, no longer as { text, content }. Code that reads .text passes onContent to the call: node_modules/mcp-codegen/docs/answers.md",
      ]
    : [];
  const rest =
    unrecorded === 0
      ? []
      : [paint.dim(`${count(unrecorded, "other tool")} without an output schema: no answer is recorded.`)];
  if (files === 0)
    return [
      "No cassette was found.",
      paint.dim(
        'Record calls first: "npx mcp-codegen record <server> <tool>", or run a program with MCP_CODEGEN_RECORD=cassettes/sample.',
      ),
    ];
  if (tools.length === 0 && !wrote)
    return [
      `Nothing to learn: ${count(files, "file")} of cassettes, and no answer of a tool without an output schema.`,
      ...rest,
    ];
  return [
    `Learned from ${count(files, "file")} of cassettes:`,
    ...lines,
    ...rest,
    ...typed,
    wrote
      ? `Wrote ${OBSERVED_NAME}. Commit it, and run ${paint.bold("npx mcp-codegen generate")}.`
      : `${OBSERVED_NAME} is up to date.`,
  ];
}
