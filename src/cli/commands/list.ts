import { join } from "node:path";
import { McpCodegenError } from "../../contract/errors.js";
import { LOCKFILE_NAME } from "../../contract/lockfile.js";
import { readLockfile } from "../../files/lockfile-on-disk.js";
import { listTools } from "../../report/list-tools.js";
import { printList } from "../../report/print-list.js";
import { findProject } from "../load-project.js";
import type { Runner } from "../runner.js";

/** The locked tools by server and category. Needs no configuration: the lock says it all. */
export const runList: Runner<"list"> = async (context, servers) => {
  const loaded = await findProject(context);
  const lock = await readLockfile(join(loaded?.dir ?? context.io.cwd, LOCKFILE_NAME));
  const unknown = servers.find((server) => !Object.hasOwn(lock.servers, server));
  if (unknown !== undefined) {
    const known = Object.keys(lock.servers).map((name) => `"${name}"`);
    throw new McpCodegenError("SERVER_UNKNOWN", `The lock has no server "${unknown}".`, {
      hint: known.length === 0 ? 'Run "npx mcp-codegen pull" first.' : `It has ${known.join(", ")}.`,
    });
  }
  const listed = listTools(lock, servers.length > 0 ? servers : undefined);
  context.say(printList(listed, context.paint));
  context.answer({ report: "list", exitCode: 0, servers: listed });
  return 0;
};
