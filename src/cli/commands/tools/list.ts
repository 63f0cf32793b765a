import type { Finding } from "../../../core/finding.js";
import { byCodeUnit } from "../../../core/json.js";
import type { Lockfile } from "../../../core/lockfile.js";
import type { LiveServer } from "../../../pipeline/list.js";
import { type ListedServer, listServerTools } from "../../../report/list-tools.js";
import { printList, printTokenList } from "../../../report/print-list.js";
import { printUnverified } from "../../../report/text.js";
import type { Runner } from "../../command-spec.js";
import type { Context } from "../../context.js";
import { assertLocked, findLock, findProject } from "../../load-project.js";
import type { OptionValues } from "../../options.js";
import type { LIST_FLAGS } from "./spec.js";

export type ListOptions = OptionValues<typeof LIST_FLAGS>;

/**
 * Lists tools by server and category: the locked tools, which needs no configuration, those of `--server` or `--live`, or
 * without a configuration those of the editors' files.
 */
export const runList: Runner<typeof LIST_FLAGS> = async (context, servers, options) => {
  const { context: hasContext, live, raw, fidelity, signatures, server, header, bearer } = options;
  const others = [hasContext, live, raw, fidelity, signatures, server, header, bearer];
  if (others.every((option) => option === undefined || option === false)) {
    const lock = await findLock(context, await findProject(context));
    if (lock !== undefined) {
      const listed = serversOfLock(lock, servers).map((each) =>
        listServerTools(each, { byTokens: options.tokens === true }),
      );
      return reportList(context, listed, options);
    }
  }
  const { listOthers } = await import("./list-others.js");
  return listOthers(context, servers, options);
};

/** Returns the named servers of a lock, or all. Throws `SERVER_UNKNOWN` for one that is not locked. */
export function serversOfLock(lock: Lockfile, wanted: readonly string[]): readonly LiveServer[] {
  assertLocked(wanted, lock);
  return Object.entries(lock.servers)
    .filter(([server]) => wanted.length === 0 || wanted.includes(server))
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([server, block]) => ({ server, block, isLocked: true }));
}

/**
 * Prints the tools of servers.
 *
 * @param unverified the servers that could not be listed; undefined if none was asked
 */
export function reportList(
  context: Context,
  listed: readonly ListedServer[],
  { tokens = false }: ListOptions,
  unverified?: readonly Finding[],
): number {
  const exitCode = exitCodeOfList(unverified);
  const lines = tokens ? printTokenList(listed, context.paint) : printList(listed, context.paint);
  return context.report({ report: "list", exitCode, servers: listed, unverified }, [
    ...(listed.length > 0 || unverified !== undefined ? lines : EMPTY),
    ...printUnverified(unverified ?? [], context.paint),
  ]);
}

export function exitCodeOfList(unverified: readonly Finding[] = []): 0 | 3 {
  return unverified.length > 0 ? 3 : 0;
}

const EMPTY = ['The lock has no servers. Add one to the configuration and run "npx mcp-codegen pull".'];
