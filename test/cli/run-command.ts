import { PassThrough, Writable } from "node:stream";
import { run } from "../../src/cli/run.js";
import { type Io } from "../../src/cli/context.js";
import { SECTIONS } from "../../src/core/findings.js";
import type { RowDocument } from "../../src/report/documents.js";

export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A stream that keeps what was written to it. */
class Memory extends Writable {
  text = "";
  readonly isTTY: boolean;
  readonly columns: number | undefined;

  constructor(isTTY: boolean, columns: number | undefined) {
    super();
    this.isTTY = isTTY;
    this.columns = columns;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString("utf8");
    done();
  }
}

/** The words of a command line, or a text of words without quotes. */
export type CommandLine = string | readonly string[];

export function wordsOf(line: CommandLine): readonly string[] {
  return typeof line === "string" ? line.split(" ") : line;
}

/** Runs a command line in this process, without the terminal and the environment of the tests. */
export async function runCommand(
  line: CommandLine,
  options: {
    readonly cwd: string;
    readonly env?: NodeJS.ProcessEnv;
    readonly isTTY?: boolean;
    /** The width of the terminal. */
    readonly columns?: number;
    /** The input on a terminal. */
    readonly keys?: string | undefined;
    /** The input from a pipe. */
    readonly piped?: string;
    readonly signal?: AbortSignal;
    /** The same function of the build. */
    readonly run?: typeof run;
  },
): Promise<Outcome> {
  const isTTY = options.isTTY ?? options.keys !== undefined;
  const stdout = new Memory(isTTY, options.columns);
  const stderr = new Memory(isTTY, options.columns);
  const stdin = new PassThrough();
  if (options.keys === undefined) stdin.end(options.piped);
  else stdin.write(options.keys);
  const io: Io = {
    stdin: Object.assign(stdin, options.keys !== undefined && { isTTY: true, setRawMode: () => stdin }),
    stdout,
    stderr,
    cwd: options.cwd,
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      WP_CORE_DIR: process.env["WP_CORE_DIR"],
      // Run all tests with `0` and with a folder: the cache must change no report.
      MCP_CODEGEN_CACHE: process.env["MCP_CODEGEN_TEST_CACHE"] ?? "0",
      ...options.env,
    },
    ...(options.signal !== undefined && { signal: options.signal }),
  };
  const exitCode = await (options.run ?? run)(wordsOf(line), io);
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** As {@link runCommand} with `--json`; returns the document on stdout. Its rows are also lists, see {@link withSections}. */
export async function runJson(
  line: CommandLine,
  options: Parameters<typeof runCommand>[1],
): Promise<Outcome & { readonly document: { readonly [key: string]: unknown } }> {
  const outcome = await runCommand([...wordsOf(line), "--json"], options);
  const document = JSON.parse(outcome.stdout) as { readonly [key: string]: unknown };
  return { ...outcome, document: withSections(document) };
}

/** Returns the document of a check or a comparison with the findings of its rows as lists, by section. */
export function withSections(document: { readonly [key: string]: unknown }): {
  readonly [key: string]: unknown;
} {
  const rows = document["rows"] as RowDocument[] | undefined;
  if (rows === undefined) return document;
  const lists = SECTIONS.map((section) => [
    section,
    rows.filter((row) => row.section === section).flatMap(({ findings }) => findings),
  ]);
  return { ...document, ...(Object.fromEntries(lists) as object) };
}
