/** Runs the tests of hostile tools with every command. */
import { spawnSync } from "node:child_process";
import process from "node:process";

const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/vitest.config.ts"];
const { status } = spawnSync(process.execPath, [...vitest, "test/hostile/hostile-sizes.test.ts"], {
  stdio: "inherit",
  env: { ...process.env, HOSTILE_GRID: "whole", MCP_CODEGEN_SKIP_BUILD: "1" },
});
process.exitCode = status ?? 1;
