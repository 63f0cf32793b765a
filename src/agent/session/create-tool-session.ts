import { McpCodegenError } from "../../contract/errors.js";
import { createPolicy } from "../policy/policy.js";
import { createWarner } from "../../runtime/events.js";
import { nameMetaTools } from "../toolset/meta-tools.js";
import { ActiveSet } from "./active-set.js";
import { SessionView } from "./session-view.js";
import type { ToolProvider } from "../registry/registry.js";
import type { ToolSession, ToolSessionOptions } from "./tool-session.js";

/** Sessions without a policy have one and the same. */
const EVERYTHING = createPolicy({ writes: true });

/**
 * A session over the tools of a registry. Nothing is asked of a server before tools are needed. Sessions share nothing but
 * the index of their source's tools.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a number that is not a whole one from 1 on, a `limit` beyond `maxActive`, or a
 * `prefix` that providers would not take.
 */
export function createToolSession(source: ToolProvider, options: ToolSessionOptions = {}): ToolSession {
  const { core = [], found = [], policy = EVERYTHING, prefix = "", onWarning, embedder } = options;
  const maxActive = readCount("maxActive", options.maxActive ?? 20);
  const limit = readCount("limit", options.limit ?? Math.min(5, maxActive));
  if (limit > maxActive) {
    throw new McpCodegenError(
      "CONFIG_INVALID",
      `"limit" of the session is ${limit}, more than "maxActive" (${maxActive}).`,
      { hint: 'Raise "maxActive" or lower "limit".' },
    );
  }
  const active = new ActiveSet(maxActive);
  for (const name of found) active.add([name]);
  return new SessionView(source, {
    core,
    limit,
    maxActive,
    policy,
    warn: createWarner(onWarning),
    searchName: nameMetaTools(prefix).search,
    searchOptions: { ...(embedder && { embedder }) },
    active,
    views: new Map(),
  });
}

function readCount(name: string, value: number): number {
  if (Number.isInteger(value) && value > 0) return value;
  throw new McpCodegenError("CONFIG_INVALID", `"${name}" of the session is ${value}.`, {
    hint: "Use an integer of at least 1.",
  });
}
