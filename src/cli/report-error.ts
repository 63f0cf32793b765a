import { McpCodegenError, messageOf } from "../core/errors.js";
import { fileFailed } from "../files/write-atomic.js";
import type { DocumentOf } from "../report/documents.js";
import { errorDetails, printError } from "../report/layout.js";
import { isCommandName } from "./command-table.js";
import { createCommandContext, type Io, printOnStderr, readPackage } from "./context.js";

/**
 * Prints an error and returns its exit code. An expected error prints a message and a hint; any other error is a bug
 * in mcp-codegen and prints its stack.
 */
export function reportError(error: unknown, argv: readonly string[], io: Io): number {
  const context = createCommandContext(io, {
    json: wantsJson(argv),
    color: !argv.includes("--no-color"),
    config: configOf(argv),
  });
  const document = errorDocument(error);
  if (document.error.code === "INTERNAL") {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    io.stderr.write(
      `${stack}\n\n${context.paint.red("error:")} This is a bug in mcp-codegen. Please report it with the lines above and the command that you ran: ${readPackage().bugs}\n`,
    );
  } else {
    printOnStderr(context, printError(document.error, context.paint));
  }
  return context.report(document);
}

/** Prints that stdout or stderr could not be written, and returns the exit code. */
export function reportFailedOutput(failure: Error, argv: readonly string[], io: Io): number {
  return reportError(fileFailed("The output cannot be written", failure), argv, io);
}

/** Returns the `--json` document of an error; `INTERNAL` is a bug in mcp-codegen. */
export function errorDocument(error: unknown): DocumentOf<"error"> {
  const explained = knownError(error);
  if (explained !== undefined)
    return { report: "error", exitCode: explained.exitCode, error: errorDetails(explained) };
  const message = messageOf(error);
  return { report: "error", exitCode: 70, error: { code: "INTERNAL", message } };
}

const WITHOUT_FILES = ["list", "search", "describe", "call", "run", "serve", "mock", "doctor"];

/** Prints one line for an interruption, which is not an error, and returns the exit code that shells expect. */
export function reportInterruption(exitCode: number, argv: readonly string[], io: Io): number {
  const made = [...(io.made ?? [])];
  const calls = made.length === 0 ? [] : [`Calls that may have changed something: ${made.join("; ")}.`];
  const files = WITHOUT_FILES.includes(argv.find(isCommandName) ?? "")
    ? []
    : ["Each file is either unchanged or completely written."];
  const message = ["Interrupted.", ...calls, ...files].join(" ");
  io.stderr.write(`${message}\n`);
  const error = { code: "INTERRUPTED", message, ...(made.length > 0 && { made }) };
  return createCommandContext(io, { json: wantsJson(argv) }).report({ report: "error", exitCode, error });
}

function configOf(argv: readonly string[]): string | undefined {
  const at = argv.indexOf("--config");
  return at < 0
    ? /^--config=(.+)/.exec(argv.find((word) => word.startsWith("--config=")) ?? "")?.[1]
    : argv[at + 1];
}

/** Whether the arguments ask for JSON. They may not be parseable. */
function wantsJson(argv: readonly string[]): boolean {
  return argv.some(
    (argument, index) =>
      argument === "--json" ||
      argument === "--format=json" ||
      (argument === "json" && argv[index - 1] === "--format"),
  );
}

function knownError(error: unknown): McpCodegenError | undefined {
  if (error instanceof McpCodegenError) return error;
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    const missing = missingPackage(cause);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

/** Returns the error for a package that is missing because of `--omit=optional`. */
function missingPackage(error: Error): McpCodegenError | undefined {
  if (!("code" in error) || !(error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND")) {
    return undefined;
  }
  const name = /^Cannot find (?:package|module) '([^']+)'/.exec(error.message)?.[1];
  if (name === undefined || !Object.hasOwn(readPackage().optionalDependencies, name)) return undefined;
  const message = `This command requires the package "${name}", which is not installed.`;
  const hint =
    'Run "npm install --include=optional": the command line needs the optional dependencies of mcp-codegen.';
  return new McpCodegenError("DEPENDENCY_MISSING", message, { hint, cause: error });
}
