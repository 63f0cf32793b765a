import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../../src/core/json.js";

/** A definition of a corpus. */
export interface Entry {
  readonly section: string;
  /** The text in the file. */
  readonly line: string;
  /** Keys of a tool's definition. */
  readonly definition: JsonObject;
}

export type Corpus = "attacks" | "benign" | "held-out-attacks" | "held-out-benign";

/** Returns the entries of a file in `corpus/`. The comment at its top describes the format. */
export function readCorpus(name: Corpus): readonly Entry[] {
  const lines = readFileSync(join(import.meta.dirname, "corpus", `${name}.txt`), "utf8").split("\n");
  let section = "";
  return lines.flatMap((line): readonly Entry[] => {
    if (line.startsWith("## ")) section = line.slice(3);
    const isEntry = line.trim() !== "" && !/^##? /.test(line);
    return isEntry ? [{ section, line, definition: readLine(line) }] : [];
  });
}

function readLine(line: string): JsonObject {
  const parameter = /^@(\S+) \| (.*)$/.exec(line);
  if (parameter === null) return { description: unescape(line) };
  const [, name = "", description = ""] = parameter;
  return {
    inputSchema: {
      type: "object",
      properties: { [name]: { type: "string", description: unescape(description) } },
    },
  };
}

const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", "\\": "\\" };

function unescape(text: string): string {
  return text.replace(/\\(?:u\{([0-9a-f]+)\}|([nr\\]))/g, (_, code?: string, control = "") =>
    code === undefined
      ? (CONTROLS[control as string] ?? "")
      : String.fromCodePoint(Number.parseInt(code, 16)),
  );
}
