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

type Options = {
  readonly names?: readonly string[];
  readonly readsAll?: boolean;
  readonly env?: NodeJS.ProcessEnv;
};
type Servers = { readonly [name: string]: ServerConfig };

/** Offers, and presses a key if there is a question; returns whether WordPress was downloaded, and the requests. */
async function offer(
  servers: Servers,
  key: "y" | "n",
  { names, readsAll = false, env = {} }: Options = {},
): Promise<{ readonly isDownloaded: boolean; readonly asked: readonly string[] }> {
  const dir = temporaryFolder();
  const { base, asked } = await serveArchive();
  const all = { PATH: process.env["PATH"], XDG_CACHE_HOME: join(dir, "cache"), ...env };
  const project = { config: { servers }, dir };
  await answer(
    (context) => {
      const io = { ...context.io, env: all };
      return offerCore({ ...context, io }, project, { names, readsAll, base });
    },
    [key],
  );
  return { isDownloaded: existsSync(join(dir, "cache", "mcp-codegen")), asked };
}

describe("offerCore", () => {
  it("downloads WordPress after a yes, once for all servers, and nothing after a no", async () => {
    const { isDownloaded, asked } = await offer({ acme: PHP, shop: PHP }, "y");
    expect([isDownloaded, asked.length]).toEqual([true, 2]);
    expect(await offer({ acme: PHP }, "n")).toEqual({ isDownloaded: false, asked: [] });
  });

  it.each<[why: string, servers: Servers, options?: Options]>([
    ["of servers that the command does not name", { acme: PHP, shop: { file: "tools.json" } }, { names: ["shop"] }], // prettier-ignore
    ["of a server that is asked instead", { acme: { ...PHP, url: "https://acme.example/mcp" } }],
    ["of a server with a saved list", { acme: { ...PHP, file: "tools.json" } }],
    ["in a WordPress on disk", { acme: { php: { paths: ["acme"], wordpress: "." } } }],
    ["in a WordPress behind a command", { acme: { php: { paths: ["acme"], command: "wp" } } }],
    ["whose php.core is wrong, which the command reports", { acme: { php: { paths: ["acme"], core: "gone" } } }], // prettier-ignore
    ["whose WP_CORE_DIR is wrong", { acme: PHP }, { env: { WP_CORE_DIR: "/gone" } }],
    ["of a user without a folder", { acme: PHP }, { env: { XDG_CACHE_HOME: "" } }],
  ])("does not ask about PHP %s", async (_, servers, options) => {
    expect(await offer(servers, "y", options)).toEqual({ isDownloaded: false, asked: [] });
  });

  it("asks about a server with an endpoint whose PHP is read", async () => {
    const acme = { ...PHP, url: "https://acme.example/mcp" };
    expect(await offer({ acme }, "y", { readsAll: true })).toMatchObject({ isDownloaded: true });
  });
});

describe("a command that reads plugins", () => {
  const plugin =
    "<?php\n/* Plugin Name: Acme */\nadd_action( 'wp_abilities_api_init', fn() => wp_register_ability( 'acme/a', [] ) );\n";

  function makeProject(server: ServerConfig = PHP): {
    readonly dir: string;
    readonly env: NodeJS.ProcessEnv;
  } {
    const dir = temporaryFolder();
    mkdirSync(join(dir, "acme"));
    writeFileSync(join(dir, "acme/acme.php"), plugin);
    const config = JSON.stringify({ output: false, servers: { acme: server } });
    writeFileSync(join(dir, "mcp-codegen.config.json"), config);
    return { dir, env: { XDG_CACHE_HOME: join(dir, "cache"), WP_CORE_DIR: "" } };
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
    const { dir, env } = makeProject(server);
    const asked = await runCommand(argv, { cwd: dir, env, keys: "n" });
    expect(asked.stderr.includes(QUESTION)).toBe(isAsked);
    for (const words of [[...argv, "--json"], argv]) {
      const { stderr } = await runCommand(words, { cwd: dir, env: { ...env, CI: "1" }, keys: "n" });
      expect(stderr).not.toContain(QUESTION);
    }
  });

  it("does not ask if there is a WordPress", async () => {
    const { dir, env } = makeProject();
    for (const [path, text] of Object.entries(WORDPRESS)) {
      const file = join(dir, path.replace(/^wordpress\//, ""));
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, text);
    }
    const { stderr } = await runCommand("pull", { cwd: dir, env, keys: "n" });
    expect(stderr).not.toContain(QUESTION);
  });

  it("asks before it watches", async () => {
    const { dir, env } = makeProject();
    const keys = new PassThrough();
    const watch = startWatch(dir, [], { keys, env });
    await waitFor(() => watch.stderr().includes(QUESTION));
    expect(watch.output()).not.toContain("Watching");
    keys.write("n");
    await watch.see(/Watching acme/);
  });

  it("asks after init was allowed to run plugins", async () => {
    const { dir, env } = makeProject();
    const { context, stdin } = terminal();
    const shown = readShown(context.io.stderr as PassThrough);
    const io = { ...context.io, env: { XDG_CACHE_HOME: env["XDG_CACHE_HOME"] } };
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
