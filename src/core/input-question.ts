import type { AbortSignalLike } from "./abort-signal.js";
import type { JsonObject } from "./json.js";

/**
 * A question that a server asks during a request (specification, "Elicitation"). All texts are from the server, on one line
 * and without control characters.
 */
export type InputQuestion = FormQuestion | UrlQuestion;

/** Asks for values. */
export interface FormQuestion extends QuestionOrigin {
  readonly kind: "form";
  /** In the order of the server; empty if it only asks for consent. */
  readonly fields: readonly InputField[];
  /** The fields as the JSON Schema of an object, with the keywords that the specification allows. */
  readonly schema: JsonObject;
}

/** Asks a person to open a URL in a browser. Open it only with consent. The answer has no values. */
export interface UrlQuestion extends QuestionOrigin {
  readonly kind: "url";
  /** An `http:` or `https:` URL without credentials. */
  readonly url: string;
  /** The host of the URL, to show to the person. */
  readonly host: string;
}

interface QuestionOrigin {
  readonly server: string;
  /** Absent if several calls share the connection and the server does not say which one asks. */
  readonly tool?: string;
  /** The name of the prompt that was requested. */
  readonly prompt?: string;
  /** The URI of the resource that was requested. */
  readonly resource?: string;
  /** Why the server asks. */
  readonly message: string;
}

/** A field of a form. `default` is the initial value. */
export type InputField = FieldBase & InputFieldType;

/** The type of a field, and the rules for its value. */
export type InputFieldType =
  | {
      readonly type: "string";
      readonly format?: "email" | "uri" | "date" | "date-time";
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly default?: string;
    }
  | {
      readonly type: "number" | "integer";
      readonly minimum?: number;
      readonly maximum?: number;
      readonly default?: number;
    }
  | { readonly type: "boolean"; readonly default?: boolean }
  | { readonly type: "choice"; readonly choices: readonly InputChoice[]; readonly default?: string }
  | {
      readonly type: "choices";
      readonly choices: readonly InputChoice[];
      readonly minItems?: number;
      readonly maxItems?: number;
      readonly default?: readonly string[];
    };

interface FieldBase {
  /** The key of the value. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly isRequired: boolean;
}

export interface InputChoice {
  /** The value to send. Not safe to print. */
  readonly value: string;
  /** The text to show. */
  readonly title: string;
}

export interface InputValues {
  readonly [name: string]: string | number | boolean | readonly string[];
}

/**
 * The answer to a question: `accept`, with the values of a form; `decline` if the person refuses; `cancel` if the person does
 * not decide. The server decides how the call continues.
 */
export type InputAnswer =
  | { readonly action: "accept"; readonly values?: InputValues }
  | { readonly action: "decline" | "cancel" };

/**
 * Answers a question. An error, or values that do not fit the form, end the call with `INPUT_REQUIRED`.
 *
 * @param options.signal aborts when the call has ended or the server has withdrawn the question
 */
export type OnInput = (
  question: InputQuestion,
  options: { readonly signal: AbortSignalLike },
) => InputAnswer | Promise<InputAnswer>;
