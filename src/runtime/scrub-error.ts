import type { Caller } from "./client/caller.js";
import type { InputQuestion } from "./input-question.js";
import type { ToolError } from "./result.js";

/** Errors are written to logs, and some servers repeat what they were sent. */
export function scrubError(error: ToolError, caller: Caller): ToolError {
  const { message, issues, questions, cause, ...rest } = error;
  return {
    ...rest,
    message: caller.scrub(message),
    ...(issues && { issues: issues.map((issue) => ({ ...issue, message: caller.scrub(issue.message) })) }),
    ...(questions && { questions: questions.map((question) => scrubQuestion(question, caller)) }),
    ...(cause !== undefined && { cause: cause instanceof Error ? cause : scrubTexts(cause, caller) }),
  };
}

/** The other texts of a question were scrubbed when it was read. */
function scrubQuestion(question: InputQuestion, caller: Caller): InputQuestion {
  return question.kind === "url" ? { ...question, url: caller.scrub(question.url) } : question;
}

/** Returns fields of an event without the secrets that the caller sent. */
export function scrubFields(
  fields: { readonly [name: string]: unknown },
  caller: Caller,
): { readonly [name: string]: unknown } {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, scrubTexts(value, caller)]));
}

function scrubTexts(value: unknown, caller: Caller): unknown {
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
    typeof part === "string" ? caller.scrub(part) : part,
  );
}
