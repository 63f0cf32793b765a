import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ensureLine } from "../../src/files/write-atomic.js";

it.each([
  ["", ".env.local\n"],
  ["dist", "dist\n.env.local\n"],
  ["dist\n", "dist\n.env.local\n"],
  ["dist\r\n .env.local \r\n", undefined],
  [".env.local.old\n", ".env.local.old\n.env.local\n"],
])("adds a line to %j", async (before, after) => {
  const dir = await mkdtemp(join(tmpdir(), "mcp-codegen-line-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const path = join(dir, ".gitignore");
  if (before !== "") await writeFile(path, before);
  expect(await ensureLine(path, ".env.local")).toBe(after !== undefined);
  expect(await readFile(path, "utf8")).toBe(after ?? before);
});

it.each([
  ["another file", "other"],
  ["no file", "gone"],
])("does not add a line through a symbolic link to %s", async (_, target) => {
  const dir = await mkdtemp(join(tmpdir(), "mcp-codegen-line-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, "other"), "kept\n");
  await symlink(target, join(dir, ".gitignore"));
  await expect(ensureLine(join(dir, ".gitignore"), ".env.local")).rejects.toMatchObject({
    code: "FILE_FAILED",
    message: '".gitignore" is a symbolic link, which git does not follow.',
    hint: "Replace it with a file that has the line .env.local",
  });
  expect(await readFile(join(dir, "other"), "utf8")).toBe("kept\n");
});
