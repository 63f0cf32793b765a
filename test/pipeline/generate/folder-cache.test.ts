/** The cache of compared files changes no report: it is read only if every file is as it was when it was written. */
import type * as fsModule from "node:fs";
import { chmod, mkdir, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises"; // prettier-ignore
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, describe, expect, it, vi } from "vitest";
import type * as renderFilesModule from "../../../src/emit/render-files.js";
import { LOCKFILE_NAME, makeProject, type Project } from "../../e2e/make-project.js";

const FILE = "generated/shop/list-items.ts";
const clock = vi.hoisted(() => {
  // Test files share modules: those that an earlier one loaded have the real functions.
  vi.resetModules();
  return { offset: 0n };
});
afterAll(() => {
  vi.resetModules();
});

/** The files that were rendered. */
const rendered = vi.hoisted(() => ({ paths: [] as string[] }));
vi.mock("../../../src/emit/render-files.js", async (importOriginal) => {
  const original = await importOriginal<typeof renderFilesModule>();
  return {
    ...original,
    renderFiles: (...args: Parameters<typeof original.renderFiles>) => {
      rendered.paths.push(...args[0].map(({ path }) => path));
      return original.renderFiles(...args);
    },
  };
});

/** Shifts the time at which the cache was written. */
vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof fsModule>();
  const statSync = (...args: Parameters<typeof fs.statSync>): unknown => {
    const found = fs.statSync(...args);
    return found !== undefined && typeof found.size === "bigint" && clock.offset !== 0n
      ? Object.assign(found, { ctimeNs: (found as { readonly ctimeNs: bigint }).ctimeNs + clock.offset })
      : found;
  };
  return { ...fs, statSync, default: { ...fs, statSync } };
});

const tools = (description: string): string =>
  JSON.stringify({ tools: [{ name: "list-items", description, inputSchema: { type: "object" } }] });

/** The environment of a developer: the cache is in `node_modules`. */
const DEVELOPER = { MCP_CODEGEN_CACHE: "" };

/** A project whose cache has been written, and is old enough to be read. */
async function cachedProject(): Promise<Project & { readonly cache: string }> {
  const project = await makeProject({ servers: { shop: { file: "shop.json" } } });
  await project.write("shop.json", tools("Lists items."));
  await mkdir(join(project.dir, "node_modules"));
  await project.prints(["pull"], 0);
  await setTimeout(100);
  await project.withEnv(DEVELOPER).prints(["check", "--offline"], 0);
  const folder = join(project.dir, "node_modules/.cache/mcp-codegen/folders");
  const name = (await readdir(folder)).find((each) => each.endsWith("-folder.json")) ?? "";
  return { ...project, cache: join(folder, name) };
}

/** Replaces the list of up to date files, and returns how many files a check of the cache reports. */
async function forge({ cache }: { readonly cache: string }, facts: object = {}): Promise<string> {
  const [, text = ""] = (await readFile(cache, "utf8")).split("\n");
  const cached = JSON.parse(text) as { facts: { comparison: { current: string[]; judged: number } } };
  const current = Array.from({ length: 77 }, (_, index) => `${index}.ts`);
  Object.assign(cached.facts.comparison, { current, judged: 77 });
  Object.assign(cached.facts, facts);
  const forged = JSON.stringify(cached);
  const { sha256 } = await import("../../../src/core/digest.js");
  await writeFile(cache, `${sha256(forged)}\n${forged}`);
  return "checked 77 files";
}

