import { printable } from "../../contract/printable.js";
import type { InputField, InputQuestion } from "../../runtime/input-question.js";

/** As long as addresses may be: a person has to copy the whole. */
const LONGEST_URL = 12_000;

/** Prints who asks what, and what an answer has to be. */
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
  return [head, ...question.fields.map((field) => `  ${describeField(field)}`)];
}

/** `plan (required): free or pro, default free`. */
function describeField(field: InputField): string {
  const { name, title, description, isRequired } = field;
  const words = [
    describeType(field),
    ...(field.default === undefined ? [] : [`default ${describeDefault(field)}`]),
  ];
  const about = [title, description].filter((text) => text !== undefined && text !== name).join(". ");
  return `${name}${isRequired ? " (required)" : ""}: ${words.join(", ")}${about === "" ? "" : `. ${about}`}`;
}

/** What is accepted, in words. */
export function describeType(field: InputField): string {
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
  if (choices.length > MOST_SHOWN) return `${titles.join(", ")}, … (${choices.length} choices)`;
  const last = titles.pop() ?? "";
  return titles.length === 0 ? last : `${titles.join(", ")} ${word} ${last}`;
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
