import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROUTER = fileURLToPath(new URL("mini-server.php", import.meta.url));

export const hasPhp: boolean = spawnSync("php", ["--version"]).status === 0;
/** For titles: why a test is skipped without PHP. */
export const phpNote: string = hasPhp ? "" : " (skipped: no php)";

export interface MiniServerOptions {
  readonly plugins: readonly string[];
  readonly adapter?: "0.4" | "0.5";
  readonly rest?: "open" | "closed";
  readonly user?: string;
  readonly password?: string;
  readonly sessions?: "one" | "lost";
}

export interface MiniServer {
  /** `http://127.0.0.1:<port>` */
  readonly site: string;
  /** The requests since the last call, such as `POST /wp-json/mcp/acme`. */
  takeRequests(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Starts a small WordPress in PHP's built-in web server. */
export async function startMiniServer({
  plugins,
  adapter = "0.5",
  rest = "open",
  user,
  password,
  sessions,
}: MiniServerOptions): Promise<MiniServer> {
  const state = await mkdtemp(join(tmpdir(), "mini-wordpress-"));
  const port = await findPort();
  const child = spawn(
    "php",
    [
      "-d",
      "opcache.enable=0",
      "-d",
      "display_errors=1",
      "-d",
      "html_errors=1",
      "-S",
      `127.0.0.1:${port}`,
      ROUTER,
    ],
    {
      stdio: "ignore",
      env: {
        ...process.env,
        MINI_PLUGINS: plugins.join(delimiter),
        MINI_STATE: state,
        MINI_ADAPTER: adapter,
        MINI_REST: rest,
        ...(user !== undefined && { MINI_USER: user }),
        ...(password !== undefined && { MINI_PASSWORD: password }),
        ...(sessions !== undefined && { MINI_SESSIONS: sessions }),
      },
    },
  );
  const exited = new Promise<void>((resolve) =>
    child.once("exit", () => {
      resolve();
    }),
  );
  const site = `http://127.0.0.1:${port}`;
  await waitFor(`${site}/favicon.ico`);
  return {
    site,
    async takeRequests() {
      const log = join(state, "requests.log");
      const text = await readFile(log, "utf8").catch(() => "");
      await rm(log, { force: true });
      return text.split("\n").filter((line) => line !== "");
    },
    async close() {
      child.kill();
      await exited;
      await rm(state, { recursive: true, force: true });
    },
  };
}

async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("There is no free port.");
  return address.port;
}

async function waitFor(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("PHP's web server does not answer.");
}
