import type { JsonValue } from "../../contract/json.js";
import type { Dialect } from "../../contract/schema-ir.js";
import { languageOf } from "../../schema/dialect.js";
import type { WitnessAnswer } from "../finding.js";
import type { Compile } from "./compile-schema.js";
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

/** The dialects that the questions are written in, by what each schema declares. */
export function dialectsOf(questions: readonly PairQuestion[]): ReadonlySet<Dialect> {
  const dialectOf = (schema: JsonValue, dialect: Dialect): Dialect =>
    languageOf(schema, { dialect }, () => undefined).dialect;
  return new Set(
    questions.flatMap(({ accepts, rejects, dialect }) => [
      dialectOf(accepts, dialect),
      dialectOf(rejects, dialect),
    ]),
  );
}
