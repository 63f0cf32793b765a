import { listWords } from "./collections.js";

/** The reasons for which work stops, with the exit code of the command line. */
const EXIT_CODES = {
  /** A flag, an argument or a combination of them that makes no sense. */
  USAGE: 2,
  /** A call or a replay requires confirmation, and there is no terminal. */
  CONFIRMATION_REQUIRED: 2,
  /** No configuration where one was named or is needed. */
  CONFIG_NOT_FOUND: 2,
  /** A configuration that does not parse or does not validate. */
  CONFIG_INVALID: 2,
  /** `${NAME}` without a value and without a default. */
  VARIABLE_MISSING: 2,
  /** A literal credential in the configuration. */
  SECRET_LITERAL: 2,
  /** A server name that the configuration or the lock does not have. */
  SERVER_UNKNOWN: 2,
  /** A tool name that the lock does not have, that several tools share, or that the policy hides. */
  TOOL_UNKNOWN: 2,
  /** No lockfile where one is needed. */
  LOCK_NOT_FOUND: 2,
  /** A lockfile that does not parse, or whose digests do not match its definitions. */
  LOCK_INVALID: 2,
  /** A lockfile with merge markers. */
  LOCK_CONFLICTED: 2,
  /** A lockfile of a later mcp-codegen. */
  LOCK_NEWER: 2,
  /** A file of waivers that does not parse, or does not validate. */
  WAIVERS_INVALID: 2,
  /** A file that is given as a saved list of tools, and holds none. Of a source of the configuration: `PROTOCOL_INVALID`. */
  LIST_INVALID: 2,
  /** A file of changes with invalid lines. */
  CHANGES_INVALID: 2,
  /** A file of a cassette that does not parse, does not validate, or is of another tool. */
  CASSETTE_INVALID: 2,
  /** A file of observed answers that does not parse, or does not validate. */
  OBSERVED_INVALID: 2,
  /** A cassette of a later mcp-codegen. */
  CASSETTE_NEWER: 2,
  /** A call that a replayed cassette does not have. */
  CALL_NOT_RECORDED: 2,
  /** A journal of another replay. */
  JOURNAL_INVALID: 2,
  /** A security finding in the lock that was not accepted. */
  FINDING_UNACCEPTED: 2,
  /** Two tools that would get one file, one export or one place among the tools that were found. */
  NAME_COLLISION: 2,
  /** A generated file that somebody edited, or a file in our way that is not ours. */
  FILE_EDITED: 2,
  /** A schema that cannot be read at all: a `$ref` cycle without a step between, an external `$ref`, too deep. */
  SCHEMA_INVALID: 2,
  /** An npm package that is needed and not installed. */
  DEPENDENCY_MISSING: 2,
  /** git is not installed, the folder is not in a repository, or the repository cannot be read. */
  GIT_FAILED: 2,
  /** A git ref that the repository does not have; a shallow clone, most of the time. */
  REF_UNKNOWN: 2,
  /** A module that should hold tools and cannot be imported. */
  TOOL_MODULE_FAILED: 2,
  /** The file system said no. */
  FILE_FAILED: 2,
  /** No connection, or it broke. */
  SERVER_UNREACHABLE: 3,
  /** The server answered and refused: authentication, a JSON-RPC error, a session it does not know. */
  SERVER_REFUSED: 3,
  /** The server requires a login, or a login that is valid or has more scopes. */
  LOGIN_REQUIRED: 3,
  /** A login or a request for a token that failed. */
  LOGIN_FAILED: 3,
  /** A saved login that belongs to another user, that other users can read, or that is damaged. */
  LOGIN_UNSAFE: 2,
  /** The server did not answer in time. */
  SERVER_TIMEOUT: 3,
  /** Not an MCP answer: a login page, a PHP error, garbage. */
  PROTOCOL_INVALID: 3,
  /** The server does not speak the protocol version, or the era of the protocol, that is required. */
  PROTOCOL_UNSUPPORTED: 3,
  /** A cursor that repeats or never ends, or a list that ends early. */
  LIST_INCOMPLETE: 3,
  /** Calls before a list that were not confirmed, or are not read-only. */
  PRELUDE_REFUSED: 3,
  /** Two lists in one run that differ. */
  LIST_UNSTABLE: 3,
  /** A list made for another account than the locked one. */
  PRINCIPAL_MISMATCH: 3,
  /** The user's PHP does not run to its end: a parse error, a crash, an `exit`. */
  PHP_FAILED: 3,
} as const;

export type ErrorCode = keyof typeof EXIT_CODES;

interface McpCodegenErrorOptions {
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  readonly stderr?: readonly string[] | undefined;
}

