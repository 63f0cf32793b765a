import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { quoteAll } from "../../../core/collections.js";
import { McpCodegenError } from "../../../core/errors.js";
import { getOwn } from "../../../core/json.js";
import type { Lockfile } from "../../../core/lockfile.js";
import { parseNamedLock } from "../../../files/project-records.js";
import { findFileText } from "../../../files/read-files.js";
import { type LockedMock, type LockedSource, mockLockedServer } from "../../../testing/mock-locked-server.js";
import { count } from "../../../report/layout.js";
import { serveHttp, serveStdio } from "../../../serve/index.js";
import type { Serving } from "../../../serve/offer.js";
import { type Runner, usageError } from "../../command-spec.js";
import { type Context, redirectConsole, printWarning } from "../../context.js";
import { assertLocked, loadProject } from "../../load-project.js";
import type { OptionValues } from "../../options.js";
import { servingOptions, untilClosed } from "./serve.js";
import type { MOCK_FLAGS } from "./spec.js";

/** Serves mocks of locked servers until the client disconnects or the user interrupts: over stdio one, over HTTP any number. */
export const runMock: Runner<typeof MOCK_FLAGS> = (context, servers, options) =>
  redirectConsole(context.io, async () => {
    const { http: port } = options;
    const servings: Serving[] = [];
    try {
      for (const [index, mock] of (await openMocks(context, servers, options)).entries())
        // The servers after the first take the ports after its own.
        servings.push(await serveMock(context, mock, port === 0 ? 0 : port && port + index));
    } catch (error) {
      await Promise.all(servings.map((serving) => serving.close()));
      throw error;
    }
    await untilClosed(context.io, servings);
    return 0;
  });

async function serveMock(
  context: Context,
  { name, contract, mock, next }: OpenedMock,
  port: number | undefined,
): Promise<Serving> {
  mock.onChange(() => {
    printWarning(context, `The tools of "${name}" have changed to those of ${JSON.stringify(next)}.`);
  });
  const { stdin, stdout } = context.io;
  const common = servingOptions(context);
  const serving: Serving & { readonly url?: string } =
    port === undefined
      ? await serveStdio(mock, { ...common, stdin, stdout })
      : // Nothing that a mock answers is a secret, and it listens on this machine only.
        await serveHttp(mock, { ...common, port, token: false });
  const tools = count(mock.tools().length, "tool");
  const where = serving.url === undefined ? "" : ` At ${serving.url}`;
  printWarning(context, `Mocking ${tools} of "${name}", contract ${contract}.${where}`);
  return serving;
}

interface OpenedMock {
  readonly name: string;
  readonly contract: string;
  readonly mock: LockedMock;
  /** The file of the lock that the mock changes to. */
  readonly next: string | undefined;
}

type MockCommandOptions = OptionValues<typeof MOCK_FLAGS>;

async function openMocks(
  context: Context,
  servers: readonly string[],
  options: MockCommandOptions,
): Promise<readonly OpenedMock[]> {
  const { cwd } = context.io;
  const project = await loadProject(context);
  const { from: fromLock, changeAfter, seed, boundary, latency, fail } = options;
  const cassette = options.cassette && resolve(cwd, options.cassette);
  if (cassette !== undefined && !existsSync(cassette))
    printWarning(context, `Cassette ${JSON.stringify(options.cassette)} does not exist, so each call fails.`);
  const lock = await project.lockOrEmpty();
  const outputs = await project.outputs();
  const sourceIn = (from: Lockfile, name: string, file: string): LockedSource => {
    const locked = getOwn(from.servers, name);
    if (locked === undefined)
      throw new McpCodegenError("SERVER_UNKNOWN", `${file} has no server ${JSON.stringify(name)}.`);
    return {
      locked,
      dialect: getOwn(project.config.servers, name)?.dialect ?? (locked.wordpress && "wordpress"),
      outputOf: (tool) => {
        const output = outputs?.(name, tool, getOwn(locked.tools, tool)?.digest ?? "");
        // A tool that declares no output schema answers with JSON as text, unless it was seen to do otherwise.
        return output !== undefined && "output" in output
          ? { schema: output.output.schema, answers: output.answers ?? "json" }
          : undefined;
      },
    };
  };
  const names = chooseServers(lock, servers, options);
  const otherLock = fromLock === undefined ? undefined : await readOtherLock(cwd, fromLock);
  return names.map((name) => {
    const source = sourceIn(lock, name, "The lock");
    const other = otherLock && sourceIn(otherLock, name, JSON.stringify(fromLock));
    const first = changeAfter === undefined ? (other ?? source) : source;
    const mock = mockLockedServer(name, first, {
      seed,
      boundary,
      latency,
      fail,
      cassette,
      ...(changeAfter !== undefined &&
        other !== undefined && { next: { source: other, afterCalls: changeAfter } }),
    });
    return { name, mock, contract: first.locked.contract, next: fromLock };
  });
}

/** Reads the lock of `--from`, which need not be that of a project. Throws `LOCK_NOT_FOUND` and the errors of `parseLockText`. */
async function readOtherLock(cwd: string, name: string): Promise<Lockfile> {
  const hint = "Name another lockfile with --from.";
  const text = await findFileText(resolve(cwd, name));
  if (text !== undefined) return parseNamedLock(text, name, hint);
  throw new McpCodegenError("LOCK_NOT_FOUND", `There is no lockfile ${JSON.stringify(name)}.`, { hint });
}

/** The named servers, or all. One client at standard input can use one server. */
function chooseServers(
  lock: Lockfile,
  wanted: readonly string[],
  { http }: MockCommandOptions,
): readonly string[] {
  assertLocked(wanted, lock);
  const names = Object.keys(lock.servers);
  const chosen = wanted.length === 0 ? names : [...new Set(wanted)];
  if (chosen.length === 0) throw usageError("The lock has no server to mock.");
  if (http !== undefined || chosen.length === 1) return chosen;
  throw usageError(
    `Over stdio, "mock" serves one server, not ${chosen.length}.`,
    `Name one, or add --http <port>. Locked: ${quoteAll(names)}.`,
  );
}
