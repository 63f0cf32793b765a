/** docs/generated-code.md has the settings that avoid a bug of esbuild with Zod. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, type BuildOptions } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { linkPackages, runNode } from "../e2e/user-project.js";

/** The bug without mcp-codegen. */
const MODULES = {
  "main.mjs": 'import { lazy } from "./lazy.mjs";\nconsole.log(lazy.parse("x"));\n',
  "lazy.mjs": `import * as z from "zod";
export const lazy = z.lazy(() => z.string());
export const load = () => import("./later.mjs");
`,
  "later.mjs": 'import * as z from "zod/v4";\nexport const later = z.string();\n',
};

/** Bundles the modules and runs the result. */
async function bundleAndRun(options: BuildOptions) {
  const dir = await mkdtemp(join(tmpdir(), "mcp-codegen-bundle-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await linkPackages(dir);
  for (const [name, text] of Object.entries(MODULES)) await writeFile(join(dir, name), text);
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