describe("the cache of compared files", () => {
  it("is read by check and generate, but neither in CI, nor with --full, nor if it is off", async () => {
    const project = await cachedProject();
    const forged = await forge(project);
    expect((await project.run(["check", "--offline"], DEVELOPER)).stdout).toContain(forged);
    expect((await project.run(["check"], DEVELOPER)).stdout).toContain("77 files");
    expect((await project.run(["generate"], DEVELOPER)).stdout).toContain("77 unchanged");
    for (const [line, env] of [
      ["check --offline", { ...DEVELOPER, CI: "1" }],
      ["check --offline --full", DEVELOPER],
      ["check --offline --json", DEVELOPER],
      ["check --offline", { MCP_CODEGEN_CACHE: "0" }],
    ] as const)
      expect((await project.run(line, env)).stdout).not.toContain("77");
  });

  it("is read although a file was written again, and reports one that was edited", async () => {
    const project = await cachedProject();
    const forged = await forge(project);
    const text = await project.read(FILE);
    await project.write(FILE, text);
    const check = async (): Promise<string> => (await project.run(["check", "--offline"], DEVELOPER)).stdout;
    expect(await check()).toContain(forged);
    await project.write(FILE, text.replace("Lists items.", "Lists_items."));
    expect(await check()).toContain("Checked 77 files against the lock: 1 file edited by hand.");
    expect((await project.run(["generate"], DEVELOPER)).stderr).toContain("shop/list-items.ts");
    await project.withEnv(DEVELOPER).prints(["generate", "--force"], 0);
    expect(await project.read(FILE)).toBe(text);
  });

  type Cached = Awaited<ReturnType<typeof cachedProject>>;
  const damage = (text: string) => (project: Cached) => writeFile(project.cache, text);
  const replaceIn = async (file: string, from: string, to: string): Promise<void> =>
    writeFile(file, (await readFile(file, "utf8")).replace(from, to));
  const editInPlace = async (_: Cached, file: string): Promise<void> => {
    const { atime, mtime, size } = await stat(file);
    await replaceIn(file, "Lists items.", "Lists_items.");
    await utimes(file, atime, mtime);
    expect(await stat(file)).toMatchObject({ size, mtime });
  };

  it.each<[what: string, exitCode: number, change: (project: Cached, file: string) => Promise<void>]>([
    ["an edit keeps size and time", 1, editInPlace],
    ["the folder has another file", 0, (project) => project.write("generated/added.ts", "export {};")],
    ["a file is gone", 1, (_, file) => rm(file)],
    ["a folder is in the place of a file", 1, (_, file) => rm(file).then(() => mkdir(file))],
    [
      "a link to the same text is in the place of a file",
      1,
      ({ dir }, file) => rename(file, join(dir, "moved.ts")).then(() => symlink(join(dir, "moved.ts"), file)),
    ],
    ["the lock is another", 2, (project) => replaceIn(join(project.dir, LOCKFILE_NAME), "Lists items.", "Lists_items.")], // prettier-ignore
    ["the configuration is another", 1, (project) => project.configure({ servers: { shop: { file: "shop.json" } }, schemas: "open" })], // prettier-ignore
    ["it is empty", 0, damage("")],
    ["it has no digest", 0, damage("{}")],
    ["it has no text", 0, damage("\n")],
    ["its digest is wrong", 0, damage("abc\n{}")],
    ["one byte differs", 0, ({ cache }) => replaceIn(cache, "index.ts", "indey.ts")],
  ])("is not read if %s", async (_, exitCode, change) => {
    const project = await cachedProject();
    const forged = await forge(project);
    await change(project, join(project.dir, FILE));
    const { stdout } = await project.withEnv(DEVELOPER).prints(["check", "--offline"], exitCode);
    expect(stdout).not.toContain(forged);
  });

  it("spares no file if the clock was set back, or the file changed in the same step of the clock", async () => {
    const project = await cachedProject();
    // Every file that is read differs from this.
    const forged = await forge(project, { inputs: {} });
    const run = async (offset: bigint): Promise<string> => {
      clock.offset = offset;
      const { stdout } = await project.run(["check", "--offline"], DEVELOPER);
      clock.offset = 0n;
      return stdout;
    };
    expect(await run(3_600_000_000_000n)).toContain(forged);
    expect(await run(-3_600_000_000_000n)).not.toContain(forged);
  });

  it("is left out if node_modules cannot be written, or is missing", async () => {
    const project = await cachedProject();
    const modules = join(project.dir, "node_modules");
    await rm(modules, { recursive: true });
    await project.withEnv(DEVELOPER).prints(["check", "--offline"], 0);
    await mkdir(modules);
    await writeFile(join(modules, ".cache"), "A file is in the way, also for an administrator.");
    await chmod(modules, 0o555);
    for (const argv of [["check", "--offline"], ["generate"]])
      expect(await project.run(argv, DEVELOPER)).toMatchObject({ exitCode: 0, stderr: "" });
    await chmod(modules, 0o755);
  });
});

