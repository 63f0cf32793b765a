import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const BIN = fileURLToPath(new URL("../../bin/mcp-codegen.js", import.meta.url));

/** Starts the real binary in a Node that says it is another version. */
function startAs(version: string): { readonly status: number | null; readonly stderr: string } {
  const script = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(script)}`, BIN, "--version"],
    { encoding: "utf8" },
  );
  return { status, stderr };
}

describe("the binary in an old Node", () => {
  it.each(["16.20.2", "18.20.8", "20.11.1", "20.18.3"])("refuses %s in one line", (version) => {
    expect(startAs(version)).toEqual({
      status: 2,
      stderr: `mcp-codegen needs Node 20.19 or later; this is ${version}.\n`,
    });
  });

  it.each(["20.19.0", "21.0.0", "22.3.0", "100.0.0"])("starts in %s", (version) => {
    expect(startAs(version)).toEqual({ status: 0, stderr: "" });
  });

  it("imports only a module of Node before it has compared the version", () => {
    const file = ts.createSourceFile(BIN, readFileSync(BIN, "utf8"), ts.ScriptTarget.ES2022);
    const imported = file.statements
      .filter(ts.isImportDeclaration)
      .map((node) => node.moduleSpecifier.getText(file));
    expect(imported).toEqual(['"node:process"']);
  });
});

it.skipIf(process.platform === "win32")(
  "in a folder that was removed, the binary says so in one line",
  () => {
    const dir = mkdtempSync(join(tmpdir(), "mcp-codegen-removed-"));
    const { status, stderr } = spawnSync(
      "sh",
      ["-c", 'cd "$1" && rmdir "$1" && exec "$2" "$3" --version', "sh", dir, process.execPath, BIN],
      { encoding: "utf8" },
    );
    expect([status, stderr]).toEqual([2, "error: The working folder does not exist, or cannot be read.\n"]);
  },
);
