import { join } from "node:path";
import { McpCodegenError } from "../../contract/errors.js";
import type { LoadedConfig } from "../../config/load-config.js";
import { LOCKFILE_NAME, type Lockfile } from "../../contract/lockfile.js";
import type { Fidelity } from "../../contract/reports.js";
import { readLockfile } from "../../files/lockfile-on-disk.js";
import { listTools } from "../../report/list-tools.js";
import { printList, printTokenList } from "../../report/print-list.js";
import { findProject } from "../load-project.js";
import type { Runner } from "../runner.js";

/** The locked tools by server and category. Needs no configuration: the lock says it all, but for what fidelity depends on. */
export const runList: Runner<"list"> = async (context, servers, options) => {
  const loaded = await findProject(context);
  const lock = await readLockfile(join(loaded?.dir ?? context.io.cwd, LOCKFILE_NAME));
  const unknown = servers.find((server) => !Object.hasOwn(lock.servers, server));
  if (unknown !== undefined) {
    const known = Object.keys(lock.servers).map((name) => `"${name}"`);
    throw new McpCodegenError("SERVER_UNKNOWN", `The lock has no server "${unknown}".`, {
      hint: known.length === 0 ? 'Run "npx mcp-codegen pull" first.' : `It has ${known.join(", ")}.`,
    });
  }
  const listed = listTools(lock, {
    ...(servers.length > 0 && { servers }),
    byTokens: options.tokens === true,
    ...(options.fidelity === true && { fidelity: await loadFidelity(lock, loaded) }),
  });
  context.say(
    options.tokens === true ? printTokenList(listed, context.paint) : printList(listed, context.paint),
  );
  context.answer({ report: "list", exitCode: 0, servers: listed });
  return 0;
};

/** Schemas are read where somebody wants to know: to list them is to count bytes. */
async function loadFidelity(
  lock: Lockfile,
  loaded: LoadedConfig | undefined,
): Promise<ReadonlyMap<string, Fidelity>> {
  const { measureFidelity } = await import("../../pipeline.js");
  return measureFidelity(lock, loaded?.config);
}
