import { posix } from "node:path";
import type { GeneratedFile } from "../contract/generated-file.js";

/** How the output folder would have to differ from the disk to be what one lock gives. */
export interface Tree {
  readonly files: readonly GeneratedFile[];
  /** Paths that would be gone. */
  readonly removed: readonly string[];
}

/** Texts that are laid over the disk, by absolute posix path; undefined for a file that counts as not there. */
export type Overlay = ReadonlyMap<string, string | undefined>;

/** A tree in its place. The folder may be known under several names when links lead to it. */
export function overlayOf({ files, removed }: Tree, folders: readonly string[]): Overlay {
  return new Map(
    folders.flatMap((folder) => [
      ...removed.map((path): [string, undefined] => [posix.join(folder, path), undefined]),
      ...files.map(({ path, text }): [string, string] => [posix.join(folder, path), text]),
    ]),
  );
}
