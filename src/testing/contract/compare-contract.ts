import { basename, dirname, join, resolve } from "node:path";
import { type OpenChannel, openSdkServer, openSdkTransport } from "../../client/sdk-transport.js";
import type { ServerConfig } from "../../config/config.js";
import { CONFIG_NAME, type LoadedConfig, loadConfig } from "../../config/load-config.js";
import { parseServerArgument } from "../../config/parse-server-argument.js";
import { validateConfig } from "../../config/validate-config.js";
import { checkArgument, type OptionKind, TEXT, withMethods } from "../../core/check-options.js";
import { McpCodegenError } from "../../core/errors.js";
import { findOwn, getOwn } from "../../core/json.js";
import { LOCKFILE_NAME } from "../../core/lockfile.js";
import { findLockfile } from "../../files/project-records.js";
import { check } from "../../pipeline/check/check.js";
import { pullProject } from "../../pipeline/pull/pull-project.js";
import { Project } from "../../project/project.js";
import { contentOfCheck, exitCodeOfCheck } from "../../report/report-content.js";
import { judgeChanges, printTextReport } from "../../report/render-report.js";
import { PLAIN } from "../../report/layout.js";
import { lookUpVariable } from "../../runtime/client/connect-options.js";
import type { ContractCaller, ContractOptions, ContractResult, ContractServer } from "./check-contract.js";

const CONNECTABLE = withMethods("an McpServer or a Server of the MCP SDK", "connect");

const SERVER: OptionKind = {
  words:
    "a server of the MCP SDK, a function that returns one, a transport, a command, a URL, or an object with one of these",
  is: (server) =>
    typeof server === "function" ||
    (typeof server === "string" && server.trim() !== "") ||
    CONNECTABLE.is(server) ||
    withMethods("a transport", "send").is(server) ||
    TEXT.is(findOwn(server, "command")) ||
    TEXT.is(findOwn(server, "url")),
};

/** Does the work of `checkContract`; `caller` is the function or matcher that was called, for messages. */
export async function compareContract(
  server: ContractServer,
  { lock = LOCKFILE_NAME, name, update = false, hosts }: ContractOptions,
  caller: ContractCaller,
): Promise<ContractResult> {
  checkArgument(caller, "server", server, SERVER);
  const path = resolve(lock);
  // A runner updates the lock of its matchers alone.
  const how = caller === "toMatchContract" ? "run the tests with -u" : 'set the option "update" to true';
  const loaded = await configure(server, path, { name, update, hosts, caller, how });
  const inProcess = openInProcess(server, Object.keys(loaded.config.servers), caller);
  const project = new Project(loaded, {
    access: () => Promise.resolve({ lookup: lookUpVariable, inProcess }),
  });
  const pulled = update ? (await pullProject(project, {})).servers : [];
  for (const { error } of pulled) if (error !== undefined) throw error;
  const updated = pulled.some(({ status }) => status !== "unchanged");
  const report = await check(project, {});
  const changes = judgeChanges(report.changes, project.config, {});
  const compared = {
    ...report,
    changes,
    // A contract has no code, scripts and files of agents.
    records: [],
    scripts: [],
    names: [],
    files: [],
    waivers: [],
  };
  const content = contentOfCheck(compared, {
    changes,
    failOn: project.config.check?.failOn ?? "any",
  });
  const accept = { does: "take it", command: `${how}, and commit the lock` };
  const shown = { ...content, repairs: changes.length === 0 ? [] : [accept] };
  const text = printTextReport(shown, { paint: PLAIN, width: WIDTH }).join("\n");
  return { matches: exitCodeOfCheck(content) === 0, findings: changes, hosts: report.hosts, text, updated };
}

const WIDTH = 100;

/** @param options with `how` the test writes the lock */
async function configure(
  server: ContractServer,
  lock: string,
  options: ContractOptions & { readonly caller: string; readonly how: string },
): Promise<LoadedConfig> {
  const { name, update = false, hosts, caller, how } = options;
  const dir = dirname(lock);
  if (basename(lock) !== LOCKFILE_NAME) {
    const message = `A lock is called ${LOCKFILE_NAME}, not ${JSON.stringify(basename(lock))}.`;
    throw new McpCodegenError("USAGE", message, {
      hint: "To keep several servers in one lock, set the option name. For several locks, use several folders.",
    });
  }
  const locked = await findLockfile(lock);
  if (locked === undefined && !update) {
    const message = `There is no lock at ${JSON.stringify(lock)}. To write it, ${how}, and commit it.`;
    throw new McpCodegenError("LOCK_NOT_FOUND", message);
  }
  const names = Object.keys(locked?.servers ?? {});
  const listed = names.map((each) => JSON.stringify(each)).join(", ");
  const wanted = name ?? names[0] ?? "server";
  if (name === undefined && names.length > 1) {
    const message = `The lock has several servers. Set the option "name" to one of them: ${listed}.`;
    throw new McpCodegenError("SERVER_UNKNOWN", message);
  }
  if (!names.includes(wanted) && !update) {
    const message = `The lock has no server ${JSON.stringify(wanted)}; it has ${listed || "none"}. To add the server, ${how}.`;
    throw new McpCodegenError("SERVER_UNKNOWN", message);
  }
  const project = await loadConfig({ cwd: dir });
  const beside = project?.dir === dir ? project.config : undefined;
  const others = Object.keys(beside?.servers ?? {});
  // The next pull of that project would remove it.
  if (!names.includes(wanted) && others.length > 0 && !others.includes(wanted)) {
    const message = `The lock is that of a project, whose configuration has no server ${JSON.stringify(wanted)}.`;
    throw new McpCodegenError("USAGE", message, {
      hint: "Give the test a lock in a folder of its own, with the option lock, or name a configured server.",
    });
  }
  const kept = Object.entries(getOwn(beside?.servers ?? {}, wanted) ?? {}).filter(
    ([key]) => !ENDPOINT.includes(key),
  );
  const servers = { [wanted]: { ...Object.fromEntries(kept), ...settingsOf(server) } };
  const config = await validateConfig(
    { output: false, servers, check: beside?.check ?? {}, hosts: hosts ?? beside?.hosts ?? [] },
    caller,
  );
  return { config, dir, path: join(dir, CONFIG_NAME) };
}

/** The settings that the given server replaces. */
const ENDPOINT = ["url", "command", "args", "env", "cwd"];

function settingsOf(server: ContractServer): ServerConfig {
  if (typeof server === "string") return parseServerArgument(server).settings;
  if (isInProcess(server)) return { command: IN_PROCESS };
  return server.command === undefined ? server : { ...server, cwd: resolve(server.cwd ?? ".") };
}

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
  caller: string,
): { readonly [name: string]: OpenChannel } | undefined {
  if (!isInProcess(server)) return undefined;
  const open: OpenChannel = async (events) => {
    if (typeof server === "function") {
      const made = await server();
      checkArgument(caller, "result of the function", made, CONNECTABLE);
      return openSdkServer(made)(events);
    }
    return "send" in server ? openSdkTransport(server)(events) : openSdkServer(server)(events);
  };
  return Object.fromEntries(names.map((name) => [name, open]));
}
