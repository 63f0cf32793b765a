import type { Issue } from "../core/schema.js";
import { describeIssues } from "../schema/validation/schema.js";
import type { InputQuestion } from "../core/input-question.js";

/** The most rounds of questions in one call. More end the call with `INPUT_REQUIRED`. */
export const MOST_ROUNDS = 8;

/** Ends a call that needs an answer and has none. Becomes `INPUT_REQUIRED`. */
export class InputRequiredError extends Error {
  readonly questions: readonly InputQuestion[];

  /** @param why one sentence that continues `Tool "x"` */
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
