import { homedir, hostname } from "node:os";
import { isAbsolute, join } from "node:path";
import process from "node:process";
import { openLoginStore } from "../../files/login-store.js";
import type { Logins } from "../../contract/login.js";
import { isCi, type Io } from "../context.js";

/**
 * Returns the logins of the user. Nothing is read yet.
 *
 * @param url the URL of a server that is not configured, to be named in hints
 */
export function openLogins({ env }: Pick<Io, "env">, url?: string): Logins {
  const store = openLoginStore({
    dir: join(stateFolder(env), "mcp-codegen", "logins"),
    now: () => Date.now(),
    uid: process.getuid?.(),
    host: hostname(),
  });
  return {
    store,
    hint: (server) =>
      isCi(env)
        ? `In CI, set clientId, clientSecret and issuer under servers.${server}.auth, or a token: { bearer: "\${TOKEN}" }.`
        : `Run "npx mcp-codegen login ${url ?? server}".`,
  };
}

/** Returns the folder for the state of programs: by the XDG specification, else the one of the platform. */
function stateFolder(env: NodeJS.ProcessEnv): string {
  const { XDG_STATE_HOME: state = "", LOCALAPPDATA: local = "" } = env;
  if (isAbsolute(state)) return state;
  if (process.platform === "win32" && isAbsolute(local)) return local;
  const home = env["HOME"] ?? homedir();
  return process.platform === "darwin"
    ? join(home, "Library", "Application Support")
    : join(home, ".local", "state");
}
