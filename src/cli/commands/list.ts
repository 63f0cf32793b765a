import { join } from "node:path";
import { McpCodegenError } from "../../contract/errors.js";
import type { LoadedConfig } from "../../config/load-config.js";
import { LOCKFILE_NAME, type Lockfile } from "../../contract/lockfile.js";
import type { Fidelity } from "../../contract/reports.js";
import { readLockfile } from "../../files/lockfile-on-disk.js";
import { listTools } from "../../report/list-tools.js";
import { printList, printTokenList } from "../../report/print-list.js";
import { readServerOptions } from "../ad-hoc-server.js";
import type { Context } from "../context.js";
import { findProject } from "../load-project.js";
import { withTools } from "../open-tools.js";
import type { Runner } from "../runner.js";

/** The tools by server and category: those of the lock, which needs no configuration, or of the server of `--server`. */
export const runList: Runner<"list"> = async (context, servers, options) => {
  const { fidelity, tokens, ...serverOptions } = options;
  const named = await readServerOptions(context, serverOptions);
  if (named !== undefined && servers.length > 0) {
    throw new McpCodegenError("USAGE", "--server and names of servers exclude each other.", {
      hint: "Give one or the other.",
    });
  }
  if (named?.kind === "ad-hoc") {
    return withTools(context, serverOptions, ({ lock, project }) =>
      show(context, lock, { project, isLocked: false, fidelity, tokens }),
    );
  }
  const project = await findProject(context);
  const lock = await readLockfile(join(project?.dir ?? context.io.cwd, LOCKFILE_NAME));
  const wanted = named === undefined ? servers : [named.name];
  assertLocked(wanted, lock);
  return show(context, lock, { project, isLocked: true, servers: wanted, fidelity, tokens });
};

function assertLocked(servers: readonly string[], lock: Lockfile): void {
  const unknown = servers.find((server) => !Object.hasOwn(lock.servers, server));
  if (unknown === undefined) return;
  const known = Object.keys(lock.servers).map((name) => `"${name}"`);
  throw new McpCodegenError("SERVER_UNKNOWN", `The lock has no server "${unknown}".`, {
    hint: known.length === 0 ? 'Run "npx mcp-codegen pull" first.' : `It has ${known.join(", ")}.`,
  });
}

interface Shown {
  readonly project: LoadedConfig | undefined;
  readonly isLocked: boolean;
  /** All of them by default. */
  readonly servers?: readonly string[];
  readonly fidelity: boolean | undefined;
  readonly tokens: boolean | undefined;
}

async function show(
  context: Context,
  lock: Lockfile,
  { project, isLocked, servers = [], fidelity = false, tokens = false }: Shown,
): Promise<number> {
  const listed = listTools(lock, {
    ...(servers.length > 0 && { servers }),
    byTokens: tokens,
    isLocked,
    ...(fidelity && { fidelity: await loadFidelity(lock, project) }),
  });
  context.say(tokens ? printTokenList(listed, context.paint) : printList(listed, context.paint));
  context.answer({ report: "list", exitCode: 0, servers: listed });
  return 0;
}

/** Schemas are read where somebody wants to know: to list them is to count bytes. */
async function loadFidelity(
  lock: Lockfile,
  loaded: LoadedConfig | undefined,
): Promise<ReadonlyMap<string, Fidelity>> {
  const { measureFidelity } = await import("../../pipeline.js");
  return measureFidelity(lock, loaded?.config);
}
