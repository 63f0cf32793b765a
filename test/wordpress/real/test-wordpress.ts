/**
 * Runs tests of WordPress in a real one, which it builds once: `npm run test:wordpress [-- FILE]`. Without the packages, it
 * prints why the tests are skipped.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { buildWordPress, CannotBuild } from "./build-wordpress.js";

const dir = await mkdtemp(join(tmpdir(), "real-wordpress-"));
try {
  await buildWordPress(dir);
  const env = {
    ...process.env,
    REAL_WORDPRESS: dir,
    PATH: [join(dir, "bin"), process.env["PATH"]].join(delimiter),
  };
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/vitest.config.ts"];
  const child = spawn(process.execPath, [...vitest, ...process.argv.slice(2)], { stdio: "inherit", env });
  process.exitCode = await new Promise<number>((resolve) =>
    child.once("exit", (code) => {
      resolve(code ?? 1);
    }),
  );
} catch (error) {
  if (!(error instanceof CannotBuild)) throw error;
  console.log(`Skipped the tests in a real WordPress: ${error.message}`);
} finally {
  await rm(dir, { recursive: true, force: true, maxRetries: 3 });
}
