import { printable } from "../../contract/printable.js";
import type { OnInput } from "../../runtime/input-question.js";
import type { Context } from "../context.js";
import { findAnswer, readAnswers } from "./read-answers.js";

export interface QuestionAnswerer {
  readonly onInput: OnInput;
  /** Warns about given answers that no question asked for. */
  readonly warnUnused: () => void;
}

/**
 * Answers questions of a tool from `--answer`, and from the user at a terminal. Elsewhere, a question without an answer
 * ends the call.
 *
 * @param pause called before the user is asked; what it returns is called after
 * @throws McpCodegenError `USAGE` for answers that are not written as key=value
 */
export function createAnswerer(
  context: Context,
  given: readonly string[],
  pause: () => () => void,
): QuestionAnswerer {
  const answers = readAnswers(given);
  const unused = new Set(answers.keys());
  return {
    onInput: async (question, options) => {
      const names = question.kind === "form" ? question.fields.map(({ name }) => name) : [];
      for (const key of [...names, "action"]) unused.delete(key);
      const found = findAnswer(question, answers);
      if (found.kind === "answer") return found.answer;
      if (!context.isInteractive) throw new Error("no --answer fits, and there is no terminal to ask at");
      const { askQuestion } = await import("./ask-question.js");
      const resume = pause();
      try {
        return await askQuestion(context, question, found.values, options);
      } finally {
        resume();
      }
    },
    warnUnused: () => {
      for (const key of unused)
        context.io.stderr.write(`The tool did not ask for ${printable(JSON.stringify(key))} of --answer.\n`);
    },
  };
}
