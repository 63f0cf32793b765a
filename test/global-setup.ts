import { execFileSync } from "node:child_process";

/** Builds once before all tests, since some start the real binary. */
export default function setup(): void {
  if (process.env["MCP_CODEGEN_SKIP_BUILD"] === "1") return;
  execFileSync("npm", ["run", "--silent", "build"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
}
