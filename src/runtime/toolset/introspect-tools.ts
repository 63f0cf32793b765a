import { byCodeUnit } from "../../contract/json.js";
import type { Policy, PolicyLayer } from "../policy/policy.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import { categoryOf } from "../registry/registry-change.js";
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
}

export interface PolicyOverview {
  readonly focusMode: string;
  /** `null` where there is none; several are joined by commas. */
  readonly role: string | null;
  /** Whether tools may be called that do not only read; by server where that differs. */
  readonly writes: boolean | { readonly [server: string]: boolean };
}

/** An overview of the tools that a policy shows. What it hides is not counted. */
export function introspectTools(
  visible: readonly RegisteredTool[],
  policy: Policy,
  {
    environments,
    titles = {},
  }: {
    readonly environments: readonly string[];
    readonly titles?: { readonly [server: string]: string } | undefined;
  },
): Overview {
  const byServer = groupBy(visible, serverNameOf);
  const servers = [...byServer].map(([name, tools]): ServerOverview => ({
    name,
    title: titleOf(name, titles),
    contract: tools.find(({ contract }) => contract !== undefined)?.contract ?? null,
    tools: tools.length,
    categories: countCategories(tools),
  }));
  return {
    servers,
    environments,
    policy: describePolicy(policy, [...byServer.keys()]),
    total: visible.length,
  };
}

/** How many tools each category has, by name. */
export function countCategories(tools: readonly RegisteredTool[]): { readonly [name: string]: number } {
  const counts = [...groupBy(tools, categoryOf)].map(([name, { length }]) => [name, length] as const);
  return Object.fromEntries(counts.sort(([a], [b]) => byCodeUnit(a, b)));
}

export function groupBy(
  tools: readonly RegisteredTool[],
  keyOf: (tool: RegisteredTool) => string,
): ReadonlyMap<string, readonly RegisteredTool[]> {
  const groups = new Map<string, RegisteredTool[]>();
  for (const tool of tools) {
    const key = keyOf(tool);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [tool]);
    else group.push(tool);
  }
  return groups;
}

function titleOf(server: string, titles: { readonly [server: string]: string }): string {
  return Object.hasOwn(titles, server) ? (titles[server] ?? server) : server;
}

/** Servers that nothing is shown of are not named. */
export function describePolicy({ layers, writes }: Policy, servers: readonly string[]): PolicyOverview {
  const named = (kind: PolicyLayer["kind"]): readonly string[] =>
    layers.filter((layer) => layer.kind === kind).map(({ name }) => name);
  const roles = named("role");
  return {
    focusMode: named("focus mode").join(", "),
    role: roles.length === 0 ? null : roles.join(", "),
    writes: typeof writes === "boolean" ? writes : Object.fromEntries(servers.map((name) => [name, Object.hasOwn(writes, name) && writes[name] === true])), // prettier-ignore
  };
}
