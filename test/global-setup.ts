import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Builds once before all tests, since some start the real binary. */
export function build(): void {
  if (process.env["MCP_CODEGEN_SKIP_BUILD"] === "1") return;
  execFileSync("npm", ["run", "--silent", "build"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
}

/** Builds, and gives the run a temporary folder of its own. The run fails if a test leaves a folder there. */
export default function setup(): () => void {
  build();
  const folder = mkdtempSync(join(tmpdir(), "mcp-codegen-tests-"));
  for (const name of ["TMPDIR", "TEMP", "TMP"]) process.env[name] = folder;
  return () => {
    // Names that `mkdtemp` made.
    const left = readdirSync(folder).filter((name) => /-[A-Za-z0-9]{6}$/.test(name));
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    if (left.length === 0) return;
    // Vitest prints the error, and would exit with 0.
    process.exitCode = 1;
    throw new Error(`Tests left folders in the temporary folder: ${left.join(", ")}`);
  };
}
