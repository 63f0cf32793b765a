import { lstat, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, McpCodegenError } from "../core/errors.js";
import { sha256 } from "../core/digest.js";
import * as f from "../core/format.js";
import {
  isAccessToken,
  isSameIssuer,
  type Login,
  type LoginKey,
  type LoginStore,
  type NewLogin,
  type StoredLogins,
} from "../core/login.js";
import { withFileLock } from "./file-lock.js";
import { makeFolder, reasonOf, writeAtomic } from "./write-atomic.js";

export interface LoginStoreOptions {
  /** The folder of the logins: one file each. */
  readonly dir: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The ID of the user who must own the files; undefined on a platform without. */
  readonly uid: number | undefined;
  /** The name of this host: hosts may share the folder. */
  readonly host: string;
}

/** Milliseconds before its end at which a token counts as expired: a request takes time. */
const MARGIN = 10_000;
/** Milliseconds, which a refresh does not need. */
const LOCK_TIME = 120_000;
/** Seconds. A token that is valid for longer is refreshed when the server refuses it. */
const LONGEST_EXPIRY = 10 * 365 * 24 * 3600;

/** Opens the logins in a folder that only the user can read. A missing folder has none. */
export function openLoginStore({ dir, now, uid, host }: LoginStoreOptions): LoginStore {
  const fileOf = ({ issuer, resource }: LoginKey): string =>
    join(dir, `${sha256(JSON.stringify([issuer, resource])).slice(0, 32)}.json`);

  const read = async (file: string): Promise<Login | undefined> => {
    await assertOwn(file, uid);
    const text = await readFile(file, "utf8").catch(ignoreMissing(file));
    if (text === undefined) return undefined;
    const login = parseLogin(text);
    if (login !== undefined) return login;
    throw new McpCodegenError("LOGIN_UNSAFE", `The saved login "${file}" is damaged.`, {
      hint: "Delete the file, and log in again.",
    });
  };

  /** Reads each file. One that cannot be used does not affect the others. */
  const readAll = async (): Promise<StoredLogins> => {
    await assertOwn(dir, uid);
    const names = (await readdir(dir).catch(ignoreMissing(dir))) ?? [];
    const files = names.filter((name) => /^[0-9a-f]{32}\.json$/.test(name)).sort();
    const logins = await Promise.all(
      files.map((name) =>
        read(join(dir, name)).catch((error: unknown) => {
          if (error instanceof McpCodegenError) return error;
          throw error;
        }),
      ),
    );
    return {
      logins: logins.flatMap((each) => (each === undefined || each instanceof McpCodegenError ? [] : each)),
      problems: logins.filter((each) => each instanceof McpCodegenError),
    };
  };

  const write = async ({ expiresIn, ...login }: NewLogin): Promise<Login> => {
    const expiresAt = expiresIn === undefined ? login.expiresAt : endOf(expiresIn, now());
    const saved = { ...login, expiresAt };
    makeStore(dir);
    await assertOwn(dir, uid);
    const file = fileOf(login);
    await assertOwn(file, uid);
    await writeAtomic(file, `${JSON.stringify(saved, null, 2)}\n`, 0o600);
    return saved;
  };

  const lock = async <T>(login: Login, work: () => Promise<T>): Promise<T> => {
    makeStore(dir);
    return withFileLock(`${fileOf(login)}.lock`, work, { longest: LOCK_TIME, host });
  };

  const remove = async (login: LoginKey): Promise<void> => {
    const file = fileOf(login);
    await rm(file, { force: true }).catch(ignoreMissing(file));
  };

  return {
    readAll,
    remove,
    update: (login, work) =>
      lock(login, async () => {
        const before = await read(fileOf(login));
        const after = await work(before);
        return after === before ? before : after && write(after);
      }),
    find: async (url, issuer) => {
      const { logins } = await readAll();
      const accepted = logins.filter((login) => isSameIssuer(login.issuer, issuer ?? login.issuer));
      const matching = accepted.filter(({ resource }) => contains(resource, url));
      return matching.sort((a, b) => b.resource.length - a.resource.length)[0];
    },
    save: async (login) => {
      const { logins } = await readAll();
      const others = logins.filter(
        ({ issuer, resource }) => resource === login.resource && issuer !== login.issuer,
      );
      // A damaged file of the same login is replaced.
      const saved = await lock(login, () => write(login));
      await Promise.all(others.map(remove));
      return saved;
    },
    isExpiring: ({ expiresAt }) => expiresAt !== undefined && expiresAt - MARGIN < now(),
  };
}

