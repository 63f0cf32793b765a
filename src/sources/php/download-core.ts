import { Buffer } from "node:buffer";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { download } from "../../client/download.js";
import { type ErrorCode, McpCodegenError } from "../../core/errors.js";
import { printable } from "../../core/printable.js";
import { fileFailed, makeFolder } from "../../files/write-atomic.js";
import { runProgram } from "../run-program.js";
import { CORE_VERSION, coreFolder, examineCore } from "./find-core.js";

export interface DownloadCoreOptions {
  /** Names the cache, and has the PATH on which `tar` is. */
  readonly env: NodeJS.ProcessEnv;
  /** The address below which the archive is. Default: `https://wordpress.org` */
  readonly base?: string | undefined;
  /** The most bytes of the archive. Default: 100 MB */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const LIMIT = 100 * 1024 * 1024;
/** Seconds for a file, and to unpack it. */
const LONGEST = 600;
const CHECKSUM_LENGTH = 1_024;

/** Files that PHP does not read. It reads JSON, and the SVG files of icons. */
const EXCLUDED: readonly string[] = [
  "wordpress/wp-content",
  "*.js",
  "*.css",
  "*.scss",
  "*.map",
  "*.woff",
  "*.woff2",
  "*.ttf",
  "*.otf",
  "*.eot",
  "*.png",
  "*.jpg",
  "*.jpeg",
  "*.gif",
  "*.webp",
  "*.avif",
  "*.ico",
  "*.mp4",
];

/**
 * Downloads the PHP files of WordPress into the user's cache, where only the user can read them, and compares the archive
 * with its checksum. Returns the folder. Concurrent runs do not disturb each other.
 *
 * @throws McpCodegenError `SERVER_UNREACHABLE` for a failed download, `PROTOCOL_INVALID` for another archive, `PHP_FAILED`
 *   if it cannot be unpacked, `FILE_FAILED` for a cache that cannot be written
 */
export async function downloadCore(options: DownloadCoreOptions): Promise<string> {
  const { env, base = "https://wordpress.org", limit = LIMIT, signal } = options;
  const folder = coreFolder(env);
  if (folder === undefined)
    throw new McpCodegenError("FILE_FAILED", "The cache folder of the user is not known.", {
      hint: "Set HOME or XDG_CACHE_HOME to an absolute path.",
    });
  if (await isCore(folder)) return folder;
  const url = new URL(`wordpress-${CORE_VERSION}.tar.gz`, `${base}/`);
  const get = async (from: URL, most: number): Promise<Uint8Array> => {
    try {
      return await download(from, { limit: most, timeout: LONGEST * 1_000, signal });
    } catch (cause) {
      if (!(cause instanceof McpCodegenError)) throw cause;
      throw fail(cause.code, cause.message.replace(/^The/, "the").replace(/\.$/, ""), cause);
    }
  };
  const checksum = new TextDecoder().decode(await get(new URL(`${url.href}.sha1`), CHECKSUM_LENGTH));
  const archive = await get(url, limit);
  const digest = Buffer.from(await crypto.subtle.digest("SHA-1", archive)).toString("hex");
  if (!checksum.trim().toLowerCase().startsWith(digest))
    throw fail("PROTOCOL_INVALID", `the archive of ${url.host} does not have the checksum beside it`);
  await install(archive, folder, options);
  return folder;
}

async function isCore(folder: string): Promise<boolean> {
  return typeof (await examineCore(folder)) !== "string";
}

/** Unpacks the archive beside the folder, and renames it, so that the folder is never incomplete. */
async function install(archive: Uint8Array, folder: string, options: DownloadCoreOptions): Promise<void> {
  let temporary: string | undefined;
  try {
    makeFolder(dirname(folder), 0o700);
    temporary = await mkdtemp(`${folder}-`);
    await unpack(archive, temporary, options);
    const core = await examineCore(temporary);
    if (typeof core === "string") throw fail("PROTOCOL_INVALID", `its archive ${core}`);
    await replaceFolder(temporary, folder);
  } catch (cause) {
    options.signal?.throwIfAborted();
    if (cause instanceof McpCodegenError) throw cause;
    throw fileFailed(`${JSON.stringify(folder)} cannot be written`, cause);
  } finally {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * Gives a folder its place. A core that another run put there in the meantime stays. A damaged one is renamed before it is
 * deleted: a folder that is being deleted is neither there nor gone for other runs.
 */
async function replaceFolder(temporary: string, folder: string, attempts = 5): Promise<void> {
  try {
    await rename(temporary, folder);
  } catch (cause) {
    if (await isCore(folder)) return;
    if (attempts === 0) throw cause;
    const damaged = `${temporary}-damaged`;
    await rename(folder, damaged).catch(() => undefined);
    await rm(damaged, { recursive: true, force: true });
    await replaceFolder(temporary, folder, attempts - 1);
  }
}

/** Root would give the files the owner of the archive, without `-o`. */
async function unpack(
  stdin: Uint8Array,
  folder: string,
  { env, signal }: DownloadCoreOptions,
): Promise<void> {
  const excluded = EXCLUDED.map((pattern) => `--exclude=${pattern}`);
  const command = ["tar", "-xzof", "-", "--strip-components=1", ...excluded];
  const end = await runProgram(command, { cwd: folder, env, stdin, seconds: LONGEST, signal });
  if (end.kind === "not-found") throw fail("PHP_FAILED", 'the program "tar" is not installed');
  const reason = end.kind === "ended" ? end.stderr.trim().split("\n", 1).join() : end.kind;
  if (end.kind !== "ended" || end.code !== 0)
    throw fail("PHP_FAILED", `its archive cannot be unpacked: ${printable(reason, 200)}`);
}

function fail(code: ErrorCode, reason: string, cause?: unknown): McpCodegenError {
  return new McpCodegenError(code, `WordPress ${CORE_VERSION} cannot be downloaded: ${reason}.`, {
    hint: "Download it yourself, and set WP_CORE_DIR to its folder.",
    cause,
  });
}
