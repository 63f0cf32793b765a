import type { RegisteredTool } from "../../../agent/registry/registered-tool.js";
import { serverNameOf } from "../../../agent/registry/tool-names.js";
import { McpCodegenError } from "../../../core/errors.js";
import type { CallDocument, CallFailure } from "../../../report/documents.js";
import { printError } from "../../../report/print-error.js";
import type { InputQuestion } from "../../../runtime/input-question.js";
import type { ToolError, ToolErrorCode } from "../../../runtime/result.js";
import { explainIssue } from "../../../schema/validation/explain-issue.js";
import { type Context, createPaint } from "../../context.js";
import type { OptionValues } from "../../options.js";
import { printCommand, wrapLines } from "../../print-text.js";
import { quoteForShell } from "../../../report/layout.js";
import type { ArgumentSchema } from "./flags/argument-schema.js";
import { joinFlagName } from "./flags/flag-paths.js";
import { answerWords, printQuestion } from "./questions.js";
import type { RECORD_FLAGS } from "./spec.js";

/** One call as the command line describes it. */
export interface RequestedCall {
  readonly name: string;
  /** The options that name the tool's server on a command line. */
  readonly serverWords: readonly string[];
  readonly tool: RegisteredTool;
  readonly schema: ArgumentSchema;
  readonly words: readonly string[];
  readonly options: OptionValues<typeof RECORD_FLAGS>;
}

type Failure = Pick<ToolError, "code" | "message" | "retryable" | "issues" | "questions" | "cause"> & {
  readonly hint?: string | undefined;
};

/** Prints why a call failed, and returns the exit code. Rethrows an error in the user's settings, for the common report. */
export function reportCallFailure(context: Context, call: RequestedCall, error: Failure): number {
  if (error.cause instanceof McpCodegenError && error.cause.exitCode === 2) throw error.cause;
  const failure = describeFailure(call, error);
  const exitCode = EXIT_CODES[error.code];
  const paint = createPaint(context.io.stderr, context.io, context.options);
  const questions = (error.questions ?? []).flatMap(printQuestion);
  if (questions.length > 0) context.io.stderr.write(`${questions.join("\n")}\n`);
  context.io.stderr.write(
    `${wrapLines(printError(withIssues(failure), paint), context.io.stderr).join("\n")}\n`,
  );
  context.printDocument({ report: "call", exitCode, ...callAddress(call), error: failure });
  return exitCode;
}

/** 1 if the tool failed, 2 for invalid input or settings, 3 if the outcome is unknown. */
const EXIT_CODES: { readonly [C in ToolErrorCode]: 1 | 2 | 3 } = {
  TOOL_INVALID_INPUT: 2,
  TOOL_NOT_ALLOWED: 2,
  WRITES_DISABLED: 2,
  INPUT_REQUIRED: 2,
  TOOL_NOT_IMPLEMENTED: 2,
  CALL_NOT_RECORDED: 2,
  TOOL_NOT_FOUND: 1,
  TOOL_EXECUTION_FAILED: 1,
  TOOL_INVALID_OUTPUT: 1,
  CONTRACT_DRIFT: 1,
  TOOL_UNAVAILABLE: 3,
};

/** A wrong list has an issue for each item; the first ones are enough. */
const MOST_ISSUES = 20;

function describeFailure(call: RequestedCall, error: Failure): CallFailure {
  const { name } = call;
  const { code, message, retryable } = error;
  const explained = (error.issues ?? []).slice(0, MOST_ISSUES).flatMap(explainIssue).slice(0, MOST_ISSUES);
  const issues = explained.map((issue) => ({
    path: issue.path.map((key) => (typeof key === "symbol" ? String(key) : key)),
    message: issue.message,
  }));
  const isRejected = code === "TOOL_INVALID_INPUT" && issues.length > 0;
  // The message of a lost connection also has the hint and the server's stderr, which are printed on their own lines.
  const { cause } = error;
  const lost = code === "TOOL_UNAVAILABLE" && cause instanceof McpCodegenError ? cause : undefined;
  const hint = error.hint ?? lost?.hint ?? hintForQuestions(error.questions ?? []) ?? hintFor(code, call);
  return {
    code,
    message: isRejected
      ? `Invalid arguments for tool ${JSON.stringify(name)}; nothing was sent.`
      : lost === undefined
        ? message
        : `Tool ${JSON.stringify(name)} could not be called: ${lost.message}`,
    ...(hint !== undefined && { hint }),
    ...(lost !== undefined && lost.stderr.length > 0 && { stderr: lost.stderr }),
    retryable,
    ...(issues.length > 0 && { issues }),
    ...(error.questions && { questions: error.questions.map(toQuestionDocument) }),
  };
}

function toQuestionDocument(question: InputQuestion): NonNullable<CallFailure["questions"]>[number] {
  const { kind, message } = question;
  if (kind === "url") return { kind, message, url: question.url, host: question.host };
  return { kind, message, schema: question.schema };
}

function hintForQuestions(questions: readonly InputQuestion[]): string | undefined {
  if (questions.length === 0) return undefined;
  const words = [...new Set(questions.flatMap(answerWords))];
  const first = questions.some(({ kind }) => kind === "url") ? "Open the address, then run" : "Run";
  return `${first} the command again with ${words.map((word) => `--answer ${quoteForShell(word)}`).join(" ")}.`;
}

/** Adds a line for each issue, with its flag. */
function withIssues({ issues = [], ...failure }: CallFailure): Parameters<typeof printError>[0] {
  const { code, message, hint } = failure;
  if (code !== "TOOL_INVALID_INPUT") return failure;
  const lines = issues.map((issue) =>
    issue.path.length === 0 ? issue.message : `--${joinFlagName(issue.path)}: ${issue.message}`,
  );
  return { message: [message, ...lines].join("\n"), hint };
}

function hintFor(code: ToolErrorCode, call: RequestedCall): string | undefined {
  switch (code) {
    case "TOOL_INVALID_INPUT":
      return helpHint(call);
    case "TOOL_NOT_FOUND":
    case "TOOL_INVALID_OUTPUT":
    case "CONTRACT_DRIFT":
      return call.serverWords.length > 0
        ? undefined
        : 'Run "npx mcp-codegen check" to see how the server and the lock differ.';
    case "TOOL_NOT_ALLOWED":
    case "WRITES_DISABLED":
      return 'See "policy" in the configuration.';
    case "TOOL_UNAVAILABLE":
    case "TOOL_EXECUTION_FAILED":
    case "TOOL_NOT_IMPLEMENTED":
    case "INPUT_REQUIRED":
    case "CALL_NOT_RECORDED":
      return undefined;
    default:
      return code satisfies never;
  }
}

export function helpHint({ name, serverWords }: RequestedCall): string {
  return `Run "${printCommand("call", [...serverWords, name, "--help"])}".`;
}

export function callAddress({
  name,
  tool,
  options,
}: RequestedCall): Pick<CallDocument, "tool" | "server" | "environment"> {
  return {
    tool: name,
    server: serverNameOf(tool),
    ...(options.env !== undefined && { environment: options.env }),
  };
}
