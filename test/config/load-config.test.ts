import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { readVariables } from "../../src/config/variables.js";
import { makeFolder } from "../temporary-folder.js";

const SHOP = '{ servers: { shop: { url: "https://shop.example/mcp" } } }';
const CONFIG = { output: "generated", servers: { shop: { url: "https://shop.example/mcp" } } };

describe("loadConfig", () => {
  const FILES = [
    ["mcp-codegen.config.ts", `import { defineConfig } from "mcp-codegen";\nexport default defineConfig(${SHOP});`],
    ["mcp-codegen.config.mts", `const config: { servers: object } = ${SHOP};\nexport default config;`],
    ["mcp-codegen.config.js", `export default ${SHOP};`],
    ["mcp-codegen.config.mjs", `export default ${SHOP};`],
    ["mcp-codegen.config.json", '\uFEFF{ "servers": { "shop": { "url": "https://shop.example/mcp" } } }'],
    ["mcp-codegen.config.json", '// The shop.\n{ "servers": { "shop": { "url": "https://shop.example/mcp", /* ours */ }, }, }'],
    ["mcp-codegen.config.jsonc", '// The shop.\n{ "servers": { "shop": { "url": "https://shop.example/mcp" }, }, }'],
    ["package.json", '{ "name": "x", "mcp-codegen": { "servers": { "shop": { "url": "https://shop.example/mcp" } } } }'],
  ] as const; // prettier-ignore

  it.each(FILES)("finds %s from a subfolder, without a local installation", async (name, text) => {
    const type = name.endsWith(".js") && { "package.json": '{ "type": "module" }' };
    const dir = await makeFolder({ ...type, [name]: text, "a/b/x": "" });
    const loaded = { config: CONFIG, path: join(dir, name), dir };
    expect(await loadConfig({ cwd: join(dir, "a/b") })).toEqual(loaded);
  });

  it("returns undefined without a configuration, also with a package.json without the key", async () => {
    expect(await loadConfig({ cwd: await makeFolder({ "package.json": "{}" }) })).toBeUndefined();
  });

  it("reads the named file, with any name", async () => {
    const dir = await makeFolder({ "configs/shop.json": '{ "servers": {} }' });
    const loaded = await loadConfig({ cwd: dir, path: "configs/shop.json" });
    expect(loaded).toMatchObject({ path: join(dir, "configs/shop.json"), dir: join(dir, "configs") });
  });

  const ERRORS = [
    ["mcp-codegen.config.json", '{\n  "servers": {},\n  output: "x" }', '"mcp-codegen.config.json:3:3" is not JSON: expected a key in double quotes.'],
    ["mcp-codegen.config.jsonc", '// Ours.\n{ "servers": { "shop": { "url": "x", } } /* open', 'config.jsonc:2:42" is not JSON: unterminated comment.'],
    ["mcp-codegen.config.json", `{ "servers": ${"[".repeat(200_000)}`, '"mcp-codegen.config.json:1:1013" is not JSON: nested over 1000 levels deep.'],
    ["mcp-codegen.config.jsonc", '// Ours.\n{ "server": {} }', '"mcp-codegen.config.jsonc:2:3": unknown key'],
    ["mcp-codegen.config.ts", "export default process.env.NO.x;", '"mcp-codegen.config.ts:1" cannot be loaded: Cannot read'],
    ["mcp-codegen.config.ts", "export default {\n  servers: {\n};", '"mcp-codegen.config.ts:3" cannot be loaded: Unexpected token'],
    ["mcp-codegen.config.ts", "const x: any = undefined;\nexport default x.servers;", '"mcp-codegen.config.ts:2'],
    ["mcp-codegen.config.mjs", "export const x = 1;", '"mcp-codegen.config.mjs" has no default export.'],
    ["package.json", '{ "mcp-codegen": 1 }', '"package.json:1:3": expected an object'],
  ] as const; // prettier-ignore

  it.each(ERRORS)("reports file and line of an error in %s", async (name, text, message) => {
    const loading = loadConfig({ cwd: await makeFolder({ [name]: text }) });
    const error = { code: "CONFIG_INVALID", message: expect.stringContaining(message) as string };
    await expect(loading).rejects.toMatchObject(error);
  });

  it.each<[string, (path: string, dir: string) => unknown]>([
    ["nothing", () => undefined],
    ["a folder", (path) => mkdir(path)],
    ["a link to nothing", (path, dir) => symlink(join(dir, "gone.json"), path)],
    ["a pipe", (path) => (process.platform === "win32" ? mkdir(path) : execFileSync("mkfifo", [path]))],
  ])("reports %s in place of the configuration", async (_, make) => {
    const [cwd, path] = [await makeFolder(), "mcp-codegen.config.json"];
    await make(join(cwd, path), cwd);
    const error = { code: "CONFIG_NOT_FOUND", message: `The configuration file "${path}" cannot be read.` };
    await expect(loadConfig({ cwd, path })).rejects.toMatchObject(error);
    if (make.length > 0) await expect(loadConfig({ cwd })).rejects.toMatchObject(error);
  });

  it("rejects other kinds of files", async () => {
    await expect(loadConfig({ cwd: await makeFolder(), path: "x.yaml" })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
    });
  });
});

// Vitest replaces import(), so these tests start Node with the built program.
const BUILT = pathToFileURL("dist/index.js").href;

describe.skipIf(!existsSync("dist/index.js"))("loadConfig in plain Node (needs the build)", () => {
  it.each([
    [`import { defineConfig } from "mcp-codegen";\nexport default defineConfig(${SHOP});`, "https://shop.example/mcp"], // prettier-ignore
    ["export default {\n  servers: {\n};", '"mcp-codegen.config.mjs:3" cannot be loaded: Unexpected token'],
    ['import "not-installed";', `"mcp-codegen.config.mjs" cannot be loaded: Cannot find package 'not-installed'`], // prettier-ignore
    ["const a = 1;\nthrow new Error('no');", '"mcp-codegen.config.mjs:2" cannot be loaded: no'],
  ])("reads %j", async (text, expected) => {
    const folder = await makeFolder({ "mcp-codegen.config.mjs": text });
    const script = `import { openProject } from ${JSON.stringify(BUILT)};
      const cwd = ${JSON.stringify(folder)};
      console.log(await openProject({ cwd }).then((loaded) => loaded.config.servers.shop.url, (error) => error.message));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    expect(stdout).toContain(expected);
  });
});

it("reads the environment, then the named file, then .env.local, then .env", async () => {
  const dir = await makeFolder({
    ".env": "A=env\nB=env\nC=env\nD=env\n",
    ".env.local": "A=local\nB=local\nC=local\n",
    "my.env": "A=named\nB='named'\n",
  });
  const lookup = await readVariables({ dir, environment: { A: "", Z: undefined }, envFile: "my.env" });
  const names = ["A", "B", "C", "D", "E", "Z", "constructor"];
  expect(names.map((name) => lookup(name) ?? "none")).toEqual([
    "",
    "named",
    "local",
    "env",
    "none",
    "none",
    "none",
  ]);
});

it("requires no file except the named one", async () => {
  const dir = await makeFolder();
  expect((await readVariables({ dir, environment: {} }))("A")).toBeUndefined();
  await expect(readVariables({ dir, environment: {}, envFile: "my.env" })).rejects.toMatchObject({
    code: "CONFIG_NOT_FOUND",
    message: 'The environment file "my.env" cannot be read.',
  });
});
