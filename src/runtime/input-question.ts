import type { JsonObject } from "../contract/json.js";
import type { AbortSignalLike } from "../transport/abort-signal.js";
import { describeIssues, type Issue } from "../validation/schema.js";

/**
 * A question that a server asks while one of its tools runs, or before it returns a prompt or a resource (specification,
 * "Elicitation"). All texts are the server's, on one line and without control characters.
 */
export type InputQuestion = FormQuestion | UrlQuestion;

/** Asks for values. */
export interface FormQuestion extends QuestionOrigin {
  readonly kind: "form";
  /** In the order of the server; empty where it only asks for consent. */
  readonly fields: readonly InputField[];
  /** The fields as the JSON Schema of an object, with the keywords that the specification allows. */
  readonly schema: JsonObject;
}

/** Asks a person to open an address in a browser. Open it only with consent. The answer has no values. */
export interface UrlQuestion extends QuestionOrigin {
  readonly kind: "url";
  /** An `http:` or `https:` address without credentials. */
  readonly url: string;
  /** The host of the address, to show it to the person. */
  readonly host: string;
}

interface QuestionOrigin {
  readonly server: string;
  /** Absent if several calls share the connection and the server does not name one of them. */
  readonly tool?: string;
  /** The name of the prompt that was requested. */
  readonly prompt?: string;
  /** The URI of the resource that was requested. */
  readonly resource?: string;
  /** Why the server asks. */
  readonly message: string;
}

/** A value that a form asks for. `default` is what to show at first. */
export type InputField = FieldBase &
  (
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
      }
  );

interface FieldBase {
  /** The key of the value. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly isRequired: boolean;
}

export interface InputChoice {
  /** The exact value of the server, which is not safe to print. */
  readonly value: string;
  /** What to show. */
  readonly title: string;
}

export interface InputValues {
  readonly [name: string]: string | number | boolean | readonly string[];
}

/**
 * The answer to a question: `accept` with the values of a form, or with none for an address; `decline` if the person
 * refuses; `cancel` if they decide nothing. The server decides how the call goes on.
 */
export type InputAnswer =
  | { readonly action: "accept"; readonly values?: InputValues }
  | { readonly action: "decline" | "cancel" };

/**
 * Answers a question. What it throws ends the call with `INPUT_REQUIRED`, as do values that do not fit the form.
 *
 * @param options.signal aborts when the answer is no longer needed: the call has ended, or the server has withdrawn the
 *   question
 */
export type OnInput = (
  question: InputQuestion,
  options: { readonly signal: AbortSignalLike },
) => InputAnswer | Promise<InputAnswer>;

/** How often a tool may ask in one call. A server that asks more often ends the call with `INPUT_REQUIRED`. */
export const MOST_ROUNDS = 8;

/** Ends a call that needs an answer which it did not get. It becomes `INPUT_REQUIRED`. */
export class InputRequiredError extends Error {
  readonly questions: readonly InputQuestion[];

  /**
   * @param why one sentence that continues `Tool "x"`
   */
  constructor(
    why: string,
    questions: readonly InputQuestion[],
    { issues = [], cause }: { readonly issues?: readonly Issue[]; readonly cause?: unknown } = {},
  ) {
    super(
      `${why}${issues.length > 0 ? `: ${describeIssues(issues)}` : ""}.`,
      cause === undefined ? {} : { cause },
    );
    this.questions = questions;
  }
}
