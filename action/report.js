// How the Action answers: messages, outputs and the exit code.
import { appendFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import process from "node:process";

/** An expected error. Its message is one line: what failed, where, and how to fix it. */
export class ActionError extends Error {
  /**
   * @param {number} exitCode 2 for invalid input, 3 for what cannot be reached or refuses, or that of a command
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(exitCode, message, options) {
    super(message.replaceAll(/\s*[\r\n]\s*/g, " "), options);
    this.exitCode = exitCode;
  }
}

/** The most important first: an outage does not hide findings. Any other code is a crash, and comes before all. */
const EXIT_CODES = [2, 1, 3, 0];

/**
 * Returns the exit code of two steps together.
 *
 * @param {number} first
 * @param {number} second
 */
export function worstOf(first, second) {
  return EXIT_CODES.indexOf(first) < EXIT_CODES.indexOf(second) ? first : second;
}

/**
 * Shows an error, and returns the exit code for it. An error that no one expected is a bug, and shown with its stack.
 *
 * @param {unknown} error
 * @param {string} [what] what failed
 */
export function showError(error, what = "") {
  if (error instanceof ActionError) {
    show("error", `${what}${error.message}`);
    return error.exitCode;
  }
  const stack = error instanceof Error ? error.stack : String(error);
  show("error", `${what}This is a bug in mcp-codegen. Please report it with these lines: ${stack}`);
  return 70;
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Sets an output of the step. The delimiter is random, so that no value can end it.
 *
 * @param {{ readonly env: NodeJS.ProcessEnv }} job
 * @param {string} name
 * @param {string} value
 */
export async function setOutput({ env }, name, value) {
  const delimiter = randomUUID();
  const file = env["GITHUB_OUTPUT"];
  if (file !== undefined && file !== "")
    await appendFile(file, `${name}<<${delimiter}\n${value}\n${delimiter}\n`);
}

/**
 * Prints a message that the run's page shows.
 *
 * @param {"notice" | "warning" | "error"} kind
 * @param {string} message
 */
export function show(kind, message) {
  process.stdout.write(`::${kind} title=mcp-codegen::${escapeMessage(message)}\n`);
}

/**
 * Escapes what would end a command of the log, so that no text can begin another one.
 *
 * @param {string} text
 */
export function escapeMessage(text) {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
