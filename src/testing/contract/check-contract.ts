import { dirname, join, resolve } from "node:path";
import {
  type OpenChannel,
  openSdkServer,
  openSdkTransport,
  type SdkServer,
  type SdkTransport,
} from "../../client/sdk-transport.js";
import type { ServerConfig } from "../../config/config.js";
import type { LoadedConfig } from "../../config/load-config.js";
import { McpCodegenError } from "../../core/errors.js";
import { getOwn } from "../../core/json.js";
import { LOCKFILE_NAME } from "../../core/lockfile.js";
import type { ReportedChange } from "../../report/findings.js";
import { lookUpVariable } from "../../runtime/client/open-server.js";

/**
 * A server to compare with its lock: an `McpServer` or a `Server` of the MCP SDK, version 1 or 2, that is not connected; a
 * function that returns one; the client's end of a pair of transports; the command or the URL of a server, as one text or
 * as in a configuration.
 */
export type ContractServer =
  | SdkServer
  | (() => SdkServer | Promise<SdkServer>)
  | SdkTransport
  | string
  | Pick<ServerConfig, "command" | "args" | "env" | "cwd" | "url">;

export interface ContractOptions {
  /** The lockfile. Default: `mcp-codegen.lock.json` in the working directory. */
  readonly lock?: string | undefined;
  /** The name of the server in the lock. Default: the only one of the lock, or `server` for a new lock. */
  readonly name?: string | undefined;
  /** Write the current contract to the lock, except tools with a security finding. */
  readonly update?: boolean | undefined;
}

export interface ContractResult {
  /** Whether the server says what the lock says, or differs only in what the configuration allows. */
  readonly matches: boolean;
  /** The differences, as `check --json` reports them. */
  readonly findings: readonly ReportedChange[];
  /** The report as `check` prints it, without colours. */
  readonly text: string;
  /** Whether the lock was written. */
  readonly updated: boolean;
}

/**
 * Compares a server with its lock, as `mcp-codegen check` does. A server in this process is connected in memory. A
 * configuration beside the lock applies if it has the server.
 *
 * @throws McpCodegenError `LOCK_NOT_FOUND` without a lock, unless it is updated; `SERVER_UNKNOWN` for a name that the lock
 *   does not have; the errors of the configuration and of the lock. A server that cannot be listed is in the result.
 */
export async function checkContract(
  server: ContractServer,
  { lock = LOCKFILE_NAME, name, update = false }: ContractOptions = {},
): Promise<ContractResult> {
  // Tests that only mock servers load none of this.
  const [
    { check },
    { pull },
    { exitCodeOfCheck, findingsOfCheck },
    { judgeChanges },
    { PLAIN },
    { printTextReport },
  ] = await Promise.all([
    import("../../pipeline/check/check.js"),
    import("../../pipeline/pull/pull.js"),
    import("../../report/findings.js"),
    import("../../report/judge-changes.js"),
    import("../../report/layout.js"),
    import("../../report/render-report.js"),
  ]);
  const path = resolve(lock);
  const loaded = await openProject(server, path, name, update);
  const context = {
    lookup: lookUpVariable,
    inProcess: openInProcess(server, Object.keys(loaded.config.servers)),
  };
  const updated =
    update && (await pull(loaded, context)).servers.some(({ status }) => status !== "unchanged");
  const report = await check(loaded, context);
  const { changes: found, diagnostics, unverified, checked } = report;
  const changes = await judgeChanges(found, loaded.config, {});
  const compared = {
    ...report,
    ...{ changes, diagnostics, unverified, checked },
    // A contract has no code and no files of agents.
    ...{ cassettes: [], mentions: [], stale: [], edited: [], waivers: [] },
  };
  const findings = await findingsOfCheck(compared, {
    changes,
    failOn: loaded.config.check?.failOn ?? "any",
  });
  const shown = { ...findings, repairs: changes.length === 0 ? [] : [ACCEPT] };
  const text = (await printTextReport(shown, { paint: PLAIN, width: WIDTH })).join("\n");
  return { matches: exitCodeOfCheck(findings) === 0, findings: changes, text, updated };
}

const ACCEPT = { does: "To accept", command: "run the tests with -u, and commit the lock" };
/** In columns. */
const WIDTH = 100;

/** Returns the configuration of the server: the one beside the lock, or an empty one. */
async function openProject(
  server: ContractServer,
  lock: string,
  name: string | undefined,
  update: boolean,
): Promise<LoadedConfig> {
  const [{ CONFIG_NAME, loadConfig }, { validateConfig }, { findLockfile }] = await Promise.all([
    import("../../config/load-config.js"),
    import("../../config/validate-config.js"),
    import("../../files/lockfile-on-disk.js"),
  ]);
  const dir = dirname(lock);
  const locked = await findLockfile(lock);
  if (locked === undefined && !update)
    throw new McpCodegenError("LOCK_NOT_FOUND", `There is no lock at ${JSON.stringify(lock)}.`, {
      hint: "Run the tests with -u to write it, and commit it.",
    });
  const known = Object.keys(locked?.servers ?? {});
  const wanted = name ?? known[0] ?? "server";
  if (name === undefined && known.length > 1)
    throw new McpCodegenError("SERVER_UNKNOWN", "The lock has several servers.", {
      hint: `Set the option "name" to one of them: ${known.map((each) => JSON.stringify(each)).join(", ")}.`,
    });
  if (!known.includes(wanted) && !update)
    throw new McpCodegenError("SERVER_UNKNOWN", `The lock has no server ${JSON.stringify(wanted)}.`, {
      hint: `It has ${known.map((each) => JSON.stringify(each)).join(", ")}. To add the server, run the tests with -u.`,
    });
  const own = await loadConfig({ cwd: dir });
  const beside = own?.dir === dir ? own.config : undefined;
  const {
    url: _url,
    command: _command,
    args: _args,
    env: _env,
    cwd: _cwd,
    ...kept
  } = getOwn(beside?.servers ?? {}, wanted) ?? {};
  const servers = { [wanted]: { ...kept, ...(await settingsOf(server)) } };
  const config = await validateConfig(
    { output: false, servers, check: beside?.check ?? {} },
    "checkContract",
  );
  return { config, dir, path: join(dir, CONFIG_NAME) };
}

/** The settings of a server that is connected to by its settings, or of one in this process, which needs none. */
async function settingsOf(server: ContractServer): Promise<ServerConfig> {
  if (typeof server === "string") {
    const { parseServerArgument } = await import("../../config/parse-server-argument.js");
    return parseServerArgument(server).settings;
  }
  if (isInProcess(server)) return { command: IN_PROCESS };
  return { ...server, cwd: resolve(server.cwd ?? ".") };
}

/** The command of a server in this process, in messages. */
const IN_PROCESS = "the server in this process";

type InProcess = Exclude<ContractServer, string | Pick<ServerConfig, "command">>;

function isInProcess(server: ContractServer): server is InProcess {
  return (
    typeof server === "function" || (typeof server === "object" && ("connect" in server || "send" in server))
  );
}

function openInProcess(
  server: ContractServer,
  names: readonly string[],
): { readonly [name: string]: OpenChannel } | undefined {
  if (!isInProcess(server)) return undefined;
  const open: OpenChannel = async (events) => {
    if (typeof server === "function") return openSdkServer(await server())(events);
    return "send" in server ? openSdkTransport(server)(events) : openSdkServer(server)(events);
  };
  return Object.fromEntries(names.map((name) => [name, open]));
}