/** Returns when a token ends, in milliseconds since 1970; undefined for a number of the server that makes no sense. */
function endOf(seconds: number, now: number): number | undefined {
  return seconds > 0 ? now + Math.min(seconds, LONGEST_EXPIRY) * 1000 : undefined;
}

/** Whether a resource is the URL or one of its parents, on the same origin (RFC 8707, section 2). */
function contains(resource: string, url: string): boolean {
  if (!URL.canParse(resource) || !URL.canParse(url)) return false;
  const outer = new URL(resource);
  const inner = new URL(url);
  const folder = (path: string): string => (path.endsWith("/") ? path : `${path}/`);
  return outer.origin === inner.origin && folder(inner.pathname).startsWith(folder(outer.pathname));
}

function makeStore(dir: string): void {
  try {
    makeFolder(dir, 0o700);
  } catch (cause) {
    throw new McpCodegenError("FILE_FAILED", `The folder "${dir}" cannot be created: ${reasonOf(cause)}.`, {
      cause,
    });
  }
}

/** Refuses a file or folder that others could have written or could read. One that is missing is fine. */
async function assertOwn(path: string, uid: number | undefined): Promise<void> {
  if (uid === undefined) return;
  const stats = await lstat(path).catch(ignoreMissing(path));
  if (stats === undefined) return;
  const fail = (what: string, hint: string): McpCodegenError =>
    new McpCodegenError("LOGIN_UNSAFE", `"${path}" ${what}.`, { hint });
  if (stats.uid !== uid)
    throw fail("belongs to another user", "Delete it, or set XDG_STATE_HOME to a folder of your own.");
  if (stats.isSymbolicLink()) throw fail("is a symbolic link", "Delete it, and log in again.");
  if (!stats.isFile() && !stats.isDirectory())
    throw fail("is neither a file nor a folder", "Delete it, and log in again.");
  if ((stats.mode & 0o077) !== 0) {
    const mode = stats.isDirectory() ? "700" : "600";
    throw fail(
      "can be read or written by other users",
      `Run "chmod ${mode} '${path}'" if you trust it, or delete it.`,
    );
  }
}

/** Returns a handler that throws `FILE_FAILED` for all errors but that of a missing file. */
function ignoreMissing(path: string): (cause: unknown) => undefined {
  return (cause) => {
    if (codeOf(cause) === "ENOENT") return;
    throw new McpCodegenError("FILE_FAILED", `"${path}" cannot be used: ${reasonOf(cause)}.`, {
      hint: "Saved logins are there. Set XDG_STATE_HOME to a folder of your own.",
      cause,
    });
  };
}

/** Milliseconds since 1970. A file with a later end counts as one without an end. */
const LAST_DATE = 8.64e15;

const text = f.optional(f.anyText);
const scopes = f.list(f.anyText);
const LOGIN = f.record<Login>(
  {
    issuer: f.anyText,
    resource: f.anyText,
    clientId: f.anyText,
    scopes,
    grantedScopes: scopes,
    accessToken: f.textLike({}, "expected an access token", isAccessToken),
    resourceMetadataUrl: text,
    redirectUrl: text,
    clientSecret: text,
    refreshToken: text,
    subject: text,
    callScopes: f.optional(scopes),
    // Another value than a date counts as none.
    expiresAt: f.optional(f.custom<number | undefined>({}, () => undefined)),
  },
  { isOpen: true },
);

function parseLogin(saved: string): Login | undefined {
  try {
    const login = f.parseValue(LOGIN, JSON.parse(saved));
    const isDate = typeof login.expiresAt === "number" && Math.abs(login.expiresAt) <= LAST_DATE;
    return isDate ? login : { ...login, expiresAt: undefined };
  } catch {
    return undefined;
  }
}
