/**
 * Builds a WordPress, and runs something with it:
 *
 *     npm run test:wordpress [-- FILE]        the tests of WordPress; without the packages, it prints why it skips them.
 *                                             With --or-stand-in, those that `npm run test:check` leaves out run in the stand-in
 *     npm run wordpress [-- PLUGIN.php ...]   a site with these plugins, until Ctrl+C
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { buildWordPress } from "./build-wordpress.js";
import { CannotBuild } from "./fetch-wordpress.js";

const [command, ...options] = process.argv.slice(2);
const OR_STAND_IN = "--or-stand-in";
const args = options.filter((option) => option !== OR_STAND_IN);
/** Whether this is a part of `npm run check`, which runs samples. */
const isCheck = options.includes(OR_STAND_IN);
const interrupted = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
const dir = await mkdtemp(join(tmpdir(), "real-wordpress-"));
try {
  await buildWordPress(dir);
  process.env["REAL_WORDPRESS"] = dir;
  process.env["PATH"] = [join(dir, "bin"), process.env["PATH"]].join(delimiter);
  process.exitCode = await (command === "serve"
    ? serve(args)
    : test(isCheck ? [...args, "--mode", "check"] : args));
} catch (error) {
  if (!(error instanceof CannotBuild)) throw error;
  console.log(`Skipped the tests in a real WordPress: ${error.message}`);
  if (isCheck) process.exitCode = await test([...args, "--mode", "stand-in"]);
} finally {
  await rm(dir, { recursive: true, force: true, maxRetries: 3 });
}

async function test(files: readonly string[]): Promise<number> {
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/vitest.config.ts"];
  const child = spawn(process.execPath, [...vitest, ...files], { stdio: "inherit" });
  void interrupted.then(() => child.kill());
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

async function serve(plugins: readonly string[]): Promise<number> {
  // It reads REAL_WORDPRESS when it is loaded.
  const { startSite } = await import("../start-site.js");
  const site = await startSite({ plugins: plugins.map((plugin) => resolve(plugin)) });
  const { WP_URL, WP_PASSWORD } = site.env;
  console.log(`${WP_URL}/wp-json/mcp/mcp-adapter-default-server (a stand-in for the MCP adapter)`);
  console.log(
    `Users: admin, editor, subscriber. Application password: ${WP_PASSWORD}. Press Ctrl+C to stop.`,
  );
  await interrupted;
  await site.close();
  return 0;
}
