import type { ReportDocument } from "../report/documents.js";
import type { Paint } from "../report/paint.js";
import { printJson } from "../report/printable.js";
import { createPaint } from "./colours.js";
import type { Io } from "./io.js";
import type { OptionValues } from "./options.js";

export type GlobalOptions = OptionValues<"config" | "envFile" | "json" | "color">;

/** What every command gets: where it speaks, and how. */
export interface Context {
  readonly io: Io;
  readonly options: GlobalOptions;
  /** For lines given to `say`. */
  readonly paint: Paint;
  /** Whether somebody is there to answer a question. */
  readonly isInteractive: boolean;
  /** Lines for people: on stdout, or on stderr when stdout belongs to `--json`. */
  readonly say: (lines: readonly string[]) => void;
  /** The document of `--json`; without the option, nothing. */
  readonly answer: (document: ReportDocument) => void;
}

export function createContext(io: Io, options: GlobalOptions): Context {
  const isJson = options.json === true;
  const stream = isJson ? io.stderr : io.stdout;
  return {
    io,
    options,
    paint: createPaint(stream, io, options),
    isInteractive: io.stdin.isTTY === true && io.stderr.isTTY === true && !isJson && !isCi(io.env),
    say: (lines) => {
      if (lines.length > 0) stream.write(`${lines.join("\n")}\n`);
    },
    answer: (document) => {
      if (isJson) io.stdout.write(`${printJson(document)}\n`);
    },
  };
}

/** Whether a continuous integration service runs us: they all set `CI`. */
export function isCi(env: NodeJS.ProcessEnv): boolean {
  const value = env["CI"];
  return value !== undefined && value !== "" && value !== "false" && value !== "0";
}
