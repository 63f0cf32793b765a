import picocolors from "picocolors";
import { Console } from "node:console";
import type { Readable } from "node:stream";
import type { ServerOutputListener } from "../core/connection.js";
import { printable, printJson } from "../core/printable.js";
import type { ReportDocument } from "../report/documents.js";
import type { Paint } from "../report/layout.js";
import type { GlobalOptions } from "./options.js";
import { columnsOf, nameConfig, type Output, wrapLines } from "./print-text.js";
import { createRequire } from "node:module";
import { dirname } from "node:path";

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
  /** Prints lines as `print` and a document as `printDocument`. Returns the exit code of the document. */
  readonly report: (document: ReportDocument, lines?: readonly string[]) => number;
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
  const print = (lines: readonly string[]): void => {
    if (lines.length > 0)
      stream.write(`${wrapLines(nameConfig(lines, options.config), stream).join("\n")}\n`);
  };
  const printDocument = (document: ReportDocument, indent = 2): void => {
    if (isJson) io.stdout.write(`${printJson(document, indent)}\n`);
  };
  return {
    io,
    options,
    paint: createPaint(stream, io, options),
    width: columnsOf(stream) ?? LOG_WIDTH,
    isInteractive: io.stdin.isTTY === true && io.stderr.isTTY === true && isForPeople && !isCi(io.env),
    print,
    printText: (text) => {
      if (text !== "") stream.write(text);
    },
    printDocument,
    printDocumentLine: (document) => {
      printDocument(document, 0);
    },
    report: (document, lines = []) => {
      print(lines);
      printDocument(document);
      return document.exitCode;
    },
  };
}

/** Returns the colours for a stream: by `--no-color`, NO_COLOR (no-color.org), FORCE_COLOR, or whether it is a terminal. */
export function createPaint(stream: Output, { env }: Io, { color }: GlobalOptions): Paint {
  const isRefused = color === false || (env["NO_COLOR"] ?? "") !== "";
  const force = env["FORCE_COLOR"];
  const isWanted = force === undefined ? isUpdatable(stream, env) : force !== "0" && force !== "false";
  return picocolors.createColors(!isRefused && isWanted);
}

/** Whether a stream is a terminal that can colour text, and write a line again. */
export function isUpdatable({ isTTY }: Output, env: NodeJS.ProcessEnv): boolean {
  return isTTY === true && env["TERM"] !== "dumb";
}

/** Line width without a terminal, such as for a log in a browser. */
export const LOG_WIDTH = 140;

/** Whether this runs in continuous integration, which sets `CI`. */
export function isCi(env: NodeJS.ProcessEnv): boolean {
  return !["", "false", "0"].includes(env["CI"] ?? "");
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
  /** Calls that may have changed something, which an interruption names. */
  readonly made?: Set<string>;
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

/** With `--verbose`, a listener that prints what started servers write to stderr. */
export function listenToServers({ io, options }: Context): ServerOutputListener | undefined {
  if (options.verbose !== true) return undefined;
  return (server, line) => void io.stderr.write(`${server}: ${printable(line, 1_000)}\n`);
}

/** Prints lines for people to stderr, wrapped on a terminal. */
export function printOnStderr(
  { io: { stderr }, options }: Pick<Context, "io" | "options">,
  lines: readonly string[],
): void {
  stderr.write(`${wrapLines(nameConfig(lines, options.config), stderr).join("\n")}\n`);
}

/** Prints a line about the work of a command to stderr. */
export function printWarning({ io }: Context, line: string): void {
  io.stderr.write(`${printable(line, 1_000)}\n`);
}

/** The parts of the package.json of mcp-codegen that are read. */
interface OwnPackage {
  readonly version: string;
  /** Where to report a bug. */
  readonly bugs: string;
  /** The packages that a deployment may omit. */
  readonly optionalDependencies: { readonly [name: string]: string };
}

export function readPackage(): OwnPackage {
  return createRequire(import.meta.url)("mcp-codegen/package.json") as OwnPackage;
}

/** Returns the folder of mcp-codegen. */
export function packageRoot(): string {
  return dirname(createRequire(import.meta.url).resolve("mcp-codegen/package.json"));
}
