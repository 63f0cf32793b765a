import type { CallSite, Change } from "../contract/change.js";
import { joinPath } from "./join-path.js";
import { locateInJson, type Region } from "./locate-in-json.js";

/** Where the files of a report are, posix, relative to the root of the repository. */
export interface Places {
  /** The lock that was compared, and its text; absent when no file was. */
  readonly lock?: { readonly path: string; readonly text: string };
  /** The folder of the generated files. */
  readonly output?: string;
}

/** A file, and the part of it that is meant. */
export interface Location {
  readonly path: string;
  readonly region: Region;
}

const FILE_START: Region = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 };

/**
 * Where each change is, in their order: in the PHP that says so, or else in the lock. Undefined when no lockfile was
 * compared.
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

/** A place in the user's own code that a change hits; undefined when no lockfile was compared. */
export function locateCallSite({ file, line, column }: CallSite, { lock }: Places): Location | undefined {
  return lock && locateLine(file, line, column, lock.path);
}

/** The configuration, which the path of a file is relative to, is beside the lock. */
function locateLine(file: string, line: number, column: number, lock: string): Location {
  const folder = lock.split("/").slice(0, -1).join("/");
  const region = { startLine: line, startColumn: column, endLine: line, endColumn: column };
  return { path: joinPath(folder, file), region };
}

/** Where a server's block begins in the lock; its start when the server has none. */
export function locateServer(server: string, places: Places): Location | undefined {
  const [location] = locateChanges([{ server, path: "/serverInfo", rule: "" }], places);
  return location;
}

/** A generated file as a whole. */
export function locateFile(path: string, { lock, output }: Places): Location {
  const isLock = lock !== undefined && lock.path.split("/").at(-1) === path;
  return { path: isLock ? lock.path : joinPath(output ?? "", path), region: FILE_START };
}

function pointerOf({ server, tool, path }: Pick<Change, "server" | "tool" | "path">): string {
  const block = `/servers/${escapeKey(server)}`;
  return tool === undefined
    ? `${block}/identity${path}`
    : `${block}/tools/${escapeKey(tool)}/definition${path}`;
}

function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
