import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder with these files, by path. It is removed when the test has finished. */
export async function makeFolder(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "mcp-codegen-")));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  return dir;
}
