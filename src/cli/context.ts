import type { ReportDocument } from "../report/documents.js";
import type { Paint } from "../report/paint.js";
import { printJson } from "../contract/printable.js";
import { createPaint } from "./colours.js";
import type { CommandName, CommandOptions } from "./command-table.js";
import type { Io } from "./io.js";
import type { OptionValues } from "./options.js";

export type GlobalOptions = OptionValues<"config" | "envFile" | "json" | "verbose" | "color">;

/** What every command gets: where it speaks, and how. */
export interface Context {
  readonly io: Io;
  readonly options: GlobalOptions;
  /** For lines given to `say`. */
  readonly paint: Paint;
  /** Columns for those lines. */
  readonly width: number;
  /** Whether somebody is there to answer a question. */
  readonly isInteractive: boolean;
  /** Lines for people: on stdout, or on stderr when stdout belongs to a program. */
  readonly print: (lines: readonly string[]) => void;
  /** As `say`, for lines that have their newlines. */
  readonly printText: (text: string) => void;
  /** The document of `--json`; without the option, nothing. */
  readonly printDocument: (document: ReportDocument) => void;
}

/** Does one command's work, given its positional arguments and its options, and returns the exit code; foreseen errors are thrown as `McpCodegenError`. */
export type Runner<C extends CommandName> = (
  context: Context,
  args: readonly string[],
  options: CommandOptions<C>,
) => Promise<number>;

/** `isStdoutTaken` when a report in a format for programs goes there. */
export function createContext(
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
    width: stream.columns ?? LOG_WIDTH,
    isInteractive: io.stdin.isTTY === true && io.stderr.isTTY === true && isForPeople && !isCi(io.env),
    print: (lines) => {
      if (lines.length > 0) stream.write(`${lines.join("\n")}\n`);
    },
    printText: (text) => {
      if (text !== "") stream.write(text);
    },
    printDocument: (document) => {
      if (isJson) io.stdout.write(`${printJson(document)}\n`);
    },
  };
}

/** What fits a line where there is no terminal, such as in a log that a browser shows. */
export const LOG_WIDTH = 140;

/** Whether a continuous integration service runs us: they all set `CI`. */
export function isCi(env: NodeJS.ProcessEnv): boolean {
  const value = env["CI"];
  return value !== undefined && value !== "" && value !== "false" && value !== "0";
}

/** The day it is, in UTC: waivers expire by it. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
