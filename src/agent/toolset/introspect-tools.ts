import { groupBy } from "../../core/collections.js";
import { byCodeUnit } from "../../core/json.js";
import { oneLine } from "../../core/printable.js";
import type { Policy, PolicyLayer } from "../policy/policy.js";
import { type RegisteredTool, countCategories } from "../registry/registered-tool.js";
import type { RefusedTool } from "../registry/registry.js";
import { serverNameOf } from "../registry/tool-names.js";
import { objectOf, type MetaCall, type MetaToolDefinition } from "./meta-tool.js";
import { answerWith } from "./toolset-answer.js";
import { LONGEST_NAME } from "./toolset-error.js";

/** The tools of a toolset by server, and what its policy allows. */
export interface Overview {
  readonly servers: readonly ServerOverview[];
  readonly environments: readonly string[];
  readonly policy: PolicyOverview;
  /** The number of tools. */
  readonly total: number;
}

export interface ServerOverview {
  /** `static` for the program's own tools. */
  readonly name: string;
  readonly title: string;
  /** The version of the locked contract; `null` if nothing is locked. */
  readonly contract: string | null;
  readonly tools: number;
  readonly categories: { readonly [name: string]: number };
  /** The numbers of listed tools that are not offered, by reason: `not-locked` or `unusable`. */
  readonly notOffered?: { readonly [reason: string]: number } | undefined;
  /** The first of these tools. A tool that is not locked has its code as the reason. */
  readonly refused?: readonly { readonly tool: string; readonly reason: string }[] | undefined;
  /** Why the server could not be listed. The tools counted here are from an earlier list. */
  readonly error?: string | undefined;
}

export interface PolicyOverview {
  readonly focusMode: string;
  /** `null` without a role; several roles are joined by commas. */
  readonly role: string | null;
  /** Whether tools that do not only read may be called; by server if that differs. */
  readonly writes: boolean | { readonly [server: string]: boolean };
}

/** Reasons may be a server's words. */
const LONGEST_ERROR = 300;
const MOST_REFUSED = 10;

/** Answers with an {@link Overview}. */
export const introspect: MetaToolDefinition = {
  name: "introspect",
  describe: () => "Overview: servers, tool counts by category, environments, permissions.",
  inputSchema: objectOf({}),
  answer: async (_args, call) => answerWith(await readOverview(call)),
};

/** Counts the tools that the policy shows, and only those. */
export async function readOverview({ source, titles = {}, view }: MetaCall): Promise<Overview> {
  const { visible } = await view.open();
  // Read after the tools, since listing them updates these.
  const { environments, servers: states = [] } = source;
  const errors = new Map(
    states.flatMap(({ name, error }) => (error ? [[name, error.message] as const] : [])),
  );
  // Includes servers that were never listed, but not those whose tools are all hidden.
  const refusals = new Map(states.map(({ name, refused }) => [name, refused]));
  const absent = states.filter(
    ({ name, toolCount, refused }) => toolCount === 0 && (errors.has(name) || refused !== undefined),
  );
  const byServer = new Map<string, readonly RegisteredTool[]>([
    ...absent.map(({ name }) => [name, []] as const),
    ...groupBy(visible, serverNameOf),
  ]);
  const servers = [...byServer].map(([name, tools]): ServerOverview => {
    const error = errors.get(name);
    const refused = refusals.get(name);
    return {
      name,
      title: titleOf(name, titles),
      contract: tools.find(({ contract }) => contract !== undefined)?.contract ?? null,
      tools: tools.length,
      categories: countCategories(tools),
      notOffered: refused && countBy(refused, ({ code }) => code),
      refused: refused?.slice(0, MOST_REFUSED).map(describeRefused),
      error: error === undefined ? undefined : oneLine(error, LONGEST_ERROR),
    };
  });
  return {
    servers,
    environments,
    policy: describePolicy(view.policy, [...byServer.keys()]),
    total: visible.length,
  };
}

function describeRefused({ tool, code, reason }: RefusedTool): { tool: string; reason: string } {
  const why = code === "not-locked" ? code : oneLine(reason, LONGEST_ERROR);
  return { tool: oneLine(tool, LONGEST_NAME), reason: why };
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): { readonly [key: string]: number } {
  const counts = [...groupBy(items, keyOf)].map(([name, { length }]) => [name, length] as const);
  return Object.fromEntries(counts.sort(([a], [b]) => byCodeUnit(a, b)));
}

function titleOf(server: string, titles: { readonly [server: string]: string }): string {
  return Object.hasOwn(titles, server) ? (titles[server] ?? server) : server;
}

/** Names only servers with visible tools. */
function describePolicy({ layers, writes }: Policy, servers: readonly string[]): PolicyOverview {
  const named = (kind: PolicyLayer["kind"]): readonly string[] =>
    layers.filter((layer) => layer.kind === kind).map(({ name }) => name);
  const roles = named("role");
  return {
    focusMode: named("focus mode").join(", "),
    role: roles.length === 0 ? null : roles.join(", "),
    writes: typeof writes === "boolean" ? writes : Object.fromEntries(servers.map((name) => [name, Object.hasOwn(writes, name) && writes[name] === true])), // prettier-ignore
  };
}
