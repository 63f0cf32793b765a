import { type RegisteredTool, countCategories, UNCATEGORIZED } from "../registry/registered-tool.js";
import type { RefreshReport, Registry, ServerState } from "../registry/registry.js";

/** A status and a JSON body. */
export interface Answer {
  readonly status: number;
  readonly body: { readonly success: boolean; readonly [key: string]: unknown };
}

/** Every environment: whether its servers answer, and what there is. */
export async function answerStatus(registry: Registry): Promise<Answer> {
  const environments = await forAll(registry, async (member) => {
    const tools = await member.getTools();
    const errors = errorsOf(member);
    const isConnected = Object.keys(errors).length === 0;
    return {
      connected: isConnected,
      ...(!isConnected && { errors }),
      ...countTools(tools),
      servers: describeServers(member),
    };
  });
  return { status: 200, body: { success: true, environments } };
}

/** The tools of one environment, each in a line. */
export async function answerEnvironment(registry: Registry, environment: string): Promise<Answer> {
  const tools = await registry.getTools();
  const errors = errorsOf(registry);
  const failed = Object.keys(errors);
  const isDown = failed.length > 0 && failed.length === registry.servers.filter(({ isEnabled }) => isEnabled).length; // prettier-ignore
  if (isDown) {
    const error = "No server of the environment could be listed.";
    return { status: 502, body: { success: false, environment, error, errors } };
  }
  return {
    status: 200,
    body: {
      success: true,
      environment,
      total: tools.length,
      ...(failed.length > 0 && { errors }),
      servers: describeServers(registry),
      tools: tools.map(describe),
    },
  };
}

/** Lists all servers of all environments. */
export async function answerRefresh(registry: Registry): Promise<Answer> {
  const reports = new Map<string, RefreshReport>();
  const environments = await forAll(registry, async (member, name) => {
    const report = await member.refresh();
    reports.set(name, report);
    const { ok, added, removed, byCategory } = report;
    const errors = errorsOf(member);
    return { ok, added, removed, byCategory, ...(!ok && { errors }) };
  });
  const results = [...reports.values()].flatMap((report) => Object.values(report.servers));
  const isDown = results.length > 0 && results.every(({ ok }) => !ok);
  if (!isDown) return { status: 200, body: { success: true, environments } };
  const error = "No server could be listed.";
  return { status: 502, body: { success: false, error, environments } };
}

async function forAll<T>(
  registry: Registry,
  ask: (member: Registry, name: string) => Promise<T>,
): Promise<{ readonly [environment: string]: T }> {
  const entries = registry.environments.map(
    async (name) => [name, await ask(registry.for(name), name)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** By server, how many tools it has and when it was last listed. */
function describeServers({ servers }: Registry): {
  readonly [server: string]: Pick<ServerState, "toolCount" | "listedAt">;
} {
  return Object.fromEntries(
    servers.map(({ name, toolCount, listedAt }) => [
      name,
      { toolCount, ...(listedAt !== undefined && { listedAt }) },
    ]),
  );
}

/** Errors of servers that could not be listed. Their messages contain no secrets. */
function errorsOf(registry: Registry): { readonly [server: string]: string } {
  return Object.fromEntries(
    registry.servers.flatMap(({ name, error }) => (error === undefined ? [] : [[name, error.message]])),
  );
}

function countTools(tools: readonly RegisteredTool[]): {
  readonly total: number;
  readonly unlocked: number;
  readonly categories: { readonly [category: string]: number };
} {
  return {
    total: tools.length,
    unlocked: tools.filter(({ isLocked }) => !isLocked).length,
    categories: countCategories(tools),
  };
}

function describe(tool: RegisteredTool): object {
  const { name, title, description, category, server, isLocked, output } = tool;
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    category: category ?? UNCATEGORIZED,
    ...(server !== undefined && { server }),
    isLocked,
    hasInputSchema: isSchema(tool.inputSchema()),
    hasOutputSchema: output !== undefined,
  };
}

/** One that says something. */
function isSchema(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && Object.keys(schema).length > 0;
}
