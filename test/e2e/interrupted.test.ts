/**
 * SIGINT and SIGTERM end every command of the real program while it compares hostile schemas, which takes many seconds without
 * a pause, and while it closes a server that ignores signals. Files stay as they were, and servers end.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeProject, type Project } from "./make-project.js";

const bin = fileURLToPath(new URL("../../bin/mcp-codegen.js", import.meta.url));
// In CI a pull is frozen.
const env = { ...process.env, CI: "" };
/** Seconds of processor time after which the program surely compares: it starts in less than one. */
const BUSY = 2;

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

function start(argv: readonly string[], cwd: string): Started {
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

async function ps(...args: readonly string[]): Promise<string> {
  const listed = promisify(execFile)("ps", args).then(
    ({ stdout }) => stdout,
    () => "",
  );
  return listed;
}

/** Waits until a process has used the processor for some seconds, as no command does that does not compare. */
async function untilBusy({ child, ended }: Started): Promise<void> {
  const over = ended.then(() => Infinity);
  const secondsUsed = async (): Promise<number> => {
    const time = await ps("-o", "time=", "-p", String(child.pid));
    const [, minutes = 0, rest = 0] = /(\d+):(\d+(?:\.\d+)?)\s*$/.exec(time) ?? [];
    return 60 * Number(minutes) + Number(rest);
  };
  while ((await Promise.race([over, secondsUsed()])) < BUSY) await setTimeout(50);
}

async function isListed(args: readonly string[]): Promise<boolean> {
  return (await ps("-eo", "args")).includes(args.join(" "));
}

/** A project that was pulled before its server, which a test can find by its arguments, lists other schemas. */
async function makeChanged(): Promise<{ readonly project: Project; readonly args: readonly string[] }> {
  const project = await makeProject();
  const [before, after] = [listOf(0), listOf(1)];
  const server = fixtureCommand("follows-file", "--file", `${project.dir}/list.json`);
  await project.write("mcp-codegen.config.json", JSON.stringify({ servers: { shop: server } }));
  await project.write("list.json", before);
  expect(await project.run(["pull"])).toMatchObject({ exitCode: 0 });
  await project.write("list.json", after);
  await project.write("a.json", `{"tools":${before}}`);
  await project.write("b.json", `{"tools":${after}}`);
  return { project, args: server.args };
}

/** Asks a served toolset for a call of a tool that is no longer as locked. */
function callTool({ child }: Started): void {
  const send = (message: object): void => {
    child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  const clientInfo = { name: "test", version: "1" };
  send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
  });
  send({ method: "notifications/initialized" });
  const input = Object.fromEntries(Array.from({ length: COUNT }, (_, at) => [`p${at}`, ""]));
  send({ id: 2, method: "tools/call", params: { name: "hard", arguments: input } });
}

describe.skipIf(process.platform === "win32")("a command that is interrupted", () => {
  it.each([
    [["pull"], "SIGINT", 130],
    [["pull"], "SIGTERM", 143],
    [["check"], "SIGINT", 130],
    [["check", "--json"], "SIGINT", 130],
    [["list", "--live"], "SIGINT", 130],
    [["diff", "a.json", "b.json"], "SIGINT", 130],
    [["diff", "a.json", "b.json"], "SIGTERM", 143],
    [["watch"], "SIGINT", 130],
    [["watch", "--check"], "SIGINT", 130],
    [["serve", "--direct"], "SIGINT", 130],
    [["serve", "--direct"], "SIGTERM", 143],
  ] as const)(
    "while %j compares ends on %s with %i, its servers too",
    { timeout: 60_000 },
    async (argv, signal, status) => {
      const { project, args } = await makeChanged();
      const files = await project.files();
      const started = start(argv, project.dir);
      if (argv[0] === "serve") callTool(started);
      await untilBusy(started);
      started.child.kill(signal);
      const at = performance.now();
      expect([await started.ended, started.output()]).toEqual([
        status,
        expect.not.stringMatching(/hard|Compared/),
      ]);
      report(argv.join(" "), signal, at);
      while (await isListed(args)) await setTimeout(50);
      expect(await project.files()).toEqual(files);
    },
  );

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "does not wait for a server that ignores the end of its input and SIGTERM: %s, %i",
    { timeout: 60_000 },
    async (signal, status) => {
      const project = await makeProject();
      const server = { command: process.execPath, args: [`${project.dir}/server.mjs`] };
      await project.write("server.mjs", STUBBORN);
      await project.write("mcp-codegen.config.json", JSON.stringify({ servers: { stubborn: server } }));
      const started = start(["pull", "--json"], project.dir);
      while (!(await project.paths()).includes("asked")) await setTimeout(20);
      started.child.kill(signal);
      const at = performance.now();
      expect([await started.ended, started.output()]).toEqual([
        status,
        expect.stringContaining("INTERRUPTED"),
      ]);
      report("stubborn", signal, at);
      while (await isListed(server.args)) await setTimeout(50);
    },
  );
});

/** Prints how long an end took, for a person who measures. */
function report(name: string, signal: string, since: number): void {
  if (process.env["MEASURE"] === undefined) return;
  process.stdout.write(`${name} ${signal}: ${Math.round(performance.now() - since)} ms\n`);
}

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
