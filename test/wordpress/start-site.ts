import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { copySite } from "./make-site.js";
import { APPLICATION_PASSWORD } from "./real/real-site.js";

const USER = "admin";

/** How a configuration logs in to a site, with the variables of `RunningSite`. */
export const AUTH = { basic: { username: "${WP_USER}", password: "${WP_PASSWORD}" } } as const;

export interface SiteOptions {
  readonly plugins: readonly string[];
  readonly adapter?: "0.4" | "0.5";
  readonly rest?: "open" | "closed";
  readonly sessions?: "one" | "lost";
}

export interface RunningSite {
  /** `http://127.0.0.1:<port>` */
  readonly site: string;
  /** Variables: the URL and an administrator's account. */
  readonly env: { readonly WP_URL: string; readonly WP_USER: string; readonly WP_PASSWORD: string };
  /** The requests since the last call, such as `POST /wp-json/mcp/acme`. */
  takeRequests(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Starts a WordPress in PHP's built-in web server: the copy of `copySite()`. */
export async function startSite({
  plugins,
  adapter = "0.5",
  rest = "open",
  sessions,
}: SiteOptions): Promise<RunningSite> {
  const state = await mkdtemp(join(tmpdir(), "wordpress-"));
  const log = join(state, "requests.log");
  const port = await findPort();
  const router = await prepare(join(state, "site"));
  // Files that are younger than two seconds are not cached, so an edit of a plugin counts at once.
  const settings = ["opcache.revalidate_freq=0", "display_errors=1", "html_errors=1"].flatMap((each) => [
    "-d",
    each,
  ]);
  // The shell ends PHP when this process ends, however it ends: its input is closed then.
  const script = '"$@" & cat >/dev/null; kill 0';
  const child = spawn("sh", ["-c", script, "sh", "php", ...settings, "-S", `127.0.0.1:${port}`, ...router], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: {
      ...process.env,
      SITE_PLUGINS: plugins.join(delimiter),
      SITE_REST: rest,
      REQUESTS_LOG: log,
      ADAPTER_VERSION: adapter,
      SITE_PASSWORD: APPLICATION_PASSWORD,
      ...(sessions !== undefined && { ADAPTER_SESSIONS: sessions }),
    },
  });
  const exited = new Promise<void>((resolve) =>
    child.once("exit", () => {
      resolve();
    }),
  );
  const site = `http://127.0.0.1:${port}`;
  await waitFor(`${site}/favicon.ico`);
  return {
    site,
    env: { WP_URL: site, WP_USER: USER, WP_PASSWORD: APPLICATION_PASSWORD },
    async takeRequests() {
      const text = await readFile(log, "utf8").catch(() => "");
      await rm(log, { force: true });
      return text.split("\n").filter((line) => line !== "");
    },
    async close() {
      child.stdin.end();
      await exited;
      await rm(state, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Returns the arguments of PHP's web server. */
async function prepare(folder: string): Promise<readonly string[]> {
  await copySite(folder);
  const plugins = join(folder, "wp-content/mu-plugins");
  await cp(fileURLToPath(new URL("mcp-adapter.php", import.meta.url)), join(plugins, "mcp-adapter.php"));
  await cp(fileURLToPath(new URL("site/plugins.php", import.meta.url)), join(plugins, "plugins.php"));
  return ["-t", folder, fileURLToPath(new URL("site/router.php", import.meta.url))];
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
  for (let tries = 0; tries < 1_000; tries += 1) {
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("PHP's web server does not answer.");
}
