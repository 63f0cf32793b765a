import { listWords } from "../../../core/collections.js";
import { findInexactNumbers } from "../../../core/exact-json.js";
import { getOwn, tryParseJson } from "../../../core/json.js";
import { printable } from "../../../core/printable.js";
import { checkAnswer } from "../../../runtime/client/questions.js";
import type {
  FormQuestion,
  InputAnswer,
  InputField,
  InputQuestion,
  InputValues,
  OnInput,
} from "../../../core/input-question.js";
import { describeIssues } from "../../../schema/validation/schema.js";
import { usageError } from "../../command-spec.js";
import type { Context } from "../../context.js";

/**
 * Answers questions of a tool from `--answer`. A question without an answer ends the call. `warnUnused` warns about answers that
 * no question asked for.
 *
 * @throws McpCodegenError `USAGE` for answers that are not written as key=value
 */
export function createAnswerer({ io }: Context, texts: readonly string[]) {
  const answers = readAnswers(texts);
  const unused = new Set(answers.keys());
  const onInput: OnInput = (question) => {
    const names = question.kind === "form" ? question.fields.map(({ name }) => name) : [];
    for (const key of [...names, ACTION]) unused.delete(key);
    const answer = findAnswer(question, answers);
    if (answer === undefined) throw new Error("no --answer fits");
    return answer;
  };
  const warnUnused = (): void => {
    for (const key of unused)
      io.stderr.write(`The tool did not ask for ${printable(JSON.stringify(key))} of --answer.\n`);
  };
  return { onInput, warnUnused };
}

/** The values of `--answer`, by key. */
type GivenAnswers = ReadonlyMap<string, readonly string[]>;

/** The key that answers a question as a whole. */
const ACTION = "action";

function readAnswers(texts: readonly string[]): GivenAnswers {
  const answers = new Map<string, readonly string[]>();
  for (const text of texts) {
    const at = text.indexOf("=");
    if (at < 1)
      throw usageError(
        `--answer takes key=value, not ${JSON.stringify(text)}.`,
        "For example: --answer name=Ada.",
      );
    const key = text.slice(0, at);
    answers.set(key, [...(answers.get(key) ?? []), text.slice(at + 1)]);
  }
  return answers;
}

/**
 * Answers a question from `--answer`: a form once one of its fields is given, and no required field without a default is
 * missing. Throws `USAGE` for a value that does not fit.
 */
function findAnswer(question: InputQuestion, answers: GivenAnswers): InputAnswer | undefined {
  const fields = question.kind === "form" ? question.fields : [];
  const action = fields.some(({ name }) => name === ACTION) ? undefined : readAction(answers);
  if (action === "decline" || action === "cancel") return { action };
  if (question.kind === "url") return action && { action };
  const entries = fields.flatMap((field) => {
    const texts = answers.get(field.name);
    return texts === undefined ? [] : [[field.name, readValue(question, field, texts)] as const];
  });
  if (action === undefined && entries.length === 0) return undefined;
  const values: InputValues = Object.fromEntries(entries);
  const missing = fields.filter(({ name, isRequired }) => isRequired && !Object.hasOwn(values, name));
  const defaults = missing.flatMap((field) =>
    field.default === undefined ? [] : [[field.name, field.default] as const],
  );
  if (defaults.length < missing.length) return undefined;
  return { action: "accept", values: { ...Object.fromEntries(defaults), ...values } };
}

function readAction(answers: GivenAnswers): InputAnswer["action"] | undefined {
  const action = answers.get(ACTION)?.at(-1);
  if (action === undefined || action === "accept" || action === "decline" || action === "cancel")
    return action;
  throw usageError(`--answer action takes accept, decline or cancel, not ${JSON.stringify(action)}.`);
}

function readValue(question: FormQuestion, field: InputField, texts: readonly string[]): InputValues[string] {
  const read =
    field.type === "choices" ? texts.map((text) => chosen(field, text)) : toValue(field, texts.at(-1) ?? "");
  const problem = findMisfit(question, field, read);
  if (problem === undefined) return read;
  const words = texts.map((text) => `--answer ${field.name}=${text}`).join(" ");
  throw usageError(`${words} does not fit: ${problem}.`, `Expected ${describeField(field)}.`);
}

