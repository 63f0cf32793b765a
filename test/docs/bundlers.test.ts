/** docs/generated-code.md shows a bug of esbuild with Zod, and the settings that avoid it. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, type BuildOptions } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { linkPackages, runNode } from "../e2e/user-project.js";
import { readSnippets } from "./read-snippets.js";

const PAGE = "docs/generated-code.md";

/** Bundles the program of the page and runs it. */
async function bundleAndRun(options: BuildOptions) {
  const dir = await mkdtemp(join(tmpdir(), "mcp-codegen-bundle-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await linkPackages(dir);
  const program = readSnippets(PAGE, await readFile(PAGE, "utf8")).find(({ note }) => note === "esbuild");
  for (const [, name = "", text = ""] of (program?.text ?? "").matchAll(/^\/\/ (\S+)\n((?:.+\n)+)/gmu))
    await writeFile(join(dir, name), text);
  await build({
    absWorkingDir: dir,
    entryPoints: ["main.mjs"],
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "error",
    outdir: "out",
    ...options,
  });
  return runNode(dir, ["out/main.js"]);
}

// If this fails after an update, esbuild has fixed the bug: shorten the page.
test("one file fails at start", async () => {
  const { exitCode, stderr } = await bundleAndRun({});
  expect(exitCode).toBe(1);
  expect(stderr).toContain("ZodLazy is not a constructor");
});

test.each<[string, BuildOptions]>([
  ["splitting", { splitting: true }],
  ["ignoreAnnotations", { ignoreAnnotations: true }],
  ["packages", { packages: "external" }],
])("%s avoids it", async (_, options) => {
  expect(await bundleAndRun(options)).toMatchObject({ exitCode: 0, stdout: "x\n" });
});
