import type { CallSite, PhpSpot } from "../core/change.js";
import { findEntry } from "../core/entries.js";
import { joinPointer } from "../core/json-pointer.js";
import { locateInJson, type Region } from "../core/json-text.js";

/** Paths of a report's files, posix, relative to the root of the repository. */
export interface ReportPlaces {
  /** The compared lock and its text; absent when no lockfile was compared. */
  readonly lock?: { readonly path: string; readonly text: string } | undefined;
  /** The folder of the generated files. */
  readonly output?: string | undefined;
}

/** A region of a file. */
export interface Location {
  readonly path: string;
  readonly region: Region;
}

/** A value in the lock: in the definition of a tool or another entry, or in the identity of a server. */
export interface LockedPlace {
  readonly server: string;
  readonly tool?: string | undefined;
  readonly path: string;
  readonly php?: PhpSpot | undefined;
}

/** Finds the files and lines of findings. */
export type Locator = ReturnType<typeof locateFindings>;

const FILE_START: Region = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 };

/** Returns a locator for `values` and files. The lock is read once; without one, nothing in it has a place. */
export function locateFindings({ lock, output = "" }: ReportPlaces, values: readonly LockedPlace[]) {
  const regions = lock && locateInJson(lock.text, values.map(pointerOf));
  // The configuration is in the folder of the lock.
  const root = (lock?.path ?? "").split("/").slice(0, -1).join("/");
  const line = (file: string, at: number, column: number): Location => ({
    path: joinPath(root, file),
    region: { startLine: at, startColumn: column, endLine: at, endColumn: column },
  });
  return {
    /** The PHP that defines a value, or else its place in the lock. */
    value: (place: LockedPlace): Location | undefined => {
      const { php } = place;
      if (lock !== undefined && php?.line !== undefined) return line(php.file, php.line, 1);
      const region = regions?.get(pointerOf(place));
      return region && lock && { path: lock.path, region };
    },
    /** A place in a file whose path is relative to the configuration. */
    line,
    callSite: (site: CallSite): Location | undefined => lock && line(site.file, site.line, site.column),
    /** The start of a generated file, or of the lock. */
    generated: (path: string): Location => {
      const isLock = lock !== undefined && lock.path.split("/").at(-1) === path;
      return { path: isLock ? lock.path : joinPath(output, path), region: FILE_START };
    },
  };
}

function pointerOf({ server, tool, path }: LockedPlace): string {
  const block = joinPointer("/servers", server);
  if (tool !== undefined) return `${joinPointer(block, "tools", tool, "definition")}${path}`;
  const entry = findEntry(path);
  return entry === undefined
    ? `${block}/identity${path}`
    : `${joinPointer(block, entry.list, entry.id, "definition")}${entry.path}`;
}

/** Joins posix paths, and resolves `.` and `..`. */
function joinPath(folder: string, path: string): string {
  const steps: string[] = [];
  for (const step of `${folder}/${path}`.split("/")) {
    if (step === ".." && steps.length > 0 && steps.at(-1) !== "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  return steps.join("/");
}
