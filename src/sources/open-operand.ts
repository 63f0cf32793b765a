import { Buffer } from "node:buffer";
import { stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { CompleteConfig, ServerConfig } from "../config/config.js";
import type { LoadedConfig } from "../config/load-config.js";
import { parseServerArgument } from "../config/parse-server-argument.js";
import { toServerName } from "../config/server-names.js";
import { validateConfig } from "../config/validate-config.js";
import type { ServerOutputListener, VariableLookup } from "../contract/connection.js";
import { McpCodegenError } from "../contract/errors.js";
import { getOwn } from "../contract/json.js";
import { parseDifference } from "./lock-difference.js";
import { LOCKFILE_NAME, type Lockfile } from "../contract/lockfile.js";
import { snapshotOfLock } from "../contract/snapshot-of-lock.js";
import type { ServerSnapshot } from "../contract/snapshot.js";
import { parseList } from "./file/snapshot-file.js";
import { getCommit } from "./git/get-commit.js";
import { readAtCommit } from "./git/read-at-commit.js";
import { openSource } from "./open-source.js";
import { parseLockText } from "../files/lockfile-on-disk.js";
import { readBounded } from "../files/read-bounded.js";

/** One of two things to compare: the servers of a lock by name, or one server. */
export type DiffOperand =
  | {
      readonly kind: "lock";
      readonly label: string;
      readonly servers: { readonly [name: string]: ServerSnapshot };
    }
  | { readonly kind: "server"; readonly label: string; readonly snapshot: ServerSnapshot };

/** Two things to compare. */
export interface DiffOperands {
  readonly before: DiffOperand;
  readonly after: DiffOperand;
  /** The names of tools that are the same on both, and that neither lists, by server. */
  readonly unchanged: ReadonlyMap<string, readonly string[]>;
}

export interface OpenOperandOptions {
  /** The folder that paths and refs are relative to. */
  readonly cwd: string;
  /** The configuration that names servers, where there is one. */
  readonly project?: LoadedConfig;
  readonly lookup: VariableLookup;
  readonly onStderr?: ServerOutputListener | undefined;
  readonly signal?: AbortSignal;
}

/**
 * The two things that texts name. Of two locks only what differs is parsed, see {@link parseDifference}.
 *
 * A text names, in this order: a file or folder that is there (a lockfile, a saved `tools/list`), a URL, a
 * configured server, a command (it has a space), `<ref>:<path>`, or a git ref, which stands for the lock at that ref.
 *
 * @throws McpCodegenError `REF_UNKNOWN` or `GIT_FAILED` when it is none of them, and whatever reading it throws
 */
export async function openOperands(
  before: string,
  after: string,
  options: OpenOperandOptions,
): Promise<DiffOperands> {
  const [old, now] = await Promise.all([openSide(before, options), openSide(after, options)]);
  const difference =
    old.kind === "unread" && now.kind === "unread" ? parseDifference(old.bytes, now.bytes) : undefined;
  if (difference === undefined) return { before: readSide(old), after: readSide(now), unchanged: new Map() };
  return {
    before: lockSide(old.label, difference.before),
    after: lockSide(now.label, difference.after),
    unchanged: difference.unchanged,
  };
}

/** A lockfile whose definitions may never have to be parsed. */
interface UnreadLock {
  readonly kind: "unread";
  readonly label: string;
  readonly bytes: Buffer;
}

function readSide(side: DiffOperand | UnreadLock): DiffOperand {
  return side.kind === "unread"
    ? lockSide(side.label, parseLock(side.bytes.toString("utf8"), side.label))
    : side;
}

async function openSide(text: string, options: OpenOperandOptions): Promise<DiffOperand | UnreadLock> {
  const path = resolve(options.cwd, text);
  const found = await findEntry(path);
  if (found === "folder") {
    const label = join(text, LOCKFILE_NAME);
    return parseSide(await readBytes(join(path, LOCKFILE_NAME), label), label);
  }
  if (found === "file") return parseSide(await readBytes(path, text), text);
  const configured = getOwn(options.project?.config.servers ?? {}, text);
  if (configured !== undefined) return takeSnapshot(text, text, configured, options);
  if (/^https?:\/\//i.test(text) || /\s/.test(text.trim())) return askNamed(text, options);
  return readRef(text, options);
}

async function findEntry(path: string): Promise<"file" | "folder" | undefined> {
  const entry = await stat(path).catch(() => undefined);
  return entry === undefined ? undefined : entry.isDirectory() ? "folder" : "file";
}

async function readBytes(path: string, label: string): Promise<Buffer> {
  try {
    return await readBounded(path);
  } catch (cause) {
    if (cause instanceof McpCodegenError) throw cause;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new McpCodegenError("FILE_FAILED", `${JSON.stringify(label)} cannot be read (${code}).`, { cause });
  }
}

/** A URL or a command that no configuration names, under the same rules as one that does: no literal secrets. */
async function askNamed(text: string, options: OpenOperandOptions): Promise<DiffOperand> {
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
  { cwd, project, lookup, onStderr, signal }: OpenOperandOptions,
): Promise<DiffOperand> {
  const take = await openSource(name, server, {
    dir: project?.dir ?? cwd,
    lookup,
    onStderr,
    ...(signal !== undefined && { signal }),
  });
  return { kind: "server", label, snapshot: await take() };
}

/** `<ref>:<path>` is split at the first colon that does not stand in braces, as in `main@{2026-01-01 12:00}:a.json`. */
const REF_AND_PATH = /^((?:[^:{]|\{[^}]*\})+):(.+)$/s;

async function readRef(
  text: string,
  { cwd, project }: OpenOperandOptions,
): Promise<DiffOperand | UnreadLock> {
  const [, ref, path] = REF_AND_PATH.exec(text) ?? [];
  if (ref !== undefined && path !== undefined) {
    const content = await readAtCommit(cwd, await getNamedCommit(cwd, ref, text), path.replaceAll("\\", "/"));
    if (content !== undefined) return parseSide(Buffer.from(content), text, basename(path));
    throw new McpCodegenError("FILE_FAILED", `There is no ${JSON.stringify(path)} in "${ref}".`, {
      hint: `A path counts from the root of the repository; "${ref}:./${path}" counts from here.`,
    });
  }
  const dir = project?.dir ?? cwd;
  const side = await readLockAt(dir, await getNamedCommit(dir, text, text), text);
  if (side !== undefined) return side;
  throw new McpCodegenError("LOCK_NOT_FOUND", `There is no "${LOCKFILE_NAME}" in "${text}".`, {
    hint: `Name it: "${text}:path/to/${LOCKFILE_NAME}".`,
  });
}

/**
 * The lock of a folder at a git ref; undefined when the ref has none there.
 *
 * @throws McpCodegenError `REF_UNKNOWN` and `GIT_FAILED` as `getCommit` does, and what parsing a lock throws
 */
export async function openLockAt(dir: string, ref: string): Promise<Lockfile | undefined> {
  const lock = await readLockAt(dir, await getCommit(dir, ref), ref);
  return lock && parseLock(lock.bytes.toString("utf8"), lock.label);
}

async function readLockAt(dir: string, commit: string, label: string): Promise<UnreadLock | undefined> {
  const content = await readAtCommit(dir, commit, `./${LOCKFILE_NAME}`);
  return content === undefined ? undefined : { kind: "unread", label, bytes: Buffer.from(content) };
}

/** As `getCommit`, for a text that is perhaps no ref at all. */
async function getNamedCommit(dir: string, ref: string, text: string): Promise<string> {
  try {
    return await getCommit(dir, ref);
  } catch (cause) {
    if (!(cause instanceof McpCodegenError)) throw cause;
    throw new McpCodegenError(
      cause.code,
      `"${text}" is no file and no configured server. As a git ref: ${cause.message}`,
      { ...(cause.hint !== undefined && { hint: cause.hint }), cause },
    );
  }
}

async function parseSide(
  bytes: Buffer,
  label: string,
  name: string = basename(label),
): Promise<DiffOperand | UnreadLock> {
  const isLock = /^\uFEFF?\s*\{\s*"lockfileVersion"/.test(bytes.toString("utf8", 0, 200));
  if (isLock || name === LOCKFILE_NAME) return { kind: "unread", label, bytes };
  return { kind: "server", label, snapshot: await parseGivenList(bytes.toString("utf8"), label, name) };
}

/** No server has answered here: a file that holds no list is what the user gave. */
async function parseGivenList(text: string, label: string, name: string): Promise<ServerSnapshot> {
  try {
    return await parseList(toServerName(nameOf(name)), text, label);
  } catch (cause) {
    if (!(cause instanceof McpCodegenError) || cause.code !== "PROTOCOL_INVALID") throw cause;
    throw new McpCodegenError("LIST_INVALID", cause.message, {
      hint: 'Give a lockfile, or a tool list saved with "npx mcp-codegen list <server> --live --raw".',
      cause,
    });
  }
}

/** A lock as one of two things to compare. */
export function lockSide(label: string, { servers }: Lockfile): DiffOperand {
  const snapshots = Object.entries(servers).map(
    ([name, locked]) => [name, snapshotOfLock(name, locked)] as const,
  );
  return { kind: "lock", label, servers: Object.fromEntries(snapshots) };
}

function nameOf(file: string): string {
  return file.replace(/\.json$/i, "");
}

/** Of a lock that is not the project's own, the hints that mend that one would mislead. */
function parseLock(text: string, label: string): Lockfile {
  try {
    return parseLockText(text);
  } catch (cause) {
    if (!(cause instanceof McpCodegenError) || cause.code === "LOCK_NEWER") throw cause;
    throw new McpCodegenError(cause.code, `${JSON.stringify(label)}: ${cause.message}`, {
      hint: "Compare with another file or another ref.",
      cause,
    });
  }
}
