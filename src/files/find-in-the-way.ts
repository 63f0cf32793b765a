import type { FoundFile } from "./read-generated-folder.js";

/** The message and the hint for a file or folder that blocks a generated file. */
export const IN_THE_WAY = {
  reason: "Not generated, and in the way.",
  hint: "Move or delete what is there, or choose another output folder.",
} as const;

/**
 * Returns a function that finds the entry in the output folder that blocks a generated path: a file or link that is
 * not generated at this path or at a folder above it, or a folder at this path. Paths that differ only in case count
 * as one.
 */
export function findInTheWay(found: readonly FoundFile[]): (path: string) => string | undefined {
  const foreign = new Map(
    found.filter(({ header }) => header === undefined).map(({ path }) => [foldCase(path), path]),
  );
  const folders = new Set(found.flatMap(({ path }) => foldersAbove(path)));
  return (path) => {
    const blocker = [...foldersAbove(path), path].find((part) => foreign.has(foldCase(part)));
    if (blocker !== undefined) return foreign.get(foldCase(blocker));
    return folders.has(path) ? path : undefined;
  };
}

/** `a/b/c.ts` gives `a` and `a/b`. */
export function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Paths with the same result are the same file on some file systems. */
export function foldCase(path: string): string {
  return path.normalize("NFC").toLowerCase();
}
