import { resolve } from "node:path";
import { McpCodegenError } from "../../../core/errors.js";
import { getOwn } from "../../../core/json.js";
import type { Lockfile } from "../../../core/lockfile.js";
import { printable } from "../../../core/printable.js";
import type { LockedMock, LockedSource } from "../../../testing/mock-locked-server.js";
import type { Serving } from "../../../serve/offer.js";
import { type Runner, usageError } from "../../command-spec.js";
import { type Context, redirectConsole } from "../../context.js";
import { loadProject } from "../../load-project.js";
import type { OptionValues } from "../../options.js";
import { readPackage } from "../../packages.js";
import { parsePort } from "./serve.js";
import type { MOCK_FLAGS } from "./spec.js";

/** Serves mocks of locked servers until the client disconnects or the user interrupts: over stdio one, over HTTP any number. */
export const runMock: Runner<typeof MOCK_FLAGS> = (context, servers, options) => {
  const { io } = context;
  const port = options.http === undefined ? undefined : parsePort(options.http);
  return redirectConsole(io, async () => {
    const mocks = await openMocks(context, servers, { ...options, isStdio: port === undefined });
    const servings: Serving[] = [];
    const close = async (): Promise<void> => {
      await Promise.all(servings.map((serving) => serving.close()));
    };
    try {
      for (const [index, mock] of mocks.entries())
        // The servers after the first take the ports after its own.
        servings.push(await serveMock(context, mock, port === 0 ? 0 : port && port + index));
    } catch (error) {
      await close();
      throw error;
    }
    const stop = (): void => void close();
    if (io.signal?.aborted === true) stop();
    io.signal?.addEventListener("abort", stop);
    await Promise.all(servings.map(({ closed }) => closed));
    io.stdin.destroy();
    return 0;
  });
};

async function serveMock(
  context: Context,
  { name, contract, mock, next }: OpenedMock,
  port: number | undefined,
): Promise<Serving> {
  const log = (line: string): void => {
    context.io.stderr.write(`${printable(line, 1_000)}\n`);
  };
  mock.onChange(() => {
    log(`The tools of "${name}" have changed to those of ${JSON.stringify(next)}.`);
  });
  const serving = await start(context, mock, port, log);
  const count = mock.tools().length;
  const where = serving.url === undefined ? "" : ` At ${serving.url}`;
  log(`Mocking ${count} ${count === 1 ? "tool" : "tools"} of "${name}", contract ${contract}.${where}`);
  return serving;
}

interface OpenedMock {
  readonly name: string;
  readonly contract: string;
  readonly mock: LockedMock;
  /** The file of the lock that the mock changes to. */
  readonly next: string | undefined;
}

type MockOptions = OptionValues<typeof MOCK_FLAGS> & { readonly isStdio: boolean };

async function openMocks(
  context: Context,
  servers: readonly string[],
  options: MockOptions,
): Promise<readonly OpenedMock[]> {
  const { io } = context;
  const [project, { findOutputs }, { readProjectLock }, { readLockfile }, { mockLockedServer }] =
    await Promise.all([
      loadProject(context),
      import("../../../serve/project/find-outputs.js"),
      import("../../../serve/project/project-tools.js"),
      import("../../../files/lockfile-on-disk.js"),
      import("../../../testing/mock-locked-server.js"),
    ]);
  const { from: fromLock, changeAfter } = options;
  const lock = await readProjectLock(project);
  const outputs = await findOutputs(project);
  const sourceIn = (from: Lockfile, name: string, file: string): LockedSource => {
    const locked = getOwn(from.servers, name);
    if (locked === undefined)
      throw new McpCodegenError("SERVER_UNKNOWN", `${file} has no server ${JSON.stringify(name)}.`);
    return {
      locked,
      dialect: getOwn(project.config.servers, name)?.dialect ?? (locked.wordpress && "wordpress"),
      outputOf: (tool) => {
        const found = outputs?.(name, tool, getOwn(locked.tools, tool)?.digest ?? "");
        // A tool that declares no output schema answers with JSON as text, unless it was seen to do otherwise.
        return found !== undefined && "output" in found
          ? { schema: found.output.schema, answers: found.answers ?? "json" }
          : undefined;
      },
    };
  };
  const names = chooseServers(lock, servers, options);
  const otherLock = fromLock === undefined ? undefined : await readLockfile(resolve(io.cwd, fromLock));
  return names.map((name) => {
    const own = sourceIn(lock, name, "The lock");
    const other = otherLock && sourceIn(otherLock, name, JSON.stringify(fromLock));
    const first = changeAfter === undefined ? (other ?? own) : own;
    const mock = mockLockedServer(name, first, {
      seed: options.seed,
      boundary: options.boundary,
      latency: parseNumber("--latency", options.latency),
      fail: parseNumber("--fail", options.fail),
      cassette: options.cassette === undefined ? undefined : resolve(io.cwd, options.cassette),
      ...(changeAfter !== undefined &&
        other !== undefined && { next: { source: other, afterCalls: parseCount(changeAfter) } }),
    });
    return { name, mock, contract: first.locked.contract, next: fromLock };
  });
}

/** The named servers, or all. One client at standard input can use one server. */
function chooseServers(
  { servers }: Lockfile,
  wanted: readonly string[],
  { isStdio }: MockOptions,
): readonly string[] {
  const names = Object.keys(servers);
  const hint = `Locked: ${names.map((name) => JSON.stringify(name)).join(", ")}.`;
  const unknown = wanted.find((name) => getOwn(servers, name) === undefined);
  if (unknown !== undefined)
    throw new McpCodegenError("SERVER_UNKNOWN", `The lock has no server ${JSON.stringify(unknown)}.`, {
      hint,
    });
  const chosen = wanted.length === 0 ? names : [...new Set(wanted)];
  if (chosen.length === 0) throw usageError("The lock has no server to mock.");
  if (!isStdio || chosen.length === 1) return chosen;
  throw usageError(
    `Over stdio, "mock" serves one server, not ${chosen.length}.`,
    `Name one, or add --http <port>. ${hint}`,
  );
}

function parseNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number)) return number;
  throw usageError(`${flag}: ${JSON.stringify(text)} is not a number.`);
}

function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw usageError(
    `--change-after: ${JSON.stringify(text)} is not a number of calls.`,
    "Pass a whole number from 1.",
  );
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
  const { serveStdio, serveHttp } = await import("../../../serve/index.js");
  return port === undefined
    ? serveStdio(mock, { ...common, stdin: io.stdin, stdout: io.stdout })
    : // Nothing that a mock answers is a secret, and it listens on this machine only.
      serveHttp(mock, { ...common, port, token: false });
}
