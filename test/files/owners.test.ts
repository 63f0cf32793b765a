import { chmodSync, chownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { hasPackage } from "../../src/cli/packages.js";
import { loadConfig } from "../../src/config/load-config.js";
import { findCacheFolder } from "../../src/files/owners.js";
import { findPrettierConfig, findProjectFormat } from "../../src/files/project-settings.js";
import { makeFolder } from "./folder.js";

const OTHER = 65_534;
/** Only root can give files to another user. */
const withOthers = it.skipIf(process.getuid?.() !== 0);

function write(path: string, text: string, owner?: number): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  if (owner !== undefined) chownSync(path, owner, owner);
  return path;
}

const CONFIG = { servers: { a: { file: "a.json" } } };
const CODE = `globalThis.PWNED = true; export default ${JSON.stringify(CONFIG)};`;

describe("a configuration above the working folder", () => {
  const CONFIGS: readonly (readonly [name: string, text: string])[] = [
    ["mcp-codegen.config.ts", CODE],
    ["mcp-codegen.config.mts", CODE],
    ["mcp-codegen.config.js", CODE],
    ["mcp-codegen.config.mjs", CODE],
    ["mcp-codegen.config.json", JSON.stringify(CONFIG)],
    ["mcp-codegen.config.jsonc", JSON.stringify(CONFIG)],
    ["package.json", JSON.stringify({ "mcp-codegen": CONFIG })],
  ];

  withOthers.each(CONFIGS)("is not run if another user owns it or its folder: %s", async (name, text) => {
    for (const owned of [name, "."]) {
      const dir = makeFolder();
      const path = write(join(dir, name), text);
      mkdirSync(join(dir, "own/deep"), { recursive: true });
      chownSync(join(dir, owned), OTHER, OTHER);
      await expect(loadConfig({ cwd: join(dir, "own/deep") })).rejects.toMatchObject({
        code: "CONFIG_INVALID",
        message: `"${path}" belongs to another user (ID ${OTHER}), so it is not run.`,
        hint: `If you trust that user, pass --config ${path}.`,
      });
    }
    expect(globalThis).not.toHaveProperty("PWNED");
  });

  withOthers("is not run if another user owns the link to it, or its target", async () => {
    const dir = makeFolder();
    mkdirSync(join(dir, "own"));
    symlinkSync(write(join(dir, "elsewhere/a.ts"), CODE, OTHER), join(dir, "mcp-codegen.config.ts"));
    await expect(loadConfig({ cwd: join(dir, "own") })).rejects.toThrow("belongs to another user");
  });

  withOthers("is loaded when it is named, or in the working folder", async () => {
    const dir = makeFolder();
    write(join(dir, "mcp-codegen.config.json"), JSON.stringify(CONFIG), OTHER);
    mkdirSync(join(dir, "own"));
    const path = "../mcp-codegen.config.json";
    expect((await loadConfig({ cwd: join(dir, "own"), path }))?.config.servers).toEqual(CONFIG.servers);
    expect((await loadConfig({ cwd: dir }))?.config.servers).toEqual(CONFIG.servers);
  });

  withOthers("is passed over if it is a package.json without a configuration", async () => {
    const dir = makeFolder();
    write(join(dir, "mcp-codegen.config.json"), JSON.stringify(CONFIG));
    write(join(dir, "app/package.json"), "{}", OTHER);
    mkdirSync(join(dir, "app/own"));
    expect((await loadConfig({ cwd: join(dir, "app/own") }))?.dir).toBe(dir);
  });

  it("is loaded if the user owns it", async () => {
    const dir = makeFolder();
    write(join(dir, "mcp-codegen.config.json"), JSON.stringify(CONFIG));
    mkdirSync(join(dir, "own"));
    expect((await loadConfig({ cwd: join(dir, "own") }))?.dir).toBe(dir);
  });
});

async function findFormatIn(dir: string): Promise<unknown> {
  const own = join(dir, "own");
  mkdirSync(own, { recursive: true });
  return findProjectFormat(own, await findPrettierConfig(own));
}

describe("code that a project takes from above it", () => {
  withOthers("is not run if another user owns it: the formatter", async () => {
    const dir = makeFolder();
    write(join(dir, "package.json"), '{ "devDependencies": { "prettier": "3" } }');
    const module = write(join(dir, "node_modules/prettier/index.js"), "", OTHER);
    await expect(findFormatIn(dir)).rejects.toThrow(`"${module}" belongs to another user`);
  });

  withOthers("is not run if another user owns it: the configuration of the formatter", async () => {
    const dir = makeFolder();
    const config = write(join(dir, ".prettierrc.mjs"), "", OTHER);
    await expect(findFormatIn(dir)).rejects.toThrow(`"${config}" belongs to another user`);
    // The owner of the project itself is trusted: a container may run as root.
    chownSync(join(dir, "own"), OTHER, OTHER);
    expect(await findFormatIn(dir)).toMatchObject({ usesPrettier: true });
  });

  withOthers("is not run if another user owns it: a package", () => {
    const dir = makeFolder();
    const module = write(join(dir, "node_modules/ts-morph/index.js"), "", OTHER);
    mkdirSync(join(dir, "own"));
    expect(() => hasPackage("ts-morph", join(dir, "own"))).toThrow(`"${module}" belongs to another user`);
  });
});

describe("a cache", () => {
  it("is in the nearest node_modules of the user", () => {
    const dir = makeFolder();
    mkdirSync(join(dir, "node_modules"));
    expect(findCacheFolder(join(dir, "a/b"), "c")).toBe(join(dir, "node_modules/.cache/mcp-codegen/c"));
  });

  it.skipIf(process.platform === "win32")("is not in a folder that all users may write to", () => {
    const dir = makeFolder();
    mkdirSync(join(dir, "node_modules"));
    chmodSync(join(dir, "node_modules"), 0o777);
    expect(findCacheFolder(dir, "c")).toBeUndefined();
  });

  withOthers("is not in a folder of another user", () => {
    const dir = makeFolder();
    mkdirSync(join(dir, "node_modules"));
    chownSync(join(dir, "node_modules"), OTHER, OTHER);
    expect(findCacheFolder(dir, "c")).toBeUndefined();
  });

  it("of a compiled configuration is never in the temporary folder, which users share", async () => {
    const [dir, shared] = [makeFolder(), makeFolder()];
    vi.stubEnv("TMPDIR", shared);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    mkdirSync(join(shared, "jiti"));
    write(join(dir, "mcp-codegen.config.ts"), `export default ${JSON.stringify(CONFIG)} as object;`);
    mkdirSync(join(dir, "app"));
    for (const cwd of [dir, join(dir, "app")]) {
      expect((await loadConfig({ cwd }))?.config.servers).toEqual(CONFIG.servers);
      expect(readdirSync(join(shared, "jiti"))).toEqual([]);
    }
  });
});
