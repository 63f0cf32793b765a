/**
 * Locks and generates all public tool lists with the program of a checkout, and prints a digest of what it wrote for each, to
 * compare two versions: `npm run report bytes` and `npm run report bytes -- <folder of the other checkout>`, both built.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const LISTS = fileURLToPath(new URL("../../shared/data/tool-lists/", import.meta.url));
const checkout = resolve(process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url)));

if (!existsSync(LISTS)) {
  process.stderr.write(`There are no tool lists in ${LISTS}.\n`);
  process.exit(1);
}
const dir = mkdtempSync(join(tmpdir(), "mcp-codegen-bytes-"));
try {
  const files = readdirSync(LISTS).filter((file) => file.endsWith(".json"));
  const servers = Object.fromEntries(
    files.map((file) => [
      file.replace(/\.json$/, "").replace(/[^a-z0-9]+/g, "_"),
      { file: join(LISTS, file) },
    ]),
  );
  writeFileSync(join(dir, "mcp-codegen.config.json"), JSON.stringify({ servers }));
  const program = join(checkout, "bin/mcp-codegen.js");
  const { status, stderr } = spawnSync(process.execPath, [program, "pull"], { cwd: dir, encoding: "utf8" });
  // 1: a tool is held back for a finding, and so is its code.
  if (status !== 0 && status !== 1) throw new Error(`pull ended with ${status}: ${stderr}`);
  const written = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const digests = new Map<string, ReturnType<typeof createHash>>();
  for (const file of written) {
    const [top = "", server = ""] = file.slice(dir.length + 1).split("/");
    const part = top === "generated" ? `generated/${server}` : top;
    // The paths of the lists are in the configuration alone.
    if (part === "mcp-codegen.config.json") continue;
    const digest = digests.get(part) ?? createHash("sha256");
    digest.update(file.slice(dir.length)).update("\0").update(readFileSync(file)).update("\0");
    digests.set(part, digest);
  }
  for (const [part, digest] of digests)
    process.stdout.write(`${digest.digest("hex").slice(0, 16)}  ${part}\n`);
} finally {
  rmSync(dir, { recursive: true });
}
