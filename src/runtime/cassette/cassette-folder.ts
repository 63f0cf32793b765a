import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { sha256 } from "../../core/digest.js";
import { omitUndefined } from "../../core/collections.js";
import { byCodeUnit } from "../../core/json.js";
import { withFileLock } from "../../files/file-lock.js";
import { writeAtomic } from "../../files/write-atomic.js";
import { findBounded, listJsonFiles } from "../../files/read-files.js";
import {
  type AnswerSequence,
  CASSETTE_VERSION,
  type CassetteCall,
  type CassetteFile,
  type CassetteTool,
  groupCalls,
  parseCassetteFile,
  printCassetteFile,
} from "./cassette-file.js";

interface NewAnswers {
  readonly tool: CassetteTool & { readonly contract?: string | undefined };
  /** The canonical arguments. */
  readonly key: string;
  readonly sequence: AnswerSequence;
  /** Whether to keep answers to the same arguments that another recorder has added meanwhile. */
  readonly keepsOthers: boolean;
}

/** The calls of a tool by their canonical arguments, in the order in which they were made. */
export type RecordedCalls = ReadonlyMap<string, readonly CassetteCall[]>;

const opened = new Map<string, ReturnType<typeof createFolder>>();

/** Opens a folder, which need not exist. A relative path is relative to the process. */
export function openCassetteFolder(name: string): ReturnType<typeof createFolder> {
  const path = resolve(name);
  const folder = opened.get(path) ?? createFolder(path);
  opened.set(path, folder);
  return folder;
}

function createFolder(path: string) {
  const filesRead = new Map<string, { readonly version: string; readonly calls: RecordedCalls }>();
  const writers = new Map<string, (answers: NewAnswers) => Promise<void>>();
  let isNew: Promise<boolean> | undefined;
  return {
    path,
    exists: (): Promise<boolean> =>
      stat(path).then(
        () => true,
        () => false,
      ),
    /** Whether the folder had no calls when this process first asked. */
    isNew: (): Promise<boolean> => (isNew ??= hasFiles(path).then((has) => !has)),
    /** Returns the calls of a tool. Throws `CASSETTE_INVALID`, `CASSETTE_NEWER` and `FILE_FAILED`. */
    read: async (tool: CassetteTool): Promise<RecordedCalls> => {
      const file = join(path, fileNameOf(tool));
      const version = await versionOf(file);
      const earlier = filesRead.get(file);
      if (earlier?.version === version) return earlier.calls;
      const calls = groupCalls((await readFileOf(tool, file))?.calls ?? []);
      filesRead.set(file, { version, calls });
      return calls;
    },
    /** Writes the answers of a sequence. Once this resolves, the file has them, even if the process is killed. */
    record: (answers: NewAnswers): Promise<void> => {
      const file = join(path, fileNameOf(answers.tool));
      const write = writers.get(file) ?? writeTogether((all) => writeAnswers(file, all));
      writers.set(file, write);
      return write(answers);
    },
  };
}

/** Returns a function that writes an item. Items that arrive during a write are written together afterwards. */
export function writeTogether<T>(write: (items: readonly T[]) => Promise<void>): (item: T) => Promise<void> {
  let waiting: { readonly items: T[]; readonly written: Promise<void> } | undefined;
  let last: Promise<void> = Promise.resolve();
  return (item) => {
    if (waiting !== undefined) {
      waiting.items.push(item);
      return waiting.written;
    }
    const items = [item];
    const written = last
      .catch(() => undefined)
      .then(() => {
        waiting = undefined;
        return write(items);
      });
    waiting = { items, written };
    last = written;
    return written;
  };
}

/** Changes whenever a file is written. */
async function versionOf(file: string): Promise<string> {
  const stats = await stat(file).catch(() => undefined);
  return stats === undefined ? "" : `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

async function readFileOf(tool: CassetteTool, file: string): Promise<CassetteFile | undefined> {
  const bytes = await findBounded(file);
  return bytes && parseCassetteFile(bytes.toString("utf8"), shownName(file), tool);
}

/** The last two parts of a path: the server's folder and the tool's file. */
function shownName(file: string): string {
  return `${basename(dirname(file))}/${basename(file)}`;
}

/** Another recorder may have written the file since it was read. */
async function writeAnswers(file: string, answered: readonly NewAnswers[]): Promise<void> {
  const [first] = answered;
  if (first === undefined) return;
  const { server, kind, tool, contract } = first.tool;
  await withFileLock(join(dirname(file), `.${basename(file)}.lock`), async () => {
    const before = await readFileOf(first.tool, file);
    const merged = groupCalls(before?.calls ?? []);
    for (const { key, sequence, keepsOthers } of answered) {
      const answers = sequence.replace(merged.get(key) ?? [], keepsOthers);
      if (answers !== undefined) merged.set(key, answers);
    }
    const head = omitUndefined({ server, [kind ?? "tool"]: tool, contract });
    const calls = [...merged.values()].flat();
    const text = printCassetteFile({ cassetteVersion: CASSETTE_VERSION, ...head, calls });
    if (before === undefined || printCassetteFile(before) !== text) await writeAtomic(file, text);
  });
}

async function hasFiles(path: string): Promise<boolean> {
  const servers = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const server of servers) {
    if (!server.isDirectory()) continue;
    const files = await readdir(join(path, server.name)).catch(() => []);
    if (files.some((file) => file.endsWith(".json") && !file.startsWith("."))) return true;
  }
  return false;
}

/** Names that any file system keeps apart, and that Windows does not reserve. */
const PLAIN_NAME = /^(?!(?:con|prn|aux|nul|com\d|lpt\d)$)[a-z0-9][a-z0-9_-]{0,79}$/;

/** Returns the path of a tool's file in a cassette. Escapes names, since they come from servers. */
export function fileNameOf({ server, kind, tool }: CassetteTool): string {
  // With a space, the name of a prompt never equals a plain name of a tool.
  return join(escapeName(server), `${escapeName(kind === undefined ? tool : `${kind} ${tool}`)}.json`);
}

function escapeName(name: string): string {
  if (PLAIN_NAME.test(name)) return name;
  const words = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|(?<!-)-+$/g, "")
    .slice(0, 60);
  // A plain name has no dot, so the two never collide.
  return `${words === "" ? "tool" : words}.${sha256(name).slice(0, 8)}`;
}

/**
 * Reads every cassette in and below folders, sorted by path. A folder that does not exist holds none.
 *
 * @param dir the folder that relative paths start from, also those in errors
 * @throws McpCodegenError `CASSETTE_INVALID`, `CASSETTE_NEWER` and `FILE_FAILED`
 */
export async function readCassetteFolders(
  dir: string,
  folders: readonly string[],
): Promise<readonly CassetteFile[]> {
  const paths = new Set(
    (await Promise.all(folders.map((folder) => listJsonFiles(resolve(dir, folder))))).flat(),
  );
  const files: CassetteFile[] = [];
  for (const file of [...paths].sort(byCodeUnit)) {
    const bytes = await findBounded(file);
    const name = relative(dir, file).split(sep).join("/");
    if (bytes !== undefined) files.push(parseCassetteFile(bytes.toString("utf8"), name));
  }
  return files;
}
