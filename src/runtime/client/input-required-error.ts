import { describeIssues, type Issue } from "../../validation/schema.js";
import type { InputQuestion } from "../input-question.js";

/** Ends a call that needs an answer which it did not get. It becomes `INPUT_REQUIRED`. */
export class InputRequiredError extends Error {
  readonly questions: readonly InputQuestion[];
  readonly questionIssues: readonly Issue[];

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
    this.questionIssues = issues;
  }
}
