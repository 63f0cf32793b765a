import { posix } from "node:path";
import type { GeneratedFile } from "../contract/generated-file.js";

/** The differences between the output folder and the files of a lock. */
export interface Tree {
  readonly files: readonly GeneratedFile[];
  /** Paths to remove. */
  readonly removed: readonly string[];
}

/** Texts that replace files on the disk, by absolute posix path; undefined for a removed file. */
export type Overlay = ReadonlyMap<string, string | undefined>;

/** Returns the overlay of a tree. Links may give the output folder several paths. */
export function overlayOf({ files, removed }: Tree, folders: readonly string[]): Overlay {
  return new Map(
    folders.flatMap((folder) => [
      ...removed.map((path): [string, undefined] => [posix.join(folder, path), undefined]),
      ...files.map(({ path, text }): [string, string] => [posix.join(folder, path), text]),
    ]),
  );
}
