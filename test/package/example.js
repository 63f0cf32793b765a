/**
 * Sets up the example in a new folder and does the main job there: no network, no account. Each command is printed
 * before it runs, so that it can be repeated by hand.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, URL } from "node:url";

const bin = fileURLToPath(new URL("../../bin/mcp-codegen.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "mcp-codegen-example-"));

for (const command of ["init --example --yes", "pull --no-frozen", "list", "check"]) {
  process.stdout.write(`\n$ mcp-codegen ${command}\n`);
  execFileSync(process.execPath, [bin, ...command.split(" ")], { cwd: folder, stdio: "inherit" });
}
// Exits with 1: the next version of the server breaks callers.
const command = "check --env next";
process.stdout.write(`\n$ mcp-codegen ${command}\n`);
spawnSync(process.execPath, [bin, ...command.split(" ")], { cwd: folder, stdio: "inherit" });
process.stdout.write(`\nThe lock and the generated code are in ${folder}\n`);
