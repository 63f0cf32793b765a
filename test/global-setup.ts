import { execFileSync } from "node:child_process";

/** Tests that start the real binary need the build; it is made once, before any of them. */
export default function setup(): void {
  if (process.env["MCP_CODEGEN_SKIP_BUILD"] === "1") return;
  execFileSync("npm", ["run", "--silent", "build"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
}
