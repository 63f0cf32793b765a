import { resolve } from "node:path";
import { McpCodegenError } from "../../contract/errors.js";
import { getOwn } from "../../contract/json.js";
import type { Lockfile } from "../../contract/lockfile.js";
import { printable } from "../../contract/printable.js";
import type { LockedMock, LockedSource } from "../../mock/mock-locked-server.js";
import type { Serving } from "../../serve/index.js";
import type { CommandOptions } from "../command-table.js";
import { redirectConsole, type Context, type Runner } from "../context.js";
import { loadProject } from "../load-project.js";
import { readPackage } from "../read-package.js";
import { parsePort } from "./serve.js";

/** Serves a mock of one locked server until the client disconnects or the user interrupts. */
export const runMock: Runner<"mock"> = (context, [server], options) => {
  const { io } = context;
  const port = options.http === undefined ? undefined : parsePort(options.http);
  return redirectConsole(io, async () => {
    const { name, mock, contract } = await openMock(context, server, options);
    const log = (line: string): void => {
      io.stderr.write(`${printable(line, 1_000)}\n`);
    };
    mock.onChange(() => {
      log(`The tools of "${name}" have changed to those of ${JSON.stringify(options.fromLock)}.`);
    });
    const serving = await start(context, mock, port, log);
    const count = mock.tools().length;
    const where = serving.url === undefined ? "" : ` At ${serving.url}`;
    log(`Mocking ${count} ${count === 1 ? "tool" : "tools"} of "${name}", contract ${contract}.${where}`);
    const stop = (): void => void serving.close();
    if (io.signal?.aborted === true) stop();
    io.signal?.addEventListener("abort", stop);
    await serving.closed;
    io.stdin.destroy();
    return 0;
  });
};

interface OpenedMock {
  readonly name: string;
  readonly contract: string;
  readonly mock: LockedMock;
}

async function openMock(
  context: Context,
  server: string | undefined,
  options: CommandOptions<"mock">,
): Promise<OpenedMock> {
  const { io } = context;
  const [project, { findOutputs }, { readProjectLock }, { readLockfile }, { mockLockedServer }] =
    await Promise.all([
      loadProject(context),
      import("../../pipeline/find-outputs.js"),
      import("../../project/read-project-lock.js"),
      import("../../files/lockfile-on-disk.js"),
      import("../../mock/mock-locked-server.js"),
    ]);
  const { fromLock, changeAfter } = options;
  if (changeAfter !== undefined && fromLock === undefined)
    throw new McpCodegenError("USAGE", "--change-after requires --from.", { hint: "Add --from <lock>." });
  const lock = await readProjectLock(project);
  const name = chooseServer(lock, server);
  const settings = getOwn(project.config.servers, name);
  const outputs = await findOutputs(project);
  const sourceIn = (from: Lockfile, file: string): LockedSource => {
    const locked = getOwn(from.servers, name);
    if (locked !== undefined)
      return {
        locked,
        dialect: settings?.dialect ?? (locked.wordpress && "wordpress"),
        outputOf: (tool) => {
          const found = outputs?.(name, tool, getOwn(locked.tools, tool)?.digest ?? "");
          // A tool that declares no output schema answers with JSON as text, unless it was seen to do otherwise.
          return found !== undefined && "output" in found
            ? { schema: found.output.schema, answers: found.answers ?? "json" }
            : undefined;
        },
      };
    throw new McpCodegenError("SERVER_UNKNOWN", `${file} has no server ${JSON.stringify(name)}.`);
  };
  const own = sourceIn(lock, "The lock");
  const other =
    fromLock === undefined
      ? undefined
      : sourceIn(await readLockfile(resolve(io.cwd, fromLock)), JSON.stringify(fromLock));
  const first = changeAfter === undefined ? (other ?? own) : own;
  const mock = mockLockedServer(name, first, {
    seed: options.seed,
    boundary: options.boundary,
    latency: parseNumber("--latency", options.latency),
    fail: parseNumber("--fail", options.fail),
    cassette: options.answerFrom === undefined ? undefined : resolve(io.cwd, options.answerFrom),
    ...(changeAfter !== undefined &&
      other !== undefined && { next: { source: other, afterCalls: parseCount(changeAfter) } }),
  });
  return { name, contract: first.locked.contract, mock };
}

function chooseServer({ servers }: Lockfile, wanted: string | undefined): string {
  const names = Object.keys(servers);
  const known = names.map((name) => JSON.stringify(name)).join(", ");
  if (wanted !== undefined && getOwn(servers, wanted) !== undefined) return wanted;
  if (wanted !== undefined)
    throw new McpCodegenError("SERVER_UNKNOWN", `The lock has no server ${JSON.stringify(wanted)}.`, {
      hint: `Locked: ${known}.`,
    });
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return only;
  throw new McpCodegenError("USAGE", "Missing name of a locked server.", { hint: `Locked: ${known}.` });
}

function parseNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number)) return number;
  throw new McpCodegenError("USAGE", `${flag}: ${JSON.stringify(text)} is not a number.`);
}

function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new McpCodegenError("USAGE", `--change-after: ${JSON.stringify(text)} is not a number of calls.`, {
    hint: "Pass a whole number from 1.",
  });
}

async function start(
  { io }: Context,
  mock: LockedMock,
  port: number | undefined,
  log: (line: string) => void,
): Promise<Serving & { readonly url?: string }> {
  const common = {
    identity: { name: "mcp-codegen", version: readPackage().version },
    onError: (error: Error) => {
      log(`Client: ${error.message}`);
    },
  };
  const { serveStdio, serveHttp } = await import("../../serve/index.js");
  return port === undefined
    ? serveStdio(mock, { ...common, stdin: io.stdin, stdout: io.stdout })
    : // Nothing that a mock answers is a secret, and it listens on this machine only.
      serveHttp(mock, { ...common, port, token: false });
}
