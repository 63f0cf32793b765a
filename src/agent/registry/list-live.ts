import { isWrapped, toolNameOf, type AbilitySnapshot } from "../../contract/ability.js";
import { describeTool } from "../../contract/describe-tool.js";
import { McpCodegenError } from "../../contract/errors.js";
import { getOwn } from "../../contract/json.js";
import { sourceCategory, type ToolSnapshot } from "../../contract/snapshot.js";
import type { RequestContext } from "../../listing/request-context.js";
import type { FoundAbility } from "../../listing/found-ability.js";
import { validateTools } from "../../listing/validate-tools.js";
import { limitList } from "../../listing/limit-list.js";
import { readAbilities, listAbilityNames } from "../../listing/list-abilities.js";
import { listTools } from "../../listing/list-pages.js";
import { ttlOfPages } from "../../listing/list-ttl.js";
import { hasMetaTools, META_TOOLS } from "../../listing/meta-tools.js";
import { projectAbilities } from "../../listing/project-abilities.js";
import { listOverRest, restOptionsOf } from "../../listing/rest-abilities.js";
import type { AbortSignalLike } from "../../transport/abort-signal.js";
import type { Endpoint } from "../../transport/endpoint.js";
import type { Caller } from "../../runtime/client/caller.js";
import {
  withoutContract,
  type ServerDefinition,
  type ServerTool,
  type ToolDefinition,
} from "../../runtime/tool.js";
import { throughAbility, type Wrapped } from "../../runtime/abilities.js";
import { readLiveSchema } from "./live-schema.js";
import type { RefusedTool } from "./registry.js";
import { isToolName } from "./tool-names.js";

export interface LiveOptions {
  readonly server: ServerDefinition;
  /** What is locked, by the server's own names. */
  readonly locked: ReadonlyMap<string, ServerTool>;
  readonly admitsUnlocked: boolean;
}

interface ListOptions extends LiveOptions {
  readonly signal: AbortSignalLike;
  readonly endpoint: Endpoint | undefined;
}

/** What a server has now. */
export interface LiveTools {
  /** Names of locked tools that it has. */
  readonly locked: readonly string[];
  readonly unlocked: readonly ToolDefinition<unknown, unknown>[];
  readonly refused: readonly RefusedTool[];
  /** What could not be read and does not keep tools from being offered. */
  readonly notes: readonly string[];
  /** Milliseconds for which the server calls the list fresh. */
  readonly ttlMs?: number;
}

/** Milliseconds for a whole list, connecting aside. */
const LIST_TIMEOUT = 10_000;
/** Milliseconds for each answer of the REST API, within those for the list. */
const REST_TIMEOUT = 5_000;

/**
 * {@link listLive} through a caller, within `timeouts.list` from the moment that the server is connected.
 *
 * @throws McpCodegenError as listing does, and `SERVER_TIMEOUT`.
 */
export async function listThrough(caller: Caller, options: LiveOptions): Promise<LiveTools> {
  const { name, timeouts } = options.server;
  const limit = limitList(name, timeouts?.list ?? LIST_TIMEOUT);
  const { signal } = limit;
  try {
    return await caller.use(
      (session, { endpoint }) => {
        // Another try of the same list has what is left of the time.
        limit.start();
        return listLive(session, { ...options, signal, endpoint });
      },
      { signal },
    );
  } finally {
    limit.release();
  }
}

/**
 * The tools of a server, whole and as it sent them, held against what is locked of it. The default server of the WordPress
 * adapter has meta-tools in place of its abilities; then those are its tools, as they are when it is locked.
 *
 * @throws McpCodegenError `LIST_INCOMPLETE` for a list that cannot be read to its end, and whatever requests throw.
 */
async function listLive(session: RequestContext, options: ListOptions): Promise<LiveTools> {
  const { server, locked, signal } = options;
  const pages = await listTools(session, { signal });
  const { tools, unusable } = validateTools(server.name, pages, session);
  const ttlMs = ttlOfPages(pages);
  // Locked meta-tools are wanted as they are.
  const areMeta = hasMetaTools(tools) && !locked.has(META_TOOLS.execute);
  const known = await askRest(tools, options);
  const found = areMeta
    ? await findAbilities(session, options, known.abilities)
    : plain(tools, unusable, known.abilities);
  const listed = new Set(tools.map(({ name }) => name));
  const isLive = ({ definition }: ServerTool): boolean => {
    if (found.names.has(definition.name)) return true;
    // An ability that cannot be listed is there as long as the tool that calls it.
    const target = areMeta ? undefined : definition.through?.().toRequest({}).name;
    return target !== undefined && listed.has(target);
  };
  const refused: RefusedTool[] = [...found.refused];
  const unlocked = found.tools.flatMap((live) => {
    if (locked.has(live.tool.name)) return [];
    const taken = options.admitsUnlocked
      ? defineLiveTool(server, live)
      : refuseUnlocked(server, live.tool.name);
    if ("reason" in taken) refused.push(taken);
    return "reason" in taken ? [] : [taken];
  });
  return {
    locked: [...locked].flatMap(([name, tool]) => (isLive(tool) ? [name] : [])),
    unlocked,
    refused,
    notes: known.notes,
    ...(ttlMs !== undefined && { ttlMs }),
  };
}

export interface LiveTool {
  readonly tool: ToolSnapshot;
  /** The ability that the tool is called through the adapter's execute tool for. */
  readonly ability?: AbilitySnapshot;
  /** The ability behind a tool that is called under its own name: the source of its category. */
  readonly registered?: AbilitySnapshot;
  readonly unusable?: string | undefined;
}

