import { Buffer } from "node:buffer";
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { fileFailed, makeFolder } from "./write-atomic.js";

/** A file of lines that several processes may append to. A killed process may leave an incomplete line. */
export interface LineFile {
  /** Appends a line, which the system then has even if the process is killed. Throws `FILE_FAILED`. */
  append(line: string): void;
  /** Returns every line, also after `close`; the last one may be incomplete. Throws `FILE_FAILED`. */
  read(): readonly string[];
  /** Removes every line. Throws `FILE_FAILED`. */
  clear(): void;
  close(): void;
}

const NEWLINE = 0x0a;

/**
 * Opens a file of lines, readable only by its owner; creates the file and its folder if needed. Each line is appended
 * with one write, so a killed process leaves at most one incomplete line. The next line then starts on a new line.
 *
 * @param options.sync Waits for the disk after each line, so that it survives a power failure.
 * @throws McpCodegenError `FILE_FAILED`
 */
export function openLineFile(path: string, { sync = false }: { readonly sync?: boolean } = {}): LineFile {
  const attempt = <T>(what: string, work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw fileFailed(`"${basename(path)}" cannot be ${what}`, cause);
    }
  };
  const file = attempt("opened", () => {
    makeFolder(dirname(path));
    return openSync(path, "a+", 0o600);
  });
  const readBytes = (from: number, size: number): Buffer => {
    const bytes = Buffer.alloc(size);
    let filled = 0;
    for (;;) {
      const count = readSync(file, bytes, filled, size - filled, from + filled);
      filled += count;
      if (count === 0 || filled === size) return bytes.subarray(0, filled);
    }
  };
  let isClosed = false;
  /** The number of a closed file may be that of another file by now. */
  const assertOpen = (): void => {
    if (isClosed) throw new Error("it was closed");
  };
  const endsInLine = (): boolean => {
    const { size } = fstatSync(file);
    return size > 0 && readBytes(size - 1, 1)[0] !== NEWLINE;
  };

  return {
    append: (line) => {
      attempt("written", () => {
        assertOpen();
        const bytes = Buffer.from(`${endsInLine() ? "\n" : ""}${line}\n`);
        const written = writeSync(file, bytes);
        if (written < bytes.length) throw new Error("ENOSPC: the line does not fit on the disk, write");
        if (sync) fsyncSync(file);
      });
    },
    read: () =>
      attempt("read", () => {
        const bytes = isClosed ? readFileSync(path) : readBytes(0, fstatSync(file).size);
        const lines = bytes.toString("utf8").split("\n");
        return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
      }),
    clear: () => {
      attempt("emptied", () => {
        assertOpen();
        ftruncateSync(file, 0);
      });
    },
    close: () => {
      if (isClosed) return;
      isClosed = true;
      closeSync(file);
    },
  };
}
