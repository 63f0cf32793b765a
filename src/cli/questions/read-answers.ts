import { McpCodegenError } from "../../contract/errors.js";
import { checkAnswer } from "../../runtime/client/questions.js";
import type {
  FormQuestion,
  InputAnswer,
  InputField,
  InputQuestion,
  InputValues,
} from "../../runtime/input-question.js";
import { describeIssues } from "../../validation/schema.js";
import { describeType } from "./print-question.js";

/** The values of `--answer`, by key. */
export type GivenAnswers = ReadonlyMap<string, readonly string[]>;

/** The key that answers a question as a whole. */
export const ACTION = "action";

/**
 * Reads `--answer key=value`.
 *
 * @throws McpCodegenError `USAGE`
 */
export function readAnswers(given: readonly string[]): GivenAnswers {
  const answers = new Map<string, readonly string[]>();
  for (const text of given) {
    const at = text.indexOf("=");
    if (at < 1)
      throw new McpCodegenError("USAGE", `--answer takes key=value, not ${JSON.stringify(text)}.`, {
        hint: "For example: --answer name=Ada.",
      });
    const key = text.slice(0, at);
    answers.set(key, [...(answers.get(key) ?? []), text.slice(at + 1)]);
  }
  return answers;
}

/** What the given answers say about a question. */
export type Found =
  /** The whole answer. */
  | { readonly kind: "answer"; readonly answer: InputAnswer }
  /** Some values; required ones are missing, or none was given. */
  | { readonly kind: "partial"; readonly values: InputValues };

/**
 * Answers a question from `--answer`. A form is answered once one of its fields is given, and no required field without
 * a default is missing.
 *
 * @throws McpCodegenError `USAGE` for a value that does not fit
 */
export function findAnswer(question: InputQuestion, given: GivenAnswers): Found {
  const fields = question.kind === "form" ? question.fields : [];
  const action = fields.some(({ name }) => name === ACTION) ? undefined : readAction(given);
  if (action === "decline" || action === "cancel") return { kind: "answer", answer: { action } };
  if (question.kind === "url") {
    return action === undefined ? { kind: "partial", values: {} } : { kind: "answer", answer: { action } };
  }
  const entries = fields.flatMap((field) => {
    const texts = given.get(field.name);
    return texts === undefined ? [] : [[field.name, readValue(question, field, texts)] as const];
  });
  const values: InputValues = Object.fromEntries(entries);
  const missing = fields.filter(({ name, isRequired }) => isRequired && !Object.hasOwn(values, name));
  const isAnswered = action === "accept" || entries.length > 0;
  if (!isAnswered || missing.some((field) => field.default === undefined)) return { kind: "partial", values };
  const defaults = missing.flatMap((field) =>
    field.default === undefined ? [] : [[field.name, field.default] as const],
  );
  return {
    kind: "answer",
    answer: { action: "accept", values: { ...Object.fromEntries(defaults), ...values } },
  };
}

function readAction(given: GivenAnswers): InputAnswer["action"] | undefined {
  const action = given.get(ACTION)?.at(-1);
  if (action === undefined || action === "accept" || action === "decline" || action === "cancel")
    return action;
  throw new McpCodegenError(
    "USAGE",
    `--answer action takes accept, decline or cancel, not ${JSON.stringify(action)}.`,
  );
}

function readValue(question: FormQuestion, field: InputField, texts: readonly string[]): InputValues[string] {
  const read =
    field.type === "choices" ? texts.map((text) => chosen(field, text)) : toValue(field, texts.at(-1) ?? "");
  const problem = findProblem(question, field, read);
  if (problem === undefined) return read;
  const words = texts.map((text) => `--answer ${field.name}=${text}`).join(" ");
  throw new McpCodegenError("USAGE", `${words} does not fit: ${problem}.`, {
    hint: `Expected ${describeType(field)}.`,
  });
}

/** Returns the value that a text stands for; the text itself where it stands for none, which then does not fit. */
export function toValue(field: InputField, text: string): InputValues[string] {
  switch (field.type) {
    case "boolean": {
      const values: { readonly [word: string]: boolean } = { true: true, yes: true, false: false, no: false };
      return Object.hasOwn(values, text) ? values[text] === true : text;
    }
    case "number":
    case "integer":
      return text.trim() === "" || !Number.isFinite(Number(text)) ? text : Number(text);
    case "choice":
      return chosen(field, text);
    case "choices":
      return [chosen(field, text)];
    case "string":
      return text;
    default:
      return field satisfies never;
  }
}

/** Returns a choice by its exact value or its title. */
function chosen({ choices }: Extract<InputField, { readonly choices: unknown }>, text: string): string {
  if (choices.some(({ value }) => value === text)) return text;
  return choices.find(({ title }) => title === text)?.value ?? text;
}

/** Returns why a value does not fit its field. */
export function findProblem(
  question: FormQuestion,
  field: InputField,
  value: InputValues[string],
): string | undefined {
  const alone = { ...question, fields: [field] };
  const checked = checkAnswer(alone, { action: "accept", values: { [field.name]: value } });
  return "issues" in checked ? describeIssues(checked.issues.map(({ message }) => ({ message }))) : undefined;
}