describe("the cache of rendered files, in CI", () => {
  const CI = { ...DEVELOPER, CI: "1" };
  const check = async (project: Project, ...options: readonly string[]): Promise<unknown> => {
    rendered.paths = [];
    const { exitCode, stdout } = await project.run(["check", "--offline", ...options], CI);
    return [exitCode, rendered.paths.sort(), stdout.includes("KEYWORD_LOOSENED")];
  };
  const ALL = ["index.ts", ...["index", "list-items", "schemas", "server"].map((name) => `shop/${name}.ts`)];

  it("spares files whose inputs and bytes have not changed, and no other", async () => {
    const project = await makeProject({ servers: { shop: { file: "shop.json" } } });
    await project.write("shop.json", tools("Lists items."));
    await mkdir(join(project.dir, "node_modules"));
    await project.run(["pull"]);
    expect(await check(project)).toEqual([0, ALL, false]);
    expect(await check(project)).toEqual([0, [], false]);
    expect(await check(project, "--full")).toEqual([0, ALL, false]);

    // A forged header has the digest of an edited body.
    const text = await project.read(FILE);
    const { formatHeader } = await import("../../../src/core/generated-file.js");
    const [, input = ""] = /\/\/ in:(\S+)/.exec(text) ?? [];
    const body = text.slice(text.indexOf("\n", text.indexOf("// in:")) + 1);
    await project.write(FILE, formatHeader(body.replace("Lists items.", "Lists_items."), input));
    expect(await check(project)).toEqual([1, ["shop/list-items.ts"], false]);
    await project.withEnv(DEVELOPER).prints(["check", "--offline"], 0);
    await project.write(FILE, text);
    expect(await check(project)).toEqual([0, [], false]);

    await project.write("shop.json", tools("Lists all."));
    await project.run(["pull", "--no-frozen"]);
    expect(await check(project)).toEqual([
      0,
      ["list-items", "schemas", "server"].map((name) => `shop/${name}.ts`),
      false,
    ]);
    expect(await check(project)).toEqual([0, [], false]);
  });

  it("keeps what rendering diagnosed", async () => {
    const project = await makeProject({ servers: { shop: { file: "shop.json" } } });
    const inputSchema = { type: "object", properties: { a: { type: "string", pattern: "(?<" } } };
    await project.writeJson("shop.json", { tools: [{ name: "list-items", inputSchema }] });
    await mkdir(join(project.dir, "node_modules"));
    await project.run(["pull"]);
    expect([await check(project), await check(project)]).toEqual([
      [0, ALL, true],
      [0, [], true],
    ]);
  });
});

describe("the index of a search", () => {
  it("is of the lock and the configuration as they are now", async () => {
    const servers = { shop: { file: "shop.json" } };
    const project = await makeProject({ servers });
    await mkdir(join(project.dir, "node_modules"));
    const pull = async (names: readonly string[]): Promise<void> => {
      const list = names.map((name) => ({ name, description: "Orders.", inputSchema: { type: "object" } }));
      await project.writeJson("shop.json", { tools: list });
      await project.prints(["pull"], 0);
    };
    const search = async (): Promise<unknown> => {
      const answers = [];
      // The second answer comes from the cache.
      for (let run = 0; run < 2; run += 1)
        answers.push((await project.runJson(["search", "orders"], DEVELOPER)).document["tools"]);
      expect(answers[1]).toEqual(answers[0]);
      return (answers[1] as readonly { readonly name: string }[]).map(({ name }) => name);
    };
    await pull(["get_order", "delete_order"]);
    expect(await search()).toEqual(["get_order", "delete_order"]);
    await pull(["get_order", "list_orders"]);
    expect(await search()).toEqual(["list_orders", "get_order"]);
    const policy = { focusModes: { own: { deny: [{ names: ["list_*"] }] } }, focusMode: "own" };
    await project.configure({ servers, policy });
    expect(await search()).toEqual(["get_order"]);
  });
});
