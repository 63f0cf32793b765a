import { languageOf } from "../../schema/dialect.js";
import type { WitnessAnswer } from "../finding.js";
import type { Compile, Reading } from "./compile-schema.js";
import { openSearch } from "./search-witness.js";
import type { PairQuestion } from "./witness-messages.js";

/** Answers what is asked about pairs of schemas, one change after the other, and says each answer as soon as there is one. */
export function answerQuestions(
  questions: readonly PairQuestion[],
  compile: Compile,
  say: (id: number, answer: WitnessAnswer) => void,
): void {
  for (const question of questions) answerQuestion(question, compile, say);
}

function answerQuestion(
  question: PairQuestion,
  compile: Compile,
  say: (id: number, answer: WitnessAnswer) => void,
): void {
  const { changes, asked } = question;
  let find: ReturnType<typeof openSearch> | undefined;
  for (const { id, at, value } of asked) {
    try {
      find ??= openSearch(question, changes, compile);
      say(id, find(at, value));
    } catch {
      // Ajv cannot compile the schema, or it is nested too deep: nothing is shown by it.
      say(id, { kind: "none" });
    }
  }
}

/** How the schemas of the questions are read: in the dialect that each declares, or else in that of the question. */
export function readingsOf(questions: readonly PairQuestion[]): readonly Reading[] {
  return questions.flatMap(({ accepts, rejects, dialect, formats }) =>
    [accepts, rejects].map((schema) => ({
      dialect: languageOf(schema, { dialect }, () => undefined).dialect,
      formats,
    })),
  );
}