interface Found {
  readonly names: ReadonlySet<string>;
  readonly tools: readonly LiveTool[];
  readonly refused: readonly RefusedTool[];
}

type Abilities = ReadonlyMap<string, FoundAbility>;

/**
 * What the REST API of a WordPress lists, by the name of the ability: `tools/list` and the adapter's meta-tools have no
 * categories. Asked only where the answer is needed. Tools are offered without it.
 */
async function askRest(
  tools: readonly ToolSnapshot[],
  { server, locked, admitsUnlocked, signal, endpoint }: ListOptions,
): Promise<{ readonly abilities: Abilities; readonly notes: readonly string[] }> {
  const isNeeded = admitsUnlocked && tools.some(({ name }) => !locked.has(name));
  const rest = isNeeded && endpoint ? restOptionsOf({ endpoint, timeout: REST_TIMEOUT, signal }) : undefined;
  const none = { abilities: new Map<string, FoundAbility>(), notes: [] };
  if (rest === undefined) return none;
  try {
    const found = await listOverRest(rest);
    if (found !== undefined) return { abilities: found.abilities, notes: [] };
  } catch (error) {
    if (signal.aborted || !(error instanceof McpCodegenError)) throw error;
  }
  const note = `The categories of server "${server.name}" were not read: its REST API does not list the abilities.`;
  return { ...none, notes: [note] };
}

function plain(
  tools: readonly ToolSnapshot[],
  unusable: { readonly [tool: string]: string },
  known: Abilities,
): Found {
  const byTool = new Map([...known.values()].map(({ ability }) => [toolNameOf(ability.name), ability]));
  return {
    names: new Set(tools.map(({ name }) => name)),
    tools: tools.map((tool) => {
      const registered = byTool.get(tool.name);
      return { tool, ...(registered && { registered }), unusable: getOwn(unusable, tool.name) };
    }),
    refused: [],
  };
}

/** Only what may be offered is asked for: each ability is a request. */
async function findAbilities(
  session: RequestContext,
  options: ListOptions,
  known: Abilities,
): Promise<Found> {
  const { server, locked, admitsUnlocked, signal } = options;
  const names = await listAbilityNames(session, signal);
  const unknown = names.filter((name) => !locked.has(toolNameOf(name)));
  const asked = admitsUnlocked ? await readAbilities(session, unknown, { known, signal }) : [];
  const { tools, abilities = {}, unusable } = projectAbilities(server.name, asked, "0.4");
  return {
    names: new Set(names.map(toolNameOf)),
    tools: tools.map((tool) => {
      const ability = getOwn(abilities, tool.name)?.definition;
      return { tool, ...(ability && { ability }), unusable: getOwn(unusable, tool.name) };
    }),
    refused: admitsUnlocked ? [] : unknown.map((name) => refuseUnlocked(server, toolNameOf(name))),
  };
}

function refuseUnlocked({ name, contract }: ServerDefinition, tool: string): RefusedTool {
  const where = contract === undefined ? `Server "${name}" is not locked.` : `It is not locked in contract ${contract} of "${name}".`; // prettier-ignore
  return { tool, code: "not-locked", reason: `${where} Run "npx mcp-codegen pull ${name}".` };
}

/** A live tool as generated code would have it, its schemas interpreted; or why it cannot be offered. */
export function defineLiveTool(
  server: ServerDefinition,
  { tool, ability, registered, unusable }: LiveTool,
): ToolDefinition<unknown, unknown> | RefusedTool {
  if (unusable !== undefined) return refuseUnusable(tool.name, unusable);
  if (!isToolName(tool.name)) return refuseUnusable(tool.name, "Its name is malformed.");
  const dialect = ability !== undefined || isOfWordPress(server) ? "wordpress" : undefined;
  const inputSchema = getOwn(tool, "inputSchema") ?? { type: "object" };
  const outputSchema = getOwn(tool, "outputSchema");
  const category = sourceCategory(tool, ability ?? registered);
  try {
    return {
      // Of this tool nothing is locked.
      server: withoutContract(server),
      name: tool.name,
      ...describeTool(tool),
      ...(category !== undefined && { category }),
      ...(ability && { through: () => throughAbility(ability.name, wrappedOf(ability)) }),
      input: readLiveSchema(inputSchema, dialect),
      ...(outputSchema !== undefined && {
        output: readLiveSchema(outputSchema, dialect),
        outputSchema: () => outputSchema,
      }),
      ...(dialect !== undefined && { dialect }),
      inputSchema: () => inputSchema,
    };
  } catch (error) {
    if (error instanceof McpCodegenError && error.code === "SCHEMA_INVALID")
      return refuseUnusable(tool.name, error.message);
    throw error;
  }
}

function refuseUnusable(tool: string, reason: string): RefusedTool {
  return { tool, code: "unusable", reason };
}

function wrappedOf(ability: AbilitySnapshot): readonly Wrapped[] {
  return [
    ...(isWrapped(getOwn(ability, "input_schema")) ? (["input"] as const) : []),
    ...(isWrapped(getOwn(ability, "output_schema")) ? (["result"] as const) : []),
  ];
}

/** WordPress writes its schemas in a dialect of its own, and does not say so. */
function isOfWordPress({ url, environments = {} }: ServerDefinition): boolean {
  const urls: readonly (string | undefined)[] = [url, ...Object.values(environments).map((one) => one.url)];
  return urls.some((one) => one !== undefined && /\/wp-json\/|[?&]rest_route=/.test(one));
}
