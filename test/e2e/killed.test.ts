import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { parseHeader } from "../../src/core/generated-file.js";
import { parseLockfile } from "../../src/core/lockfile-text.js";
import { isSample } from "../sample.js";
import { BIN } from "../serve/start-serve.js";
import { LOCKFILE_NAME, makePulled, type Project } from "./make-project.js";

const TOOLS = 60;
const MARKER = "generated/.unfinished.mcp-codegen-tmp";
const LEFTOVER = /\.\d+-\d+-\d+\.mcp-codegen-tmp$/;

/** The numbers of new modules at which the process is killed. */
function* moments(): Generator<readonly ["pull" | "generate", number]> {
  let state = 41;
  for (let index = 0; index < 6; index += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    // The first of each command follows the marker immediately.
    yield [index % 2 === 0 ? "pull" : "generate", index < 2 ? 0 : state % (TOOLS - 10)];
  }
}

/** Returns a list whose tools are named after a word. */
function listOf(word: string): string {
  const tools = Array.from({ length: TOOLS }, (_, index) => ({
    name: `${word}-${index}`,
    description: `Reads record ${index}.`,
    inputSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
  }));
  return JSON.stringify({ tools });
}

const servers = { big: { file: "list.json" } };

/** A project that was pulled from a list of new or old tools, and lists the new ones. */
async function makePulledFrom(word: "old" | "new"): Promise<Project> {
  const project = await makePulled({ servers }, [], {
    // Projects are told apart by the text of this function.
    addFiles:
      word === "old"
        ? (made) => made.write("list.json", listOf("old"))
        : (made) => made.write("list.json", listOf("new")),
  });
  await project.write("list.json", listOf("new"));
  return project;
}

/** Kills the real program as soon as `count` new modules exist. Returns whether it was still running. */
async function kill(project: Project, command: string, modules: number): Promise<boolean> {
  // In CI a pull is frozen.
  const env = { ...process.env, CI: "" };
  const child = spawn(process.execPath, [BIN, command], { cwd: project.dir, env, stdio: "ignore" });
  const ended = once(child, "exit");
  const folder = join(project.dir, "generated/big");
  const isDue = (): boolean =>
    modules === 0
      ? existsSync(join(project.dir, MARKER))
      : readdirSync(folder).filter((name) => name.startsWith("new")).length >= modules;
  // Asking without a pause would take most of the processor from the child.
  while (child.exitCode === null && !isDue()) await setTimeout(1);
  child.kill("SIGKILL");
  return (await ended)[1] === "SIGKILL";
}

/** Kills the command in new projects until it is killed before it ends: on a busy machine it may end first. */
async function killInTime(command: "pull" | "generate", modules: number): Promise<Project> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    // For generate, the lock has the new tools already.
    const project = await makePulledFrom(command === "generate" ? "new" : "old");
    if (command === "generate") {
      await rm(join(project.dir, "generated"), { recursive: true });
      await mkdir(join(project.dir, "generated/big"), { recursive: true });
    }
    if (!(await kill(project, command, modules))) continue;
    if (existsSync(join(project.dir, MARKER))) return project;
    // It was killed after its last write.
    await project.prints("check --offline", 0);
  }
  throw new Error(`${command} ended ten times before it could be killed.`);
}

describe("a process that is killed while it writes", () => {
  it.each([...moments()].filter((_, at) => !isSample || at % 3 < 2))(
    "%s, with %i new modules: check reports the cut-off write, the next run removes leftovers and finishes",
    async (command, modules) => {
      const project = await killInTime(command, modules);
      const lock = await project.read(LOCKFILE_NAME);
      expect(() => parseLockfile(lock)).not.toThrow();
      for (const [path, text] of Object.entries(await project.files()))
        if (path.endsWith(".ts"))
          expect(parseHeader(Buffer.from(text)), path).toMatchObject({ isEdited: false });

      const { document, exitCode, stderr } = await project.runJson("check --offline");
      expect(exitCode).toBe(1);
      expect(document["files"]).toMatchObject([{ facts: { state: "cut-off" } }]);
      expect(stderr).toMatch(/^A write was cut off; run "npx mcp-codegen generate"\.$/m);

      // Eight files are written in parallel, so wait for one more.
      await project.write("generated/big/.a.ts.999999999-0-1.mcp-codegen-tmp", "half");
      await project.prints([modules % 2 === 0 ? "generate" : "pull"], 0);
      const paths = await project.paths();
      expect(paths.filter((path) => LEFTOVER.test(path) || path === MARKER)).toEqual([]);
      await project.prints("check --offline", 0);
    },
  );

  it("is reported in one line next to files that are in the way", async () => {
    const project = await makePulledFrom("old");
    await project.write(MARKER, "");
    await project.write("generated/big/index.ts", "export const mine = true;\n");
    const message = 'A write was cut off; run "npx mcp-codegen generate".';
    const files = [
      { file: ".unfinished.mcp-codegen-tmp", facts: { state: "cut-off" }, message },
      { file: "big/index.ts", facts: { state: "in-the-way" } },
    ];
    const { stderr } = await project.reports("check --offline", { files });
    expect(stderr).toContain(": a write was cut off, 1 file in the way.");
  });

  it("is cleaned up by a pull without changes, and its marker by a generate, but not in a dry run", async () => {
    const project = await makePulledFrom("new");
    await project.write("generated/big/.a.ts.999999999-0-1.mcp-codegen-tmp", "half");
    await project.write(".mcp-codegen.lock.json.999999999-0-2.mcp-codegen-tmp", "half");
    await project.prints("pull", 0);
    expect((await project.paths()).filter((path) => LEFTOVER.test(path))).toEqual([]);
    await project.write(MARKER, "");
    await project.write("list.json", listOf("old"));
    await project.run("pull --dry-run");
    expect(await project.paths()).toContain(MARKER);
    await project.prints("generate", 0);
    expect(await project.paths()).not.toContain(MARKER);
  });
});
