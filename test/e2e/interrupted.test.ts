/**
 * SIGINT and SIGTERM end every command: the real program while it compares hostile schemas, which takes many seconds without a
 * pause, while it writes, and while it closes a server that ignores signals, and others while they wait for a client, a browser
 * or a server. Files stay as they were, and servers end.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, readFile, rm } from "node:fs/promises";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { run as runSource } from "../../src/cli/run.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { UNFINISHED_MARKER } from "../../src/files/output-folder.js";
import { LOCKFILE_NAME, makeProject, makePulled, type Project } from "./make-project.js";
import { startCommand } from "./watch/start-watch.js";

const SOURCE = new URL("../../src/cli/run.js", import.meta.url).href;
const BUILT = new URL("../../dist/cli/run.js", import.meta.url).href;
const bin = fileURLToPath(new URL("../../bin/mcp-codegen.js", import.meta.url));
/** Seconds of processor time after which the program surely compares: it starts in less than half of one. */
const BUSY = 1;
const COUNT = 30;

/** A tool with conditions on each of its properties, which takes ten seconds to compare with itself at another `version`. */
function listOf(version: number): string {
  const names = Array.from({ length: COUNT }, (_, at) => `p${at}`);
  const after = (at: number): readonly string[] => [`p${at % COUNT}`];
  const conditions = names.map((name, at) => ({
    if: { properties: { [name]: { const: `k${version}` } }, required: [name] },
    then: { required: after(at + 1) },
    else: { required: after(at + 7 + version) },
  }));
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const inputSchema = { type: "object", properties, allOf: conditions };
  return JSON.stringify([{ name: "hard", inputSchema, annotations: { readOnlyHint: true } }]);
}

interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** The exit code that a shell shows. */
  readonly ended: Promise<number>;
}

