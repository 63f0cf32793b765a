import type { CassetteFinding } from "../contract/cassette-finding.js";
import type { CallSite, Change } from "../contract/change.js";
import type { Diagnostic } from "../contract/diagnostic.js";
import { locateInJson, type Region } from "../contract/locate-in-json.js";
import { findEntry } from "../contract/entries.js";
import { joinPointer } from "../contract/json-pointer.js";

/** Paths of a report's files, posix, relative to the root of the repository. */
export interface Places {
  /** The compared lock and its text; absent when no lockfile was compared. */
  readonly lock?: { readonly path: string; readonly text: string };
  /** The folder of the generated files. */
  readonly output?: string;
  /** The working folder. */
  readonly folder?: string;
}

/** A region of a file. */
export interface Location {
  readonly path: string;
  readonly region: Region;
}

const FILE_START: Region = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 };

/**
 * Returns the location of each change, in order: in the PHP that defines it, or else in the lock. Undefined when no
 * lockfile was compared.
 */
export function locateChanges(
  changes: readonly Pick<Change, "server" | "tool" | "path" | "rule" | "php">[],
  { lock }: Places,
): readonly (Location | undefined)[] {
  if (lock === undefined) return changes.map(() => undefined);
  const pointers = changes.map(pointerOf);
  const found = locateInJson(lock.text, pointers);
  return pointers.map((pointer, index) => {
    const php = changes[index]?.php;
    if (php?.line !== undefined) return locateLine(php.file, php.line, 1, lock.path);
    const region = found.get(pointer);
    return region === undefined ? undefined : { path: lock.path, region };
  });
}

/** The location of a call site; undefined when no lockfile was compared. */
export function locateCallSite({ file, line, column }: CallSite, { lock }: Places): Location | undefined {
  return lock && locateLine(file, line, column, lock.path);
}

/** The first call that a finding is about. */
export function locateCassette(
  { path, line, column }: Pick<CassetteFinding, "path" | "line" | "column">,
  { lock }: Places,
): Location {
  return locateLine(path, line, column, lock?.path ?? "");
}

/** `file` is relative to the configuration, which is in the lock's folder. */
function locateLine(file: string, line: number, column: number, lock: string): Location {
  const folder = lock.split("/").slice(0, -1).join("/");
  const region = { startLine: line, startColumn: column, endLine: line, endColumn: column };
  return { path: joinPath(folder, file), region };
}

/** The start of a server's block in the lock; the start of the lock when it has no such block. */
export function locateServer(server: string, places: Places): Location | undefined {
  const [location] = locateChanges([{ server, path: "/serverInfo", rule: "" }], places);
  return location;
}

/** The file of a consumer that was not judged, or else the start of a server's block. */
export function locateUnverified(
  { server, file }: { readonly server: string; readonly file?: string | undefined },
  places: Places,
): Location | undefined {
  return file === undefined ? locateServer(server, places) : locateConsumer(file, places);
}

/** The location of each note, in order: in the file of a consumer, or else in the lock. */
export function locateNotes(notes: readonly Diagnostic[], places: Places): readonly (Location | undefined)[] {
  const inLock = locateChanges(
    notes.map(({ server, tool, path }) => ({ server, path, rule: "", ...(tool !== "" && { tool }) })),
    places,
  );
  return notes.map(({ file }, index) => (file === undefined ? inLock[index] : locateConsumer(file, places)));
}

/** The start of a consumer's file; undefined for one outside the repository. */
function locateConsumer(file: string, { folder }: Places): Location | undefined {
  if (folder === undefined || /^(?:\/|[a-z]:)/i.test(file)) return undefined;
  const path = joinPath(folder, file);
  return path.startsWith("../") ? undefined : { path, region: FILE_START };
}

/** The start of a generated file. */
export function locateFile(path: string, { lock, output }: Places): Location {
  const isLock = lock !== undefined && lock.path.split("/").at(-1) === path;
  return { path: isLock ? lock.path : joinPath(output ?? "", path), region: FILE_START };
}

function pointerOf({ server, tool, path }: Pick<Change, "server" | "tool" | "path">): string {
  const block = joinPointer("/servers", server);
  const entry = tool === undefined ? findEntry(path) : undefined;
  if (entry !== undefined) return `${joinPointer(block, entry.list, entry.id, "definition")}${entry.path}`;
  return tool === undefined
    ? `${block}/identity${path}`
    : `${joinPointer(block, "tools", tool, "definition")}${path}`;
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
