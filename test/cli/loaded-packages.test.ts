import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeProject, makePulled } from "../e2e/make-project.js";

const bin = fileURLToPath(new URL("../../bin/mcp-codegen.js", import.meta.url));

/** Run by `--import`: writes the URL of every loaded module to the file in `LOADED`. */
const RECORD = `
import { register } from "node:module";
const hooks = \`
  import { appendFileSync } from "node:fs";
  export async function load(url, context, next) {
    appendFileSync(process.env.LOADED, url + "\\\\n");
    return next(url, context);
  }\`;
register("data:text/javascript," + encodeURIComponent(hooks));
`;

/** Returns the URLs of all modules that a command of the real program loads. */
async function modulesLoadedBy(argv: readonly string[], cwd: string): Promise<readonly string[]> {
  const list = join(cwd, "loaded.txt");
  await rm(list, { force: true });
  const preload = `data:text/javascript,${encodeURIComponent(RECORD)}`;
  const env = { ...process.env, CI: "", LOADED: list };
  await promisify(execFile)(process.execPath, ["--import", preload, bin, ...argv], { cwd, env });
  return (await readFile(list, "utf8")).split("\n").filter((url) => url !== "");
}

/** Returns the names of the packages among them. */
async function packagesLoadedBy(argv: readonly string[], cwd: string): Promise<readonly string[]> {
  const urls = await modulesLoadedBy(argv, cwd);
  const names = urls.flatMap((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []);
  return [...new Set(names)].sort();
}

const isOurs = (url: string): boolean => url.includes("/dist/") && !url.includes("/node_modules/");

describe("a command with nothing to do", () => {
  it("loads no package", async () => {
    const project = await makeProject({ servers: { shop: fixtureCommand("drifted") } });
    const pulled = await packagesLoadedBy(["pull"], project.dir);
    expect(pulled).toContain("oxfmt");
    const light = ["check --offline", "check --offline --json", "generate", "list", "list --fidelity"];
    for (const line of light) expect(await packagesLoadedBy(line.split(" "), project.dir)).toEqual([]);
  });

  it("loads few files of ours", async () => {
    const { dir, writeJson } = await makePulled({ servers: { shop: fixtureCommand("paged") } });
    await writeJson("a.json", { tools: [{ name: "a", inputSchema: { type: "object" } }] });
    await writeJson("b.json", { tools: [{ name: "a", inputSchema: { type: "array" } }] });
    const most = { "check --offline": 16, generate: 16, "diff a.json b.json --fail-on never": 70 };
    for (const [line, count] of Object.entries(most)) {
      const own = (await modulesLoadedBy(line.split(" "), dir)).filter(isOurs).map((url) => basename(url));
      expect(own.length, own.join(" ")).toBeLessThan(count);
      expect(own).toContain("start.js");
      if (count < 70) expect(own).not.toContain("drift.js");
    }
  });

  it("loads no package for a completion or --version, and five files of ours at most", async () => {
    const { dir } = await makePulled({ servers: { shop: fixtureCommand("drifted") } });
    const complete = ["__complete", "fish"];
    for (const words of [
      [...complete, "check", "--"],
      [...complete, "call", ""],
      [...complete, "call", "cancel-order", "--"],
      ["--version"],
    ]) {
      const modules = await modulesLoadedBy(words, dir);
      expect(modules.filter((url) => url.includes("/node_modules/"))).toEqual([]);
      expect(modules.filter(isOurs).length).toBeLessThan(6);
    }
  });
});
