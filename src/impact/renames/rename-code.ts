import { posix } from "node:path";
import type { Rename } from "../../core/rename.js";
import { type Generated, posixPath } from "../open-project.js";
import { type FileEdit, findEdits, type PlacedRename } from "./find-edits.js";
import { findLeftovers, type Leftover } from "./find-leftovers.js";
import { type CodeLocation, openCode } from "./open-code.js";

/** The user's code, opened against the generated files that it was written for. Paths are relative to the configuration. */
export interface CodeToRename {
  readonly renames: readonly PlacedRename[];
  /** The files that use generated code. */
  readonly users: readonly string[];
  readonly editsOf: (renames: readonly Rename[]) => readonly FileEdit[];
  /** Compiles the code after the edits of some renames, and returns the places that a person has to look at. */
  readonly findLeft: (renames: readonly Rename[]) => readonly Leftover[];
}

/**
 * @param renames all renames, also those that may not be applied
 * @param after the new generated files
 * @throws McpCodegenError `USAGE` for a TypeScript configuration that cannot be read
 */
export function openCodeToRename(
  code: CodeLocation,
  renames: readonly PlacedRename[],
  after: Generated,
): CodeToRename {
  const projects = openCode(code);
  const pathOf = (path: string): string => posix.relative(posixPath(code.dir), path);
  const edits = new Map(
    renames.map((placed) => [placed, projects.flatMap((project) => findEdits(project, placed))]),
  );
  const placedOf = (some: readonly Rename[]): readonly PlacedRename[] =>
    renames.filter(({ rename }) => some.includes(rename));
  const editsOf = (some: readonly Rename[]): readonly FileEdit[] =>
    placedOf(some).flatMap((placed) => edits.get(placed) ?? []);
  return {
    renames,
    users: projects.flatMap(({ users }) => users).map(pathOf),
    editsOf: (some) => editsOf(some).map((edit) => ({ ...edit, path: pathOf(edit.path) })),
    findLeft: (some) =>
      projects.flatMap((project) => findLeftovers(project, code.dir, editsOf(some), placedOf(some), after)),
  };
}