function start(argv: readonly string[], cwd: string, more: NodeJS.ProcessEnv = {}): Started {
  const PATH = `${join(cwd, "bin")}${delimiter}${process.env["PATH"] ?? ""}`;
  // In CI a pull is frozen.
  const env = { ...process.env, CI: "", XDG_STATE_HOME: join(cwd, "state"), PATH, ...more };
  const child = spawn(process.execPath, [bin, ...argv], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
  const ended = new Promise<number>((resolve) => {
    child.once("close", (code, signal) => {
      resolve(code ?? 128 + constants.signals[signal ?? "SIGKILL"]);
    });
  });
  return { child, output: () => text, ended };
}

const ps = (...args: readonly string[]): Promise<string> =>
  promisify(execFile)("ps", args).then(
    ({ stdout }) => stdout,
    () => "",
  );

/** Waits until a process has used the processor for some seconds, as no command does that does not compare. */
async function untilBusy({ child, ended }: Started): Promise<void> {
  const over = ended.then(() => Infinity);
  while ((await Promise.race([over, secondsUsed(String(child.pid))])) < BUSY) await setTimeout(100);
}

/** Returns the seconds of processor time of a process: on Linux from a file, since starting `ps` costs more than the wait. */
async function secondsUsed(id: string): Promise<number> {
  const stat = await readFile(`/proc/${id}/stat`, "utf8").catch(() => undefined);
  const [user = 0, system = 0] = stat?.split(") ")[1]?.split(" ").slice(11).map(Number) ?? [];
  if (stat !== undefined) return (user + system) / 100;
  const [, minutes = 0, rest = 0] = /(\d+):(\d+(?:\.\d+)?)\s*$/.exec(await ps("-o", "time=", "-p", id)) ?? [];
  return 60 * Number(minutes) + Number(rest);
}

async function isListed(args: readonly string[]): Promise<boolean> {
  return (await ps("-eo", "args")).includes(args.join(" "));
}

/** A project that was pulled before its server, which a test can find by its arguments, lists other schemas. */
async function makeChanged(
  atEnd: (remove: () => void) => void,
): Promise<{ readonly project: Project; readonly args: readonly string[] }> {
  const project = await makeProject(undefined, atEnd);
  const [before, after] = [listOf(0), listOf(1)];
  const server = fixtureCommand("follows-file", "--file", `${project.dir}/list.json`);
  await project.configure({ servers: { shop: server } });
  await project.write("list.json", before);
  await project.prints("pull", 0);
  await project.write("list.json", after);
  await project.write("a.json", `{"tools":${before}}`);
  await project.write("b.json", `{"tools":${after}}`);
  return { project, args: server.args };
}

/** Asks a served toolset for a call of a tool that is no longer as locked, and waits until it compares the definitions. */
async function callTool({ child, output }: Started, name = "hard"): Promise<void> {
  const send = (message: object): void => {
    child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  send({ id: 1, method: "initialize", params });
  send({ method: "notifications/initialized" });
  const input = Object.fromEntries(Array.from({ length: COUNT }, (_, at) => [`p${at}`, ""]));
  send({ id: 2, method: "tools/call", params: { name, arguments: input } });
  while (!output().includes('"id":1')) await setTimeout(20);
  await setTimeout(200);
}

/** Waits until the server of a project, or its git, has noted that it was asked. */
async function untilAsked({ dir }: Project): Promise<void> {
  while (!existsSync(join(dir, "asked"))) await setTimeout(20);
}

/** Locks the tool of a server that never answers a call. */
async function lockSilent(project: Project): Promise<void> {
  const server = { command: process.execPath, args: [join(project.dir, "server.mjs")] };
  const shop = { ...server, environments: { production: server } };
  await project.write("server.mjs", SILENT);
  await project.configure({ output: false, servers: { shop } });
  await project.prints("pull", 0);
}

/** Each on one of the signals; both are handled in one place. */
const COMPARING = [
  [["pull"], "SIGTERM", 143],
  [["watch"], "SIGINT", 130],
  [["serve", "--direct"], "SIGTERM", 143],
] as const;

it("a command prints no error if its reader closes the pipe", async () => {
  const project = await makePulled({ servers: { shop: fixtureCommand("drifted") } });
  const { child, ended, output } = start(["list"], project.dir);
  child.stdout?.destroy();
  expect([await ended, output()]).toEqual([0, ""]);
});

it("serve ends with its client, even during a call", async () => {
  const project = await makeProject();
  await lockSilent(project);
  const started = start(["serve", "--direct"], project.dir, { MCP_CODEGEN_ENABLE_WRITES: "1" });
  await callTool(started, "wait");
  await untilAsked(project);
  started.child.stdin?.end();
  expect(await started.ended).toBe(0);
});

describe.skipIf(process.platform === "win32")("a command that is interrupted", () => {
  describe("while it compares", () => {
    // Nothing changes its files.
    let changed: Awaited<ReturnType<typeof makeChanged>>;
    let end = (): void => undefined;
    beforeAll(async () => {
      changed = await makeChanged((remove) => (end = remove));
    });
    afterAll(() => {
      end();
    });

    it.each(COMPARING)("%j ends on %s with %i, its servers too", async (argv, signal, status) => {
      const { project, args } = changed;
      const files = await project.files();
      const started = start(argv, project.dir);
      if (argv[0] === "serve") await callTool(started);
      else await untilBusy(started);
      started.child.kill(signal);
      expect([await started.ended, started.output()]).toEqual([
        status,
        expect.not.stringMatching(/hard|Compared/),
      ]);
      while (await isListed(args)) await setTimeout(50);
      expect(await project.files()).toEqual(files);
    });
  });

  it.each(["call shop__wait --yes", "run wait.ts --yes"])(
    "while %s waits says which calls may have been made",
    async (line) => {
      const project = await makeProject();
      await lockSilent(project);
      await project.write("wait.ts", "await shop.wait({});");
      // Threads are files of the build.
      const { run } = (await import(line.startsWith("run") ? BUILT : SOURCE)) as { run: typeof runSource };
      const env = { XDG_STATE_HOME: join(project.dir, "state") };
      const started = startCommand(project.dir, line.split(" "), { env, run });
      await untilAsked(project);
      expect(await started.stop("SIGTERM"), started.stderr()).toBe(143);
      expect(started.stderr()).toMatch(/^Interrupted\. Calls that may .*wait.*may have been made\)\.$/m);
      while (await isListed([join(project.dir, "server.mjs")])) await setTimeout(50);
    },
  );

  it("while page waits for git ends at once, and its files are as before", async () => {
    const project = await makeProject();
    await lockSilent(project);
    const script = `#!/bin/sh\n: > "${project.dir}/asked"\nwhile [ -e "$0" ]; do sleep 0.1; done\n`;
    await project.write("bin/git", script);
    await chmod(join(project.dir, "bin/git"), 0o700);
    const files = await project.files();
    const { child, ended } = start(["page", "--out", "tools.html"], project.dir);
    await untilAsked(project);
    child.kill("SIGTERM");
    expect(await ended).toBe(143);
    const { asked: _, ...left } = await project.files();
    expect(left).toEqual(files);
  });

  it("while it replays leaves a journal in whole lines that says which change was sent, so that it is not repeated", async () => {
    const project = await makeProject();
    await lockSilent(project);
    const change = {
      tool: "wait",
      server: "shop",
      args: {},
      result: { id: 4 },
      at: "2026-01-01T00:00:00.000Z",
    };
    await project.write("changes.jsonl", `${JSON.stringify(change)}\n`);
    const { child, ended } = start(["replay", "changes.jsonl", "--env", "production", "--yes"], project.dir);
    await untilAsked(project);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    const lines = (await project.read("changes.production.journal.jsonl")).split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { tool: "wait", environment: "production", outcome: "waits" },
    ]);
  });

  it("while it generates leaves only whole files, and the next run completes them", async () => {
    const project = await makeProject({ servers: { shop: { file: "list.json" } } });
    const tools = Array.from({ length: 200 }, (_, at) => `tool-${at}`);
    const inputSchema = { type: "object" };
    await project.writeJson("list.json", { tools: tools.map((name) => ({ name, inputSchema })) });
    await project.prints("pull", 0);
    const complete = await project.files();
    const cutOff = join(project.dir, "generated", UNFINISHED_MARKER);
    // On a busy machine, it may end before it is interrupted.
    for (let status = 0, attempt = 0; status !== 130; attempt += 1) {
      expect(attempt).toBeLessThan(10);
      await rm(join(project.dir, "generated"), { recursive: true });
      const { child, ended } = start(["generate"], project.dir);
      while (child.exitCode === null && !existsSync(cutOff)) await setTimeout(1);
      child.kill("SIGINT");
      status = await ended;
    }
    const files = Object.entries(await project.files());
    const whole = files.filter(([path]) => !path.endsWith(".mcp-codegen-tmp"));
    expect(complete).toMatchObject(Object.fromEntries(whole));
    await project.prints("generate", 0);
    expect(await project.files()).toEqual(complete);
  });

  it("does not wait for a server that ignores the end of its input and SIGTERM", async () => {
    const project = await makeProject();
    const server = { command: process.execPath, args: [`${project.dir}/server.mjs`] };
    await project.write("server.mjs", STUBBORN);
    await project.configure({ servers: { stubborn: server } });
    const started = start(["pull", "--json"], project.dir);
    await untilAsked(project);
    started.child.kill("SIGTERM");
    expect([await started.ended, started.output()]).toEqual([143, expect.stringContaining("INTERRUPTED")]);
    // It is ended after two seconds for the end of its input, and two for SIGTERM.
    expect(await isListed(server.args)).toBe(true);
    while (await isListed(server.args)) await setTimeout(50);
  });
});

/** Answers `initialize`, notes the next request in a file, and ignores everything after it. */
const STUBBORN = `
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
process.on("SIGTERM", () => undefined);
setInterval(() => undefined, 60_000);
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "tools/list") writeFileSync(new URL("asked", import.meta.url), "");
  if (method !== "initialize") return;
  const result = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});
`;

/** Lists one tool, notes a call of it in a file, and never answers the call. */
const SILENT = `
import { writeFileSync } from "node:fs";
import { plainTool, serve } from ${JSON.stringify(new URL("../servers/raw-server.js", import.meta.url).href)};
const tools = [plainTool("wait", { inputSchema: { type: "object" } })];
const call = () => void writeFileSync(new URL("asked", import.meta.url), "");
serve({ name: "x", list: () => ({ tools }), call }, {});
`;