/** Returns the value that a text means; the text itself if it has no such meaning, which then does not fit. */
function toValue(field: InputField, text: string): InputValues[string] {
  switch (field.type) {
    case "boolean":
      return getOwn(BOOLEANS, text) ?? text;
    case "number":
    case "integer":
      return text.trim() === "" || !Number.isFinite(Number(text)) || isLossy(text) ? text : Number(text);
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

function isLossy(text: string): boolean {
  return tryParseJson(text) !== undefined && findInexactNumbers(text).length > 0;
}

const BOOLEANS: { readonly [word: string]: boolean } = { true: true, yes: true, false: false, no: false };

/** Returns a choice by its exact value or its title. */
function chosen({ choices }: Extract<InputField, { readonly choices: unknown }>, text: string): string {
  if (choices.some(({ value }) => value === text)) return text;
  return choices.find(({ title }) => title === text)?.value ?? text;
}

function findMisfit(
  question: FormQuestion,
  field: InputField,
  value: InputValues[string],
): string | undefined {
  const alone = { ...question, fields: [field] };
  const checked = checkAnswer(alone, { action: "accept", values: { [field.name]: value } });
  return "issues" in checked ? describeIssues(checked.issues.map(({ message }) => ({ message }))) : undefined;
}

/** As long as addresses may be: a person has to copy the whole. */
const LONGEST_URL = 12_000;

/** Prints the question, who asks it, and the form of the answer. */
export function printQuestion(question: InputQuestion): readonly string[] {
  const { server, tool, message } = question;
  const who = `Server ${JSON.stringify(server)} asks${tool === undefined ? "" : ` for tool ${JSON.stringify(printable(tool))}`}:`;
  const head = `${who} ${printable(message, 4_000)}`;
  if (question.kind === "url")
    return [
      head,
      `  Open ${printable(question.url, LONGEST_URL)}`,
      `  on the host ${printable(question.host)}`,
    ];
  return [head, ...question.fields.map((field) => `  ${printField(field)}`)];
}

/** `plan (required): free or pro, default free`. */
function printField(field: InputField): string {
  const { name, title, description, isRequired } = field;
  const preset = field.default === undefined ? "" : `, default ${describeDefault(field)}`;
  const about = [title, description].map((text) =>
    text === undefined || text === name || text === "" ? "" : `. ${text}`,
  );
  return `${name}${isRequired ? " (required)" : ""}: ${describeField(field)}${preset}${about.join("")}`;
}

function describeField(field: InputField): string {
  switch (field.type) {
    case "choice":
      return titlesOf(field.choices, "or");
    case "choices":
      return `some of ${titlesOf(field.choices, "and")}`;
    case "boolean":
      return "true or false";
    case "string": {
      const { format, minLength, maxLength } = field;
      return withLimits(format ?? "text", [minLength, maxLength], " characters");
    }
    case "number":
    case "integer":
      return withLimits(field.type, [field.minimum, field.maximum], "");
    default:
      return field satisfies never;
  }
}

/** Choices that are listed: there may be hundreds. */
const MOST_SHOWN = 20;

function titlesOf(choices: readonly { readonly title: string }[], word: "or" | "and"): string {
  const titles = choices.slice(0, MOST_SHOWN).map(({ title }) => title);
  return choices.length > MOST_SHOWN
    ? `${titles.join(", ")}, … (${choices.length} choices)`
    : listWords(titles, word);
}

function withLimits(
  what: string,
  [least, most]: readonly [number | undefined, number | undefined],
  unit: string,
): string {
  if (least === undefined && most === undefined) return what;
  if (least === undefined) return `${what} of at most ${most ?? ""}${unit}`;
  return most === undefined ? `${what} of at least ${least}${unit}` : `${what} of ${least} to ${most}${unit}`;
}

function describeDefault(field: InputField): string {
  if (field.type === "string") return JSON.stringify(field.default ?? "");
  if (field.type !== "choice" && field.type !== "choices") return String(field.default);
  const chosen: readonly string[] = field.type === "choice" ? [field.default ?? ""] : (field.default ?? []);
  return field.choices
    .filter(({ value }) => chosen.includes(value))
    .map(({ title }) => title)
    .join(" and ");
}

/** Returns the words of `--answer` that a question needs at least. */
export function answerWords(question: InputQuestion): readonly string[] {
  const fields = question.kind === "url" ? [] : question.fields;
  const required = fields.filter(({ isRequired }) => isRequired);
  const wanted = required.length > 0 ? required : fields.slice(0, 1);
  const words = wanted.map((field) => `${field.name}=${exampleOf(field)}`);
  return words.length > 0 ? words : ["action=accept"];
}

function exampleOf(field: InputField): string {
  switch (field.type) {
    case "choice":
      return describeDefault(field) || (field.choices[0]?.title ?? "");
    case "choices":
      return field.choices[0]?.title ?? "";
    case "boolean":
      return String(field.default ?? true);
    case "number":
    case "integer":
      return String(field.default ?? field.minimum ?? 1);
    case "string":
      return field.default ?? field.format ?? "text";
    default:
      return field satisfies never;
  }
}
