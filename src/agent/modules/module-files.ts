import { existsSync } from "node:fs";
import { basename } from "node:path";
import { checkArgument, checkOptions, FLAG, TEXT } from "../../core/check-options.js";
import { sha256 } from "../../core/digest.js";
import { type LineFile, openLineFile } from "../../files/line-file.js";
import { readTextBounded } from "../../files/read-files.js";
import { fileFailed } from "../../files/write-atomic.js";
import type { RecordedCall } from "../../runtime/call-recorder.js";
import { parseChanges, type ParsedChanges } from "../replay/parse-changes.js";
import { EMBEDDER, type Embedder } from "../search/create-tool-search.js";

export interface ChangeFileOptions {
  /** Syncs the disk after each change, so that it survives a power failure. Default: false. */
  readonly fsync?: boolean | undefined;
}

/**
 * Opens a store on disk for `createChangeTracker`. Each change is appended by one write, so a process that is killed loses at most
 * the call it was waiting for. Several processes may write to one file.
 *
 * @throws McpCodegenError `FILE_FAILED`, here and from each of its methods
 */
export function openChangeFile(path: string, options: ChangeFileOptions = {}): LineFile {
  checkArgument("openChangeFile", "path", path, TEXT);
  checkOptions("openChangeFile", options, { fsync: FLAG });
  const { fsync = false } = options;
  return openLineFile(path, { sync: fsync });
}

/**
 * Returns the changes in a file, and its damaged lines.
 *
 * @throws McpCodegenError `FILE_FAILED`
 */
export async function readChanges<Recorded extends RecordedCall = RecordedCall>(
  path: string,
): Promise<ParsedChanges<Recorded>> {
  checkArgument("readChanges", "path", path, TEXT);
  const text = await readTextBounded(path, (cause) =>
    fileFailed(`"${basename(path)}" cannot be read`, cause),
  );
  return parseChanges<Recorded>(text.split("\n"));
}

/**
 * Opens a journal on disk for `replay`. Each line is on the disk before the call that it announces is made.
 *
 * @throws McpCodegenError `FILE_FAILED`, here and from each of its methods
 */
export function openJournal(path: string): LineFile {
  checkArgument("openJournal", "path", path, TEXT);
  return openLineFile(path, { sync: true });
}

/** Opens the journal at a path; undefined if there is none. Throws `FILE_FAILED`. */
export function findJournal(path: string): LineFile | undefined {
  return existsSync(path) ? openJournal(path) : undefined;
}

export interface VectorFileOptions {
  /** Created if needed, readable only by its owner. Delete it at any time. */
  readonly path: string;
  /** Names the embedder's model and its settings. Vectors of other models are not used. */
  readonly model: string;
}

/** A digest, a dimension, and 32-bit floats in base64. */
const LINE =
  /^([0-9a-f]{64}) (\d{1,6}) ((?:[A-Za-z0-9+/]{4})+|(?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/]{2,3}={1,2})$/;

/**
 * Returns an embedder that keeps the vectors of tools in a file, by the digest of the text and the model, so that a program
 * embeds only new texts when it starts. The file holds no texts, and nothing about queries.
 *
 * @throws McpCodegenError `USAGE` for an unknown option; `FILE_FAILED` when it embeds, if the file cannot be read or written
 */
export function keepVectors(embedder: Embedder, options: VectorFileOptions): Embedder {
  checkArgument("keepVectors", "embedder", embedder, EMBEDDER);
  checkOptions<VectorFileOptions>("keepVectors", options, { path: TEXT, model: TEXT }, ["path", "model"]);
  const { path, model } = options;
  const digestOfText = (text: string): string => sha256(JSON.stringify([model, text]));
  let saved: Map<string, Float32Array> | undefined;
  return {
    embed: async (texts, purpose) => {
      if (purpose !== "tool") return embedder.embed(texts, purpose);
      const file = openLineFile(path);
      try {
        const vectors = (saved ??= readVectors(file.read()));
        const missing = [...new Set(texts)].filter((text) => !vectors.has(digestOfText(text)));
        const embedded = missing.length === 0 ? [] : await embedder.embed(missing, purpose);
        embedded.forEach((vector, at) => {
          const digest = digestOfText(missing[at] ?? "");
          vectors.set(digest, vector);
          const encoded = btoa(String.fromCharCode(...new Uint8Array(Float32Array.from(vector).buffer)));
          file.append(`${digest} ${vector.length} ${encoded}`);
        });
        return texts.flatMap((text) => vectors.get(digestOfText(text)) ?? []);
      } finally {
        file.close();
      }
    },
  };
}

/** Ignores incomplete lines. */
function readVectors(lines: readonly string[]): Map<string, Float32Array> {
  const vectors = new Map<string, Float32Array>();
  for (const line of lines) {
    const [, digest, dimension, encoded] = LINE.exec(line) ?? [];
    if (digest === undefined || encoded === undefined) continue;
    const bytes = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
    if (bytes.length === 4 * Number(dimension)) vectors.set(digest, new Float32Array(bytes.buffer));
  }
  return vectors;
}
