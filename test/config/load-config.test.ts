import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { readVariables } from "../../src/config/variables.js";

let dir: string;

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "mcp-codegen-")));
});

afterEach(async () => {
  await rm(dir, { recursive: true });
});

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), text);
}

const SHOP = '{ servers: { shop: { url: "https://shop.example/mcp" } } }';
const CONFIG = { output: "generated", servers: { shop: { url: "https://shop.example/mcp" } } };

describe("loadConfig", () => {
  it.each([
    ["mcp-codegen.config.ts", `import { defineConfig } from "mcp-codegen";\nexport default defineConfig(${SHOP});`], // prettier-ignore
    ["mcp-codegen.config.mts", `const config: { servers: object } = ${SHOP};\nexport default config;`],
    ["mcp-codegen.config.js", `export default ${SHOP};`],
    ["mcp-codegen.config.mjs", `export default ${SHOP};`],
    ["mcp-codegen.config.json", '\uFEFF{ "servers": { "shop": { "url": "https://shop.example/mcp" } } }'],
    [
      "mcp-codegen.config.json",
      '// The shop.\n{ "servers": { "shop": { "url": "https://shop.example/mcp", /* ours */ }, }, }',
    ],
    [
      "mcp-codegen.config.jsonc",
      '// The shop.\n{ "servers": { "shop": { "url": "https://shop.example/mcp" }, }, }',
    ],
    ["package.json", '{ "name": "x", "mcp-codegen": { "servers": { "shop": { "url": "https://shop.example/mcp" } } } }'], // prettier-ignore
  ])("finds %s from a subfolder, without a local installation", async (name, text) => {
    if (name.endsWith(".js")) await write("package.json", '{ "type": "module" }');
    await write(name, text);
    await mkdir(join(dir, "a/b"), { recursive: true });
    expect(await loadConfig({ cwd: join(dir, "a/b") })).toEqual({
      config: CONFIG,
      path: join(dir, name),
      dir,
    });
  });

  it("returns undefined without a configuration, also with a package.json without the key", async () => {
    await write("package.json", "{}");
    expect(await loadConfig({ cwd: dir })).toBeUndefined();
  });

  it("reads the named file, with any name", async () => {
    await write("configs/shop.json", '{ "servers": {} }');
    const loaded = await loadConfig({ cwd: dir, path: "configs/shop.json" });
    expect(loaded).toMatchObject({ path: join(dir, "configs/shop.json"), dir: join(dir, "configs") });
  });

  it("reports a missing named file", async () => {
    await expect(loadConfig({ cwd: dir, path: "nope.json" })).rejects.toMatchObject({
      code: "CONFIG_NOT_FOUND",
      message: 'The configuration file "nope.json" cannot be read.',
    });
  });

  it.each([
    [
      "mcp-codegen.config.json",
      '{\n  "servers": {},\n  output: "x" }',
      '"mcp-codegen.config.json:3:3" is not JSON: expected a key in double quotes.',
    ],
    [
      "mcp-codegen.config.jsonc",
      '// Ours.\n{ "servers": { "shop": { "url": "x", } } /* open',
      '"mcp-codegen.config.jsonc:2:42" is not JSON: unterminated comment.',
    ],
    [
      "mcp-codegen.config.json",
      `{ "servers": ${"[".repeat(200_000)}`,
      '"mcp-codegen.config.json:1:1013" is not JSON: nested over 1000 levels deep.',
    ],
    ["mcp-codegen.config.jsonc", '// Ours.\n{ "server": {} }', '"mcp-codegen.config.jsonc:2:3": unknown key'],
    ["mcp-codegen.config.ts", "export default {\n  servers: {\n};", '"mcp-codegen.config.ts:3:1" cannot be loaded: Unexpected token'], // prettier-ignore
    ["mcp-codegen.config.ts", "const x: any = undefined;\nexport default x.servers;", '"mcp-codegen.config.ts:2'], // prettier-ignore
    ["mcp-codegen.config.mjs", "export const x = 1;", '"mcp-codegen.config.mjs" has no default export.'],
    ["package.json", '{ "mcp-codegen": 1 }', '"package.json:1:3": expected an object'],
  ])("reports file and line of an error in %s", async (name, text, message) => {
    await write(name, text);
    const error: unknown = await loadConfig({ cwd: dir }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(message) as string,
    });
  });

  it.each<[string, (path: string) => unknown]>([
    ["a folder", (path) => mkdir(path)],
    ["a link to nothing", (path) => symlink(join(dir, "gone.json"), path)],
    ["a pipe", (path) => (process.platform === "win32" ? mkdir(path) : execFileSync("mkfifo", [path]))],
  ])("reports %s in place of the configuration", async (_, make) => {
    const path = join(dir, "mcp-codegen.config.json");
    await make(path);
    await expect(loadConfig({ cwd: dir })).rejects.toMatchObject({
      code: "CONFIG_NOT_FOUND",
      message: 'The configuration file "mcp-codegen.config.json" cannot be read.',
    });
  });

  it("rejects other kinds of files", async () => {
    await expect(loadConfig({ cwd: dir, path: "x.yaml" })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });
});

// Vitest replaces import(), so these tests start Node with the built program.
const BUILT = pathToFileURL("dist/index.js").href;

describe.skipIf(!existsSync("dist/index.js"))("loadConfig in plain Node (needs the build)", () => {
  it.each([
    [`import { defineConfig } from "mcp-codegen";\nexport default defineConfig(${SHOP});`, "https://shop.example/mcp"], // prettier-ignore
    ["export default {\n  servers: {\n};", '"mcp-codegen.config.mjs:3:1" cannot be loaded: Unexpected token'],
    ['import "not-installed";', `"mcp-codegen.config.mjs" cannot be loaded: Cannot find package 'not-installed'`], // prettier-ignore
    ["const a = 1;\nthrow new Error('no');", '"mcp-codegen.config.mjs:2:7" cannot be loaded: no'],
  ])("reads %j", async (text, expected) => {
    await write("mcp-codegen.config.mjs", text);
    const script = `import { openProject } from ${JSON.stringify(BUILT)};
      const cwd = ${JSON.stringify(dir)};
      console.log(await openProject({ cwd }).then((loaded) => loaded.config.servers.shop.url, (error) => error.message));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    expect(stdout).toContain(expected);
  });
});

async function folderWith(files: { readonly [name: string]: string }): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "mcp-codegen-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(dir, name), text)));
  return dir;
}

it("reads the environment, then the named file, then .env.local, then .env", async () => {
  const dir = await folderWith({
    ".env": "A=env\nB=env\nC=env\nD=env\n",
    ".env.local": "A=local\nB=local\nC=local\n",
    "my.env": "A=named\nB='named'\n",
  });
  const lookup = await readVariables({ dir, environment: { A: "", Z: undefined }, envFile: "my.env" });
  expect(["A", "B", "C", "D", "E", "Z", "constructor"].map(lookup)).toEqual([
    "",
    "named",
    "local",
    "env",
    undefined,
    undefined,
    undefined,
  ]);
});

it("requires no file except the named one", async () => {
  const dir = await folderWith({});
  expect((await readVariables({ dir, environment: {} }))("A")).toBeUndefined();
  await expect(readVariables({ dir, environment: {}, envFile: "my.env" })).rejects.toMatchObject({
    code: "CONFIG_NOT_FOUND",
    message: 'The environment file "my.env" cannot be read.',
  });
});
