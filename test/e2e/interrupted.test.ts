/**
 * SIGINT and SIGTERM end every command of the real program while it compares hostile schemas, which takes many seconds without
 * a pause, while it writes, while it waits for a client, a browser or a server, and while it closes a server that ignores
 * signals. Files stay as they were, and servers end.
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
import { fixtureCommand } from "../servers/start-fixture.js";
import { browse, startProtected } from "../servers/start-protected.js";
import { UNFINISHED_MARKER } from "../../src/files/output-folder.js";
import { LOCKFILE_NAME, makeProject, makePulled, type Project } from "./make-project.js";

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

interface WaitingCommand {
  readonly argv: readonly string[];
  /** Returns further arguments. */
  readonly prepare?: (project: Project) => Promise<readonly string[] | undefined>;
  readonly untilWaiting: (started: Started, project: Project) => Promise<void>;
}

/** Waits until a condition holds, while a command is still running. */
async function until({ child, output }: Started, isDue: () => boolean): Promise<void> {
  while (!isDue()) {
    if (child.exitCode !== null) throw new Error(output());
    await setTimeout(20);
  }
}

const untilPrinted =
  (words: RegExp) =>
  (started: Started): Promise<void> =>
    until(started, () => words.test(started.output()));

const untilAsked = (started: Started, { dir }: Project): Promise<void> =>
  until(started, () => existsSync(join(dir, "asked")));

/** The lock of the server that never answers a call, once it was pulled. */
let silentLock: string | undefined;

/** Locks the tool of a server that never answers a call. */
async function lockSilent(project: Project): Promise<undefined> {
  const server = { command: process.execPath, args: [join(project.dir, "server.mjs")] };
  const shop = { ...server, environments: { production: server } };
  await project.write("server.mjs", SILENT);
  await project.configure({ output: false, servers: { shop } });
  if (silentLock === undefined) await project.prints("pull", 0);
  else await project.write(LOCKFILE_NAME, silentLock);
  silentLock ??= await project.read(LOCKFILE_NAME);
}

/** Replaces git by a program that answers nothing. */
async function stopGit(project: Project): Promise<undefined> {
  await lockSilent(project);
  const script = `#!/bin/sh\n: > "${project.dir}/asked"\nwhile [ -e "$0" ]; do sleep 0.1; done\n`;
  await project.write("bin/git", script);
  await chmod(join(project.dir, "bin/git"), 0o700);
}

/** Locks that server, and writes a file. */
const lockSilentAnd =
  (path: string, text: string) =>
  async (project: Project): Promise<undefined> => {
    await lockSilent(project);
    await project.write(path, text);
  };

const CHANGE = { tool: "wait", server: "shop", args: {}, result: { id: 4 }, at: "2026-01-01T00:00:00.000Z" };

/** The journal tells that a change was sent, in whole lines, so that the next replay does not repeat it. */
async function expectIntent(project: Project, journal: string): Promise<void> {
  const lines = journal.split("\n");
  expect(lines.pop()).toBe("");
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { tool: "wait", environment: "production", outcome: "waits" },
  ]);
  await rm(join(project.dir, "changes.production.journal.jsonl"));
}

const WAITING: Readonly<Record<string, WaitingCommand>> = {
  "mock waits over stdio": {
    argv: ["mock", "shop", "--latency", "600000"],
    prepare: lockSilent,
    untilWaiting: async (started) => {
      await callTool(started);
      await untilPrinted(/"id":1/)(started);
    },
  },
  "mock waits over HTTP": { argv: ["mock", "shop", "--http", "0"], prepare: lockSilent, untilWaiting: untilPrinted(/At http/) }, // prettier-ignore
  "page waits for browsers": { argv: ["page", "--serve"], prepare: lockSilent, untilWaiting: untilPrinted(/Serving the page at/) }, // prettier-ignore
  "page waits for git": { argv: ["page", "--out", "tools.html"], prepare: stopGit, untilWaiting: untilAsked },
  "login waits for a browser": {
    argv: ["login", "--no-browser"],
    prepare: async () => [(await startProtected()).url],
    untilWaiting: untilPrinted(/Open this page/),
  },
  "login waits for tokens": {
    argv: ["login", "--no-browser"],
    prepare: async (project) => {
      const shop = await startProtected();
      shop.beforeToken = async () => {
        await project.write("asked", "");
        await new Promise(() => undefined);
      };
      return [shop.url];
    },
    untilWaiting: async (started, project) => {
      await untilPrinted(/^http\S+$/m)(started);
      await fetch(await browse(/^http\S+$/m.exec(started.output())?.[0] ?? ""));
      await untilAsked(started, project);
    },
  },
  "call waits for an answer": { argv: ["call", "shop__wait", "--yes"], prepare: lockSilent, untilWaiting: untilAsked }, // prettier-ignore
  "run waits for an answer": {
    argv: ["run", "wait.ts", "--yes"],
    prepare: lockSilentAnd("wait.ts", "await shop.wait({});"),
    untilWaiting: untilAsked,
  },
  "replay waits for an answer": {
    argv: ["replay", "changes.jsonl", "--env", "production", "--yes"],
    prepare: lockSilentAnd("changes.jsonl", `${JSON.stringify(CHANGE)}\n`),
    untilWaiting: untilAsked,
  },
};

const COMPARING = [
  [["pull"], "SIGTERM", 143],
  [["check"], "SIGINT", 130],
  [["diff", "a.json", "b.json"], "SIGTERM", 143],
  [["list", "--live"], "SIGINT", 130],
  [["watch"], "SIGINT", 130],
  [["serve", "--direct"], "SIGTERM", 143],
] as const;

const STATUSES = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
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
  await untilAsked(started, project);
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

  // Each command ends on one of the signals; both are handled in one place.
  it.each(
    Object.entries(WAITING).map(([name, command], at) => ({ name, command, ended: STATUSES[at % 2] ?? [] })),
  )(
    "while $name ends at once, and its files are as before",
    async ({ command: { argv, prepare, untilWaiting }, ended: [signal = "SIGINT", status] }) => {
      const project = await makeProject();
      const more = (await prepare?.(project)) ?? [];
      await rm(join(project.dir, "asked"), { force: true });
      const files = await project.files();
      const started = start([...argv, ...more], project.dir);
      await untilWaiting(started, project);
      started.child.kill(signal);
      expect(await started.ended, started.output()).toBe(status);
      const isCall = argv[0] === "call" || argv[0] === "run";
      if (isCall)
        expect(started.output()).toMatch(/^Interrupted\. Calls that may .*wait.*may have been made\)\.$/m);
      while (await isListed([join(project.dir, "server.mjs")])) await setTimeout(50);
      const { asked: _, "changes.production.journal.jsonl": journal, ...left } = await project.files();
      expect(left).toEqual(files);
      if (journal !== undefined) await expectIntent(project, journal);
    },
  );

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
    await untilAsked(started, project);
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
