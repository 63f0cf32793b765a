import picocolors from "picocolors";
import { Console } from "node:console";
import type { Readable } from "node:stream";
import type { ServerOutputListener } from "../core/connection.js";
import { printable, printJson } from "../core/printable.js";
import type { ReportDocument } from "../report/documents.js";
import type { Paint } from "../report/layout.js";
import type { GlobalOptions } from "./options.js";
import { columnsOf, type Output, wrapLines } from "./print-text.js";

/** The input, output and global options of a command. */
export interface Context {
  readonly io: Io;
  readonly options: GlobalOptions;
  /** Colours for the lines of `print`. */
  readonly paint: Paint;
  /** Width of those lines in columns. */
  readonly width: number;
  /** Whether a user at a terminal can answer questions. */
  readonly isInteractive: boolean;
  /** Prints lines for people to stdout, or to stderr if stdout carries JSON or another report; wrapped on a terminal. */
  readonly print: (lines: readonly string[]) => void;
  /** As `print`, for text that contains its newlines. */
  readonly printText: (text: string) => void;
  /** Prints the document of `--json`; prints nothing without that option. */
  readonly printDocument: (document: ReportDocument) => void;
  /** As `printDocument`, on one line (NDJSON), for a command that prints several. */
  readonly printDocumentLine: (document: ReportDocument) => void;
}

/** Set `isStdoutTaken` if stdout carries a report in a machine-readable format. */
export function createCommandContext(
  io: Io,
  options: GlobalOptions,
  { isStdoutTaken = false }: { readonly isStdoutTaken?: boolean } = {},
): Context {
  const isJson = options.json === true;
  const isForPeople = !isJson && !isStdoutTaken;
  const stream = isForPeople ? io.stdout : io.stderr;
  return {
    io,
    options,
    paint: createPaint(stream, io, options),
    width: columnsOf(stream) ?? LOG_WIDTH,
    isInteractive: io.stdin.isTTY === true && io.stderr.isTTY === true && isForPeople && !isCi(io.env),
    print: (lines) => {
      if (lines.length > 0) stream.write(`${wrapLines(lines, stream).join("\n")}\n`);
    },
    printText: (text) => {
      if (text !== "") stream.write(text);
    },
    printDocument: (document) => {
      if (isJson) io.stdout.write(`${printJson(document)}\n`);
    },
    printDocumentLine: (document) => {
      if (isJson) io.stdout.write(`${printJson(document, 0)}\n`);
    },
  };
}

/** Returns the colours for a stream: by `--no-color`, NO_COLOR (no-color.org), FORCE_COLOR, or whether it is a terminal. */
export function createPaint(stream: Output, { env }: Io, { color }: GlobalOptions): Paint {
  return picocolors.createColors(hasColours(stream, env, color));
}

function hasColours(stream: Output, env: NodeJS.ProcessEnv, color: boolean | undefined): boolean {
  if (color === false || isSet(env["NO_COLOR"])) return false;
  const force = env["FORCE_COLOR"];
  if (force !== undefined) return force !== "0" && force !== "false";
  return stream.isTTY === true && env["TERM"] !== "dumb";
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}

/** Line width without a terminal, such as for a log in a browser. */
export const LOG_WIDTH = 140;

/** Whether this runs in continuous integration, which sets `CI`. */
export function isCi(env: NodeJS.ProcessEnv): boolean {
  const value = env["CI"];
  return value !== undefined && value !== "" && value !== "false" && value !== "0";
}

/** Today's date in UTC, which decides whether a waiver has expired. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** The parts of the process that a command may use. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Aborted with the signal's name as reason when the user interrupts. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs user code with `console` redirected to stderr, since stdout carries the `--json` document or the protocol. */
export async function redirectConsole<T>({ stderr }: Io, work: () => Promise<T>): Promise<T> {
  const { console } = globalThis;
  globalThis.console = new Console({ stdout: stderr, stderr });
  try {
    return await work();
  } finally {
    globalThis.console = console;
  }
}

/** With `--verbose`, a listener that prints what started servers write to stderr; otherwise nothing. */
export function printServerOutput({ io, options }: Context): {
  readonly onStderr: ServerOutputListener | undefined;
} {
  const onStderr: ServerOutputListener = (server, line) => {
    io.stderr.write(`${server}: ${printable(line, 1_000)}\n`);
  };
  return { onStderr: options.verbose === true ? onStderr : undefined };
}

/** The signal of a command, and the listener of {@link printServerOutput}. */
export function runOptionsOf(context: Context): {
  readonly onStderr: ServerOutputListener | undefined;
  readonly signal: AbortSignal | undefined;
} {
  return { ...printServerOutput(context), signal: context.io.signal };
}
