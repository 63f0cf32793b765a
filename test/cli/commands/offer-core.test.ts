import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { offerCore } from "../../../src/cli/commands/offer-core.js";
import { proposeWordPress } from "../../../src/cli/commands/setup/propose-wordpress.js";
import type { ServerConfig } from "../../../src/config/config.js";
import { serveArchive, temporaryFolder, WORDPRESS } from "../../sources/php/serve-core.js";
import { startWatch } from "../../e2e/watch/start-watch.js";
import { answer, terminal } from "../press-keys.js";
import { runCommand } from "../run-command.js";

const PHP = { php: { paths: ["acme"] } };
const QUESTION = "Download WordPress";

interface Offered {
  /** Whether WordPress was downloaded. */
  readonly isDownloaded: boolean;
  readonly asked: readonly string[];
}

/** Offers, and presses a key if there is a question. */
async function offer(
  servers: { readonly [name: string]: ServerConfig },
  key: "y" | "n",
  options: {
    readonly names?: readonly string[];
    readonly readsAll?: boolean;
    readonly env?: NodeJS.ProcessEnv;
  } = {},
): Promise<Offered> {
  const dir = temporaryFolder();
  const { base, asked } = await serveArchive();
  const env = { PATH: process.env["PATH"], XDG_CACHE_HOME: join(dir, "cache"), ...options.env };
  const { names, readsAll = false } = options;
  await answer(
    (context) =>
      offerCore(
        { ...context, io: { ...context.io, env } },
        { config: { servers }, dir },
        { names, readsAll, base },
      ),
    [key],
  );
  return { isDownloaded: existsSync(join(dir, "cache", "mcp-codegen")), asked };
}

describe("offerCore", () => {
  it("downloads WordPress after a yes, once for all servers", async () => {
    const { isDownloaded, asked } = await offer({ acme: PHP, shop: PHP }, "y");
    expect({ isDownloaded, requests: asked.length }).toEqual({ isDownloaded: true, requests: 2 });
  });

  it.each<
    [why: string, servers: { readonly [name: string]: ServerConfig }, options?: Parameters<typeof offer>[2]]
  >([
    [
      "of servers that the command does not name",
      { acme: PHP, shop: { file: "tools.json" } },
      { names: ["shop"] },
    ],
    ["of a server that is asked instead", { acme: { ...PHP, url: "https://acme.example/mcp" } }],
    ["of a server with a saved list", { acme: { ...PHP, file: "tools.json" } }],
    ["in a WordPress on disk", { acme: { php: { paths: ["acme"], wordpress: "." } } }],
    ["in a WordPress behind a command", { acme: { php: { paths: ["acme"], command: "wp" } } }],
    [
      "whose php.core is wrong, which the command reports",
      { acme: { php: { paths: ["acme"], core: "gone" } } },
    ],
    ["whose WP_CORE_DIR is wrong", { acme: PHP }, { env: { WP_CORE_DIR: "/gone" } }],
    ["of a user without a folder", { acme: PHP }, { env: { XDG_CACHE_HOME: "" } }],
  ])("does not ask about PHP %s", async (_, servers, options) => {
    expect(await offer(servers, "y", options)).toEqual({ isDownloaded: false, asked: [] });
  });

  it("asks about a server with an endpoint whose PHP is read", async () => {
    const acme = { ...PHP, url: "https://acme.example/mcp" };
    expect(await offer({ acme }, "y", { readsAll: true })).toMatchObject({ isDownloaded: true });
  });

  it("downloads nothing after a no", async () => {
    expect(await offer({ acme: PHP }, "n")).toEqual({ isDownloaded: false, asked: [] });
  });
});

describe("a command that reads plugins", () => {
  const plugin =
    "<?php\n/* Plugin Name: Acme */\nadd_action( 'wp_abilities_api_init', fn() => wp_register_ability( 'acme/a', [] ) );\n";

  function makeProject(server: ServerConfig = PHP): string {
    const dir = temporaryFolder();
    mkdirSync(join(dir, "acme"));
    writeFileSync(join(dir, "acme/acme.php"), plugin);
    writeFileSync(
      join(dir, "mcp-codegen.config.json"),
      JSON.stringify({ output: false, servers: { acme: server } }),
    );
    return dir;
  }

  const both = { ...PHP, command: "no-such-command" };
  it.each<[argv: readonly string[], isAsked: boolean, server?: ServerConfig]>([
    [["check"], true],
    [["check", "--php"], true, both],
    [["check"], false, both],
    [["check", "--offline"], false],
    [["pull"], true],
    [["pull", "--php"], true, both],
    [["pull"], false, both],
  ])("asks for %j: %s", async (argv, isAsked, server) => {
    const dir = makeProject(server);
    const env = { XDG_CACHE_HOME: join(dir, "cache"), WP_CORE_DIR: "" };
    const asked = await runCommand(argv, { cwd: dir, env, keys: "n" });
    expect(asked.stderr.includes(QUESTION)).toBe(isAsked);
    for (const words of [[...argv, "--json"], argv]) {
      const { stderr } = await runCommand(words, { cwd: dir, env: { ...env, CI: "1" }, keys: "n" });
      expect(stderr).not.toContain(QUESTION);
    }
  });

  it("does not ask if there is a WordPress", async () => {
    const dir = makeProject();
    for (const [path, text] of Object.entries(WORDPRESS)) {
      const file = join(dir, path.replace(/^wordpress\//, ""));
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, text);
    }
    const { stderr } = await runCommand(["pull"], {
      cwd: dir,
      env: { XDG_CACHE_HOME: join(dir, "cache"), WP_CORE_DIR: "" },
      keys: "n",
    });
    expect(stderr).not.toContain(QUESTION);
  });

  it("asks before it watches", async () => {
    const dir = makeProject();
    const keys = new PassThrough();
    const env = { XDG_CACHE_HOME: join(dir, "cache"), WP_CORE_DIR: "" };
    const watch = startWatch(dir, [], { keys, env });
    await waitFor(() => watch.stderr().includes(QUESTION));
    expect(watch.output()).not.toContain("Watching");
    keys.write("n");
    await watch.see(/Watching acme/);
  });

  it("asks after init was allowed to run plugins", async () => {
    const dir = makeProject();
    const { context, stdin } = terminal();
    const shown = readShown(context.io.stderr as PassThrough);
    const io = { ...context.io, env: { XDG_CACHE_HOME: join(dir, "cache") } };
    const proposed = proposeWordPress({ ...context, io }, dir, {}, { mayAsk: true, isYes: false });
    await waitFor(() => shown().includes("Run this PHP"));
    expect(shown()).not.toContain(QUESTION);
    stdin.write("y");
    await waitFor(() => shown().includes(QUESTION));
    stdin.write("n");
    expect(await proposed).toMatchObject({ servers: { acme: { php: { paths: ["acme"] } } } });
  });
});

/** Returns a function that returns everything written to a stream so far. */
function readShown(stream: PassThrough): () => string {
  let text = "";
  stream.on("data", (piece: Buffer) => {
    text += piece.toString();
  });
  return () => text;
}

async function waitFor(isTrue: () => boolean): Promise<void> {
  await vi.waitFor(() => {
    expect(isTrue()).toBe(true);
  }, 20_000);
}