/**
 * `instanceof` for a public error class: holds for errors of any copy of the package. A program can load two copies: a loader
 * such as tsx runs a CommonJS project's imports in one, and its dynamic imports in the other.
 *
 * @param asked the class on the right of `instanceof`: the public class or a subclass, which has the usual meaning
 */
export function isInstance(
  asked: object,
  ofClass: { readonly own: object; readonly name: string },
  value: unknown,
): boolean {
  if (asked !== ofClass.own) return Function.prototype[Symbol.hasInstance].call(asked, value);
  // Not "instanceof Error": a test runner's sandbox has an Error of its own.
  if (Object.prototype.toString.call(value) !== "[object Error]") return false;
  return typeof value === "object" && value !== null && "name" in value && value.name === ofClass.name;
}

/** Cuts long words in the middle: an unknown name that a message repeats may have any length. Lists of values have shorter words. */
export function cutWords(message: string): string {
  return message.replace(/[^\s"'|,;{}[\]()]{121,}/g, (word) => `${word.slice(0, 80)}…${word.slice(-20)}`);
}

/** A failure in one line, with names in quotes, and a hint how to fix it. */
export class McpCodegenError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(this, { own: McpCodegenError, name: "McpCodegenError" }, value);
  }

  override readonly name = "McpCodegenError";
  readonly code: ErrorCode;
  /** The command or key that fixes it. */
  readonly hint: string | undefined;
  /** The last lines of a started server's stderr: hostile, but short, and without control characters and known secrets. */
  readonly stderr: readonly string[];

  constructor(code: ErrorCode, message: string, options: McpCodegenErrorOptions = {}) {
    super(cutWords(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.stderr = options.stderr ?? [];
  }

  /** 2 when the user's input is at fault, 3 when something could not be checked. */
  get exitCode(): 2 | 3 {
    return EXIT_CODES[this.code];
  }
}

/** Describes an error on one line for programs and models: the message, the last lines of the server's stderr, and the hint. */
export function explainError(error: unknown): string {
  if (!(error instanceof McpCodegenError)) return messageOf(error);
  const { message, hint, stderr } = error;
  const [last = ""] = stderr.slice(-1);
  // The last line of npm and npx says where the log is.
  const ofNpm = stderr.map((line) => /^npm (?:error|ERR!) +(.*)/.exec(line)?.[1] ?? "").filter(Boolean);
  const ofProgram = /\berror\b|exception/i.test(last) ? last : stderr.slice(-3).join(" ");
  const wrote = ofNpm.length > 0 ? `npm error ${ofNpm.join(" ")}` : ofProgram;
  return [
    message,
    ...(wrote === "" ? [] : [`It wrote: ${wrote.length > 200 ? `${wrote.slice(0, 200)}…` : wrote}`]),
    ...(hint === undefined ? [] : [hint]),
  ].join(" ");
}

/** Returns the message of what was thrown, which may be any value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Calls a function of the program. Its failure, also a later one, goes to `onFailure`: it must not fail our work. */
export function callSafely<A extends readonly unknown[]>(
  call: ((...args: A) => unknown) | undefined,
  args: A,
  onFailure: (error: unknown) => void = () => undefined,
): void {
  try {
    const result = call?.(...args);
    if (result instanceof Promise) result.catch(onFailure);
  } catch (error) {
    onFailure(error);
  }
}

/** Returns an error's code, such as `ENOENT`. Not by `instanceof`: under Jest, Node's errors have another `Error`. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** A variable without a value, and the configuration key that needs it. */
export interface MissingVariable {
  readonly name: string;
  readonly where: string;
}

/** Variables without a value and without a default: all that settings need, not only the first. Names no value. */
export class MissingVariablesError extends McpCodegenError {
  readonly variables: readonly MissingVariable[];

  constructor(variables: readonly MissingVariable[]) {
    const names = [...new Set(variables.map(({ name }) => name))];
    super("VARIABLE_MISSING", describeMissing(names, variables), {
      // Generated code reads the environment alone.
      hint: `Set ${listWords(names)} in the environment, or for the command line in ".env.local", or give ${
        names.length === 1 ? "it a default" : "them defaults"
      }: \${${names[0] ?? ""}:-…}.`,
    });
    this.variables = variables;
  }
}

function describeMissing(names: readonly string[], variables: readonly MissingVariable[]): string {
  const keysOf = (name: string): string =>
    listWords([...new Set(variables.filter((variable) => variable.name === name).map(({ where }) => where))]);
  const [name = ""] = names;
  if (names.length === 1) {
    const keys = new Set(variables.map(({ where }) => where));
    return `Variable "${name}" has no value, and ${keysOf(name)} ${keys.size === 1 ? "needs" : "need"} it.`;
  }
  return `Variables ${listWords(names.map((each) => `"${each}" (for ${keysOf(each)})`))} have no value.`;
}
