import type {
  FormQuestion,
  InputAnswer,
  InputField,
  InputQuestion,
  InputValues,
  OnInput,
} from "../../runtime/input-question.js";
import type { Context } from "../context.js";
import { ask, askYesOrNo, choose, select } from "../prompts.js";
import { describeType, printQuestion } from "./print-question.js";
import { findProblem, toValue } from "./read-answers.js";

const CANCEL: InputAnswer = { action: "cancel" };
const DECLINE: InputAnswer = { action: "decline" };

/** Asks a question at the terminal, except for the values that are known. */
export async function askQuestion(
  context: Context,
  question: InputQuestion,
  known: InputValues,
  { signal }: Parameters<OnInput>[1],
): Promise<InputAnswer> {
  context.io.stderr.write(`${printQuestion(question).join("\n")}\n`);
  const over = new AbortController();
  signal.addEventListener("abort", () => {
    over.abort();
  });
  if (question.kind === "url") return askAboutUrl(context, over.signal);
  for (;;) {
    const values = await askFields(context, question, known, over.signal);
    if (values === undefined) return CANCEL;
    const choices = [
      { value: "send", label: question.fields.length === 0 ? "Accept" : "Send the answers" },
      ...(question.fields.length === 0 ? [] : [{ value: "change", label: "Change the answers" }]),
      { value: "decline", label: "Decline" },
    ];
    const next = await select(context, "Answer the server?", choices, { signal: over.signal });
    if (next === undefined) return CANCEL;
    if (next === "decline") return DECLINE;
    if (next === "send") return { action: "accept", values };
  }
}

async function askAboutUrl(context: Context, signal: AbortSignal): Promise<InputAnswer> {
  const choices = [
    { value: "accept", label: "I opened the address and finished there" },
    { value: "decline", label: "Decline" },
  ];
  // Nothing is opened here: the person decides whether the host is the one they expect.
  const next = await select(context, "Continue?", choices, { signal });
  return next === "accept" ? { action: "accept" } : next === undefined ? CANCEL : DECLINE;
}

/** Returns the values; undefined if the user cancels. */
async function askFields(
  context: Context,
  question: FormQuestion,
  known: InputValues,
  signal: AbortSignal,
): Promise<InputValues | undefined> {
  const values: { [name: string]: InputValues[string] } = { ...known };
  for (const field of question.fields) {
    if (Object.hasOwn(known, field.name)) continue;
    const value = await askField(context, question, field, signal);
    if (value === undefined) return undefined;
    if (value !== SKIPPED) values[field.name] = value;
  }
  return values;
}

/** An optional field without a value. */
const SKIPPED = Symbol("skipped");

async function askField(
  context: Context,
  question: FormQuestion,
  field: InputField,
  signal: AbortSignal,
): Promise<InputValues[string] | typeof SKIPPED | undefined> {
  const label = `${field.title ?? field.name}${field.isRequired ? "" : " (optional)"}`;
  const none = { value: "", label: "(no answer)" };
  switch (field.type) {
    case "boolean":
      return askYesOrNo(context, label, { initial: field.default ?? false, signal });
    case "choice": {
      // By position: a value of the server may be anything.
      const choices = field.choices.map(({ title }, at) => ({ value: String(at), label: title }));
      const initial = field.choices.findIndex(({ value }) => value === field.default);
      const picked = await select(context, label, field.isRequired ? choices : [none, ...choices], {
        signal,
        ...(initial >= 0 && { initial: String(initial) }),
      });
      return picked === ""
        ? SKIPPED
        : picked === undefined
          ? undefined
          : field.choices[Number(picked)]?.value;
    }
    case "choices": {
      const choices = field.choices.map(({ title }, at) => ({ value: String(at), label: title }));
      const initial = choices.filter(
        (_, at) => field.default?.includes(field.choices[at]?.value ?? "") === true,
      );
      for (;;) {
        const picked = await choose(context, label, choices, {
          initial: initial.map(({ value }) => value),
          isRequired: field.isRequired,
          signal,
        });
        if (picked === undefined) return undefined;
        if (picked.length === 0 && !field.isRequired) return SKIPPED;
        const values = picked.flatMap((at) => field.choices[Number(at)]?.value ?? []);
        const problem = findProblem(question, field, values);
        if (problem === undefined) return values;
        context.io.stderr.write(`${problem}.\n`);
      }
    }
    case "string":
    case "number":
    case "integer": {
      const text = await ask(context, label, {
        placeholder: describeType(field),
        ...(field.default !== undefined && { initial: String(field.default) }),
        signal,
        validate: (written) =>
          written === "" && !field.isRequired
            ? undefined
            : findProblem(question, field, toValue(field, written)),
      });
      if (text === undefined) return undefined;
      return text === "" && !field.isRequired ? SKIPPED : toValue(field, text);
    }
    default:
      return field satisfies never;
  }
}
