import { groupBy } from "../../contract/collections.js";
import { byCodeUnit } from "../../contract/json.js";
import { oneLine } from "../../contract/one-line.js";
import type { Policy, PolicyLayer } from "../policy/policy.js";
import { type RegisteredTool, countCategories } from "../registry/registered-tool.js";
import type { ServerState } from "../registry/registry.js";
import { serverNameOf } from "../registry/tool-names.js";

/** What there is, and what is allowed. */
export interface Overview {
  readonly servers: readonly ServerOverview[];
  readonly environments: readonly string[];
  readonly policy: PolicyOverview;
  /** How many tools there are. */
  readonly total: number;
}

export interface ServerOverview {
  /** `static` for the program's own tools. */
  readonly name: string;
  readonly title: string;
  /** `null` where nothing is locked. */
  readonly contract: string | null;
  readonly tools: number;
  readonly categories: { readonly [name: string]: number };
  /** How many of the tools that it lists are not offered, by reason: `not-locked` or `unusable`. */
  readonly notOffered?: { readonly [reason: string]: number };
  /** Why it could not be asked for its tools; those counted here are from an earlier list. */
  readonly error?: string;
}

export interface PolicyOverview {
  readonly focusMode: string;
  /** `null` where there is none; several are joined by commas. */
  readonly role: string | null;
  /** Whether tools may be called that do not only read; by server where that differs. */
  readonly writes: boolean | { readonly [server: string]: boolean };
}

/** Characters of a reason, which may hold a server's words. */
const LONGEST_ERROR = 300;

/** An overview of the tools that a policy shows. What it hides is not counted. */
export function introspectTools(
  visible: readonly RegisteredTool[],
  policy: Policy,
  {
    environments,
    states = [],
    titles = {},
  }: {
    readonly environments: readonly string[];
    readonly states?: readonly ServerState[] | undefined;
    readonly titles?: { readonly [server: string]: string } | undefined;
  },
): Overview {
  const errors = new Map(
    states.flatMap(({ name, error }) => (error ? [[name, error.message] as const] : [])),
  );
  // A server that was never listed is named as well. One whose tools are all hidden is not.
  const refusals = new Map(
    states.map(({ name, refused = [] }) => [name, countBy(refused, ({ code }) => code)]),
  );
  const absent = states.filter(
    ({ name, toolCount, refused }) => toolCount === 0 && (errors.has(name) || refused !== undefined),
  );
  const byServer = new Map<string, readonly RegisteredTool[]>([
    ...absent.map(({ name }) => [name, []] as const),
    ...groupBy(visible, serverNameOf),
  ]);
  const servers = [...byServer].map(([name, tools]): ServerOverview => {
    const error = errors.get(name);
    const notOffered = refusals.get(name) ?? {};
    return {
      name,
      title: titleOf(name, titles),
      contract: tools.find(({ contract }) => contract !== undefined)?.contract ?? null,
      tools: tools.length,
      categories: countCategories(tools),
      ...(Object.keys(notOffered).length > 0 && { notOffered }),
      ...(error !== undefined && { error: oneLine(error, LONGEST_ERROR) }),
    };
  });
  return {
    servers,
    environments,
    policy: describePolicy(policy, [...byServer.keys()]),
    total: visible.length,
  };
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): { readonly [key: string]: number } {
  const counts = [...groupBy(items, keyOf)].map(([name, { length }]) => [name, length] as const);
  return Object.fromEntries(counts.sort(([a], [b]) => byCodeUnit(a, b)));
}

function titleOf(server: string, titles: { readonly [server: string]: string }): string {
  return Object.hasOwn(titles, server) ? (titles[server] ?? server) : server;
}

/** Servers that nothing is shown of are not named. */
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
