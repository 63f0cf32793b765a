import { lstat, mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../contract/code-of.js";
import { sha256 } from "../contract/digest.js";
import { McpCodegenError } from "../contract/errors.js";
import { getOwn, isJsonObject, type JsonObject } from "../contract/json.js";
import type { Login, LoginStore, NewLogin } from "../contract/login.js";
import { reasonOf, writeAtomic } from "./write-atomic.js";

export interface LoginStoreOptions {
  /** The folder of the logins: one file each. */
  readonly dir: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The ID of the user who must own the files; undefined on a platform without. */
  readonly uid: number | undefined;
}

/** Milliseconds before its end at which a token counts as expired: a request takes time. */
const MARGIN = 10_000;
/** Milliseconds after which a lock was left by a process that has ended. A refresh takes less. */
const LOCK_TIME = 120_000;
/** Milliseconds between two looks at a lock. */
const LOCK_PAUSE = 50;

/** Opens the logins in a folder that only the user can read. A missing folder has none. */
export function openLoginStore({ dir, now, uid }: LoginStoreOptions): LoginStore {
  const fileOf = ({ issuer, resource }: Pick<Login, "issuer" | "resource">): string =>
    join(dir, `${sha256(JSON.stringify([issuer, resource])).slice(0, 32)}.json`);

  const read = async (file: string): Promise<Login | undefined> => {
    await assertOwn(file, uid);
    const text = await readFile(file, "utf8").catch(ignoreMissing);
    if (text === undefined) return undefined;
    const login = parseLogin(text);
    if (login !== undefined) return login;
    throw new McpCodegenError("LOGIN_UNSAFE", `The saved login "${file}" is damaged.`, {
      hint: "Delete the file, and log in again.",
    });
  };

  const list = async (): Promise<readonly Login[]> => {
    await assertOwn(dir, uid);
    const names = (await readdir(dir).catch(ignoreMissing)) ?? [];
    const files = names.filter((name) => /^[0-9a-f]{32}\.json$/.test(name)).sort();
    const logins = await Promise.all(files.map((name) => read(join(dir, name))));
    return logins.flatMap((login) => login ?? []);
  };

  const write = async ({ expiresIn, ...login }: NewLogin): Promise<Login> => {
    const saved = expiresIn === undefined ? login : { ...login, expiresAt: now() + expiresIn * 1000 };
    await makeFolder(dir);
    await assertOwn(dir, uid);
    const file = fileOf(login);
    await assertOwn(file, uid);
    await writeAtomic(file, `${JSON.stringify(saved, null, 2)}\n`, 0o600);
    return saved;
  };

  const update: LoginStore["update"] = async (login, work) => {
    const release = await lock(`${fileOf(login)}.lock`, now);
    try {
      const before = await read(fileOf(login));
      const after = await work(before);
      return after === undefined || after === before ? after : await write(after);
    } finally {
      await release();
    }
  };

  const remove = (login: Pick<Login, "issuer" | "resource">): Promise<void> =>
    rm(fileOf(login), { force: true });

  return {
    list,
    update,
    remove,
    find: async (url) => {
      const matching = (await list()).filter(({ resource }) => contains(resource, url));
      return matching.sort((a, b) => b.resource.length - a.resource.length)[0];
    },
    save: async (login) => {
      const others = (await list()).filter(
        ({ issuer, resource }) => resource === login.resource && issuer !== login.issuer,
      );
      await makeFolder(dir);
      const saved = await update(login, () => Promise.resolve(login));
      await Promise.all(others.map(remove));
      return saved ?? login;
    },
    isExpiring: ({ expiresAt }) => expiresAt !== undefined && expiresAt - MARGIN < now(),
  };
}

/** Whether a resource is the URL or one of its parents, on the same origin (RFC 8707, section 2). */
function contains(resource: string, url: string): boolean {
  if (!URL.canParse(resource) || !URL.canParse(url)) return false;
  const [outer, inner] = [new URL(resource), new URL(url)];
  const folder = (path: string): string => (path.endsWith("/") ? path : `${path}/`);
  return outer.origin === inner.origin && folder(inner.pathname).startsWith(folder(outer.pathname));
}

async function makeFolder(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new McpCodegenError("FILE_FAILED", `The folder "${dir}" cannot be created: ${reasonOf(cause)}.`, {
      cause,
    });
  }
}

/** Refuses a file or folder that others could have written or could read. One that is missing is fine. */
async function assertOwn(path: string, uid: number | undefined): Promise<void> {
  if (uid === undefined) return;
  const found = await lstat(path).catch(ignoreMissing);
  if (found === undefined) return;
  const fail = (what: string, hint: string): McpCodegenError =>
    new McpCodegenError("LOGIN_UNSAFE", `"${path}" ${what}.`, { hint });
  if (found.uid !== uid)
    throw fail("belongs to another user", "Delete it, or set XDG_STATE_HOME to a folder of your own.");
  if (found.isSymbolicLink()) throw fail("is a symbolic link", "Delete it, and log in again.");
  if ((found.mode & 0o077) !== 0) {
    const mode = found.isDirectory() ? "700" : "600";
    throw fail(
      "can be read or written by other users",
      `Run "chmod ${mode} '${path}'" if you trust it, or delete it.`,
    );
  }
}

/** Waits until no other process has the lock, and returns what releases it. */
async function lock(path: string, now: () => number): Promise<() => Promise<void>> {
  await makeFolder(dirname(path));
  for (;;) {
    try {
      await (await open(path, "wx", 0o600)).close();
      return () => rm(path, { force: true });
    } catch (error) {
      if (codeOf(error) !== "EEXIST") {
        const message = `"${basename(path)}" cannot be written: ${reasonOf(error)}.`;
        throw new McpCodegenError("FILE_FAILED", message, { cause: error });
      }
    }
    const found = await stat(path).catch(ignoreMissing);
    if (found !== undefined && found.mtimeMs + LOCK_TIME < now()) await rm(path, { force: true });
    await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE));
  }
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}

const REQUIRED = ["issuer", "resource", "clientId", "accessToken"] as const;
const OPTIONAL = ["resourceMetadataUrl", "clientSecret", "refreshToken", "subject"] as const;

function parseLogin(text: string): Login | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value) || !isLogin(value)) return undefined;
  return value;
}

function isLogin(value: JsonObject): value is JsonObject & Login {
  const typeOf = (key: string): string => typeof getOwn(value, key);
  return (
    REQUIRED.every((key) => typeOf(key) === "string") &&
    OPTIONAL.every((key) => ["string", "undefined"].includes(typeOf(key))) &&
    ["number", "undefined"].includes(typeOf("expiresAt")) &&
    isStrings(getOwn(value, "scopes")) &&
    isStrings(getOwn(value, "callScopes") ?? []) &&
    isStrings(getOwn(value, "grantedScopes") ?? [])
  );
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
