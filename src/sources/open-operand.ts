import { Buffer } from "node:buffer";
import { stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { CompleteConfig, ServerConfig } from "../config/config.js";
import type { LoadedConfig } from "../config/load-config.js";
import { parseServerArgument, makeServerName } from "../config/parse-server-argument.js";
import { validateConfig } from "../config/validate-config.js";
import { groupBy, quoteAll } from "../core/collections.js";
import { codeOf, McpCodegenError } from "../core/errors.js";
import { HIGHEST_READ_LIMIT } from "../core/limits.js";
import { getOwn, isNamedObject } from "../core/json.js";
import { parseDifference } from "./lock-difference.js";
import { isLockPath, LOCKFILE_NAME, type Lockfile } from "../core/lockfile.js";
import { snapshotOfLock } from "../core/lock-server.js";
import type { ServerSnapshot } from "../core/snapshot.js";
import type { ReadList } from "./file/split-list.js";
import { type ParsedList, parseList } from "./file/snapshot-file.js";
import { getCommit, readAtCommit } from "./git/git.js";
import type { AccessContext, TakenSnapshot } from "../client/listing/list-server.js";
import { snapshotServer } from "./snapshot-server.js";
import { parseNamedLock } from "../files/project-records.js";
import { readBounded } from "../files/read-files.js";
import { download } from "../client/download.js";

/** One operand of a comparison: the servers of a lock by name, or one server. */
export type DiffOperand =
  | {
      readonly kind: "lock";
      readonly label: string;
      readonly servers: { readonly [name: string]: ServerSnapshot };
    }
  | ({ readonly kind: "server"; readonly label: string } & TakenSnapshot);

/** Both operands of a comparison. */
export interface DiffOperands {
  readonly before: DiffOperand;
  readonly after: DiffOperand;
  /** The names of equal tools that both operands omit, by server. */
  readonly unchanged: ReadonlyMap<string, readonly string[]>;
}

export interface OpenOperandOptions extends AccessContext {
  /** The folder that paths and git refs are relative to. */
  readonly cwd: string;
  /** The configuration that names servers, if there is one. */
  readonly project?: LoadedConfig | undefined;
}

/**
 * Opens the two operands that the texts name. Of two locks, only the differences are parsed,
 * see {@link parseDifference}.
 *
 * A text names, in this order: an existing file or folder (a lockfile, a saved `tools/list`), a URL, a
 * configured server, a command (with a space), `<ref>:<path>`, or a git ref, which names its lock.
 *
 * @throws McpCodegenError `REF_UNKNOWN` or `GIT_FAILED` when it names none of these, and the errors of
 *   reading it
 */
export async function openOperands(
  textBefore: string,
  textAfter: string,
  options: OpenOperandOptions,
): Promise<DiffOperands> {
  const [before, after] = await Promise.all([
    openOperand(textBefore, options),
    openOperand(textAfter, options),
  ]);
  const areLocks = before.kind === "unread" && after.kind === "unread";
  const difference = areLocks ? parseDifference(before.bytes, after.bytes) : undefined;
  if (difference === undefined) {
    // One after the other, since nearly all tools of a second list are equal.
    const read: ReadList[] = [];
    return { before: parseUnread(before, read), after: parseUnread(after, read), unchanged: new Map() };
  }
  return {
    before: lockOperand(before.label, difference.before),
    after: lockOperand(after.label, difference.after),
    unchanged: difference.unchanged,
  };
}

interface UnreadLock {
  readonly kind: "unread";
  readonly label: string;
  readonly bytes: Buffer;
}

interface UnreadList {
  readonly kind: "unread-list";
  readonly label: string;
  readonly bytes: Buffer;
  /** The name of the file. */
  readonly name: string;
}

type OpenOperand = DiffOperand | UnreadLock | UnreadList;

/** @param read the saved list that was read before; filled by the first */
function parseUnread(operand: OpenOperand, read: ReadList[]): DiffOperand {
  const { kind, label } = operand;
  switch (kind) {
    case "unread":
      return lockOperand(label, parseLock(operand.bytes.toString("utf8"), label));
    case "unread-list":
      return { kind: "server", label, snapshot: parseUserList(operand, read) };
    case "lock":
    case "server":
      return operand;
    default:
      return operand satisfies never;
  }
}

async function openOperand(text: string, options: OpenOperandOptions): Promise<OpenOperand> {
  const path = resolve(options.cwd, text);
  const entry = await findEntry(path);
  if (entry === "folder") {
    const label = join(text, LOCKFILE_NAME);
    return operandOf(await readBytes(join(path, LOCKFILE_NAME), label), label);
  }
  if (entry === "file") return operandOf(await readBytes(path, text), text);
  const configured = getOwn(options.project?.config.servers ?? {}, text);
  if (configured !== undefined) return takeSnapshot(text, text, configured, options);
  if (/^https?:\/\//i.test(text) || /\s/.test(text.trim())) return snapshotNamed(text, options);
  return readRef(text, options);
}

async function findEntry(path: string): Promise<"file" | "folder" | undefined> {
  const entry = await stat(path).catch(() => undefined);
  return entry === undefined ? undefined : entry.isDirectory() ? "folder" : "file";
}

async function readBytes(path: string, label: string): Promise<Buffer> {
  return readBounded(path, {
    explain: (cause) => {
      const code = codeOf(cause) ?? "unknown error";
      // A folder was named, in which the lock is looked for.
      if (code === "ENOENT")
        return new McpCodegenError("LOCK_NOT_FOUND", `There is no ${JSON.stringify(label)}.`, {
          hint: COMPARE_OTHERS,
          cause,
        });
      return new McpCodegenError("FILE_FAILED", `${JSON.stringify(label)} cannot be read (${code}).`, {
        cause,
      });
    },
  });
}

/** Reads a URL or a command that is not configured. As in a configuration, literal secrets are rejected. */
async function snapshotNamed(text: string, options: OpenOperandOptions): Promise<DiffOperand> {
  const { name, settings } = parseServerArgument(text);
  const config: CompleteConfig = await validateConfig({ servers: { [name]: settings } }, "diff");
  return takeSnapshot(text, name, getOwn(config.servers, name) ?? settings, {
    ...options,
    project: { config, dir: options.cwd, path: "" },
  });
}

async function takeSnapshot(
  label: string,
  name: string,
  server: ServerConfig,
  { cwd, project, ...context }: OpenOperandOptions,
): Promise<DiffOperand> {
  const target = { server: name, settings: server };
  const snapshot = await snapshotServer(target, { ...context, dir: project?.dir ?? cwd });
  return { kind: "server", label, ...snapshot };
}

/** `<ref>:<path>` is split at the first colon outside of braces, as in `main@{2026-01-01 12:00}:a.json`. */
const REF_AND_PATH = /^((?:[^:{]|\{[^}]*\})+):(.+)$/s;

async function readRef(text: string, { cwd, project }: OpenOperandOptions): Promise<OpenOperand> {
  const [, ref, path] = REF_AND_PATH.exec(text) ?? [];
  if (ref !== undefined && path !== undefined) {
    const content = await readAtCommit(cwd, await getNamedCommit(cwd, ref, text), path.replaceAll("\\", "/"));
    if (content !== undefined) return operandOf(Buffer.from(content), text, basename(path));
    throw new McpCodegenError("FILE_FAILED", `There is no ${JSON.stringify(path)} in "${ref}".`, {
      hint: `The path is relative to the root of the repository. "${ref}:./${path}" is relative to this folder.`,
    });
  }
  const dir = project?.dir ?? cwd;
  const lock = await readLockAt(dir, await getNamedCommit(dir, text, text), text);
  if (lock !== undefined) return lock;
  throw new McpCodegenError("LOCK_NOT_FOUND", `There is no "${LOCKFILE_NAME}" in "${text}".`, {
    hint: `Name its path: "${text}:path/to/${LOCKFILE_NAME}".`,
  });
}

interface OpenLockOptions {
  /** The servers that a lock of another project must have: its only server is the only one. All by default. */
  readonly names?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the lock that a text names: a file, a URL, or the lock of `dir` at a git ref. Undefined when the ref has none.
 *
 * @throws McpCodegenError `USAGE` for an invalid URL, `REF_UNKNOWN` and `GIT_FAILED` as `getCommit`, `SERVER_UNREACHABLE` for
 *   a URL without a file, `SERVER_UNKNOWN` for a lock of another project without one of the names, and the errors of
 *   parsing a lock
 */
export async function openLockAt(
  dir: string,
  text: string,
  { names = [], signal }: OpenLockOptions = {},
): Promise<Lockfile | undefined> {
  if (/^https?:\/\//i.test(text)) {
    if (!URL.canParse(text))
      throw new McpCodegenError("USAGE", `${JSON.stringify(text)} is not a valid URL.`);
    return pairNames(parseLock(await downloadLock(new URL(text), signal), text), names, text);
  }
  const path = resolve(dir, text);
  // A branch may have the name of a folder.
  if ((await findEntry(path)) === "file")
    return pairNames(parseLock((await readBytes(path, text)).toString("utf8"), text), names, text);
  if (isLockPath(text))
    throw new McpCodegenError("REF_UNKNOWN", `There is no file ${JSON.stringify(text)}.`, {
      hint: "Name a lock file, its URL, or a git ref, such as origin/main.",
    });
  const lock = await readLockAt(dir, await getCommit(dir, text), text);
  return lock && parseLock(lock.bytes.toString("utf8"), lock.label);
}

async function downloadLock(url: URL, signal: AbortSignal | undefined): Promise<string> {
  try {
    const bytes = await download(url, { limit: HIGHEST_READ_LIMIT, timeout: 60_000, signal });
    return new TextDecoder().decode(bytes);
  } catch (cause) {
    if (!(cause instanceof McpCodegenError)) throw cause;
    const hint = "Check the URL and the network, or compare with a file or a git ref.";
    throw new McpCodegenError(cause.code, cause.message, { hint, cause });
  }
}

/** Returns a lock of another project with the names of this one. */
function pairNames(lock: Lockfile, names: readonly string[], label: string): Lockfile {
  const servers = Object.keys(lock.servers);
  const unknown = names.find((name) => !servers.includes(name));
  if (unknown === undefined || servers.length === 0) return lock;
  const [only] = servers;
  const server =
    only === undefined || servers.length > 1 || names.length > 1 ? undefined : getOwn(lock.servers, only);
  if (server !== undefined) return { ...lock, servers: { [unknown]: server } };
  throw new McpCodegenError("SERVER_UNKNOWN", `${JSON.stringify(label)} has no server "${unknown}".`, {
    hint: `Name one of its servers in the configuration: ${quoteAll(servers)}.`,
  });
}

async function readLockAt(dir: string, commit: string, label: string): Promise<UnreadLock | undefined> {
  const content = await readAtCommit(dir, commit, `./${LOCKFILE_NAME}`);
  return content === undefined ? undefined : { kind: "unread", label, bytes: Buffer.from(content) };
}

/** As `getCommit`, for a text that may not be a ref. */
async function getNamedCommit(dir: string, ref: string, text: string): Promise<string> {
  try {
    return await getCommit(dir, ref);
  } catch (cause) {
    if (!(cause instanceof McpCodegenError)) throw cause;
    throw new McpCodegenError(
      cause.code,
      `"${text}" is neither a file nor a configured server. As a git ref: ${cause.message}`,
      { hint: cause.hint, cause },
    );
  }
}

function operandOf(bytes: Buffer, label: string, name: string = basename(label)): UnreadLock | UnreadList {
  const isLock = /^\uFEFF?\s*\{\s*(?:"\$schema"\s*:\s*"[^"]*"\s*,\s*)?"lockfileVersion"/.test(
    bytes.toString("utf8", 0, 200),
  );
  if (isLock || name === LOCKFILE_NAME) return { kind: "unread", label, bytes };
  return { kind: "unread-list", label, bytes, name };
}

/** Parses a saved list. The error code differs from that of a server: the user supplied the file. */
function parseUserList({ bytes, label, name }: UnreadList, read: ReadList[]): ServerSnapshot {
  const server = makeServerName(nameOf(name));
  const [earlier] = read;
  try {
    const list = parseList(server, bytes, label, earlier);
    if (earlier === undefined) read.push({ bytes, tools: toolsByPlace(list) });
    return list.snapshot;
  } catch (cause) {
    if (!(cause instanceof McpCodegenError) || cause.code !== "PROTOCOL_INVALID") throw cause;
    throw new McpCodegenError("LIST_INVALID", cause.message, {
      hint: 'Give a lockfile, or a tool list saved with "npx mcp-codegen list <server> --live --raw".',
      cause,
    });
  }
}

/** Returns the tool of each entry, except of those with a finding. */
function toolsByPlace({ snapshot, entries }: ParsedList): ReadList["tools"] {
  const { tools, unusable, wordpress } = snapshot;
  if (wordpress !== undefined) return [];
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const names = entries.map((entry) => (isNamedObject(entry) ? entry.name : ""));
  const counts = groupBy(names, (name) => name);
  return names.map((name) => {
    const isSound = counts.get(name)?.length === 1 && getOwn(unusable, name) === undefined;
    return isSound ? byName.get(name) : undefined;
  });
}

export function lockOperand(label: string, { servers }: Lockfile): DiffOperand {
  const snapshots = Object.entries(servers).map(
    ([name, locked]) => [name, snapshotOfLock(name, locked)] as const,
  );
  return { kind: "lock", label, servers: Object.fromEntries(snapshots) };
}

function nameOf(file: string): string {
  return file.replace(/\.json$/i, "");
}

const COMPARE_OTHERS = "Compare with another file or another ref.";

function parseLock(text: string, label: string): Lockfile {
  return parseNamedLock(text, label, COMPARE_OTHERS);
}
