import { groupBy } from "../../core/collections.js";
import { nearestName } from "../../core/nearest-name.js";
import type { RegisteredTool } from "../../core/tool.js";
import type { ToolError, ToolErrorCode } from "../../core/call.js";
import type { Issue } from "../../core/schema.js";
import { describeIssues } from "../../schema/validation/schema.js";
import type { ServerState, ToolView } from "./registry.js";
import {
  type ToolAddress,
  isModelName,
  isToolName,
  LONGEST_MODEL_NAME,
  splitToolName,
  ownNameOf,
  serverNameOf,
  toWholeName,
  wholeNameOf,
} from "../../core/tool-name.js";

export function failTool(
  tool: ToolAddress,
  code: ToolErrorCode,
  message: string,
  more: { readonly retryable?: boolean; readonly issues?: readonly Issue[]; readonly cause?: unknown } = {},
): { readonly ok: false; readonly error: ToolError } {
  const { retryable = false, ...rest } = more;
  return {
    ok: false,
    error: { code, message, retryable, tool: tool.name, server: serverNameOf(tool), ...rest },
  };
}

export function failInput(tool: ToolAddress, issues: readonly Issue[]): ReturnType<typeof failTool> {
  const message = `The input of tool ${JSON.stringify(tool.name)} is invalid: ${describeIssues(issues)}`;
  return failTool(tool, "TOOL_INVALID_INPUT", message, { issues });
}

/** The names by which tools are shown and requested. */
export interface ToolNameTable<T extends ToolAddress = RegisteredTool> {
  /** Returns the name to show: the tool's own name if there is one server and it is unambiguous, else `server__tool`. */
  readonly nameOf: (tool: T) => string;
  /** Finds the tools with this own name or `server__tool`. Several tools mean that the name is ambiguous. */
  find(name: string): readonly T[];
}

/**
 * If tools have equal registered names, the first one counts.
 *
 * @param servers the servers that may have tools, so that names stay when one of them cannot be listed
 */
export function createToolNames<T extends ToolAddress>(
  tools: readonly T[],
  servers: readonly string[] = [],
): ToolNameTable<T> {
  const last = tools.toReversed();
  const registered = new Map(last.map((tool) => [tool.name, tool]));
  const whole = new Map(last.map((tool) => [wholeNameOf(tool), tool]));
  const bare = groupBy(new Set(tools.flatMap(({ name }) => registered.get(name) ?? [])), ownNameOf);
  const find = (name: string): readonly T[] => {
    const exact = registered.get(name) ?? whole.get(toWholeName(name));
    return exact === undefined ? (bare.get(name) ?? []) : [exact];
  };
  const isOneServer = new Set([...servers, ...tools.flatMap(({ server }) => server ?? [])]).size <= 1;
  return {
    nameOf: (tool) => {
      const ownName = ownNameOf(tool);
      const isMeant = isOneServer && bare.get(ownName)?.length === 1 && find(ownName)[0] === tool;
      return isMeant ? ownName : tool.name;
    },
    find,
  };
}

/** Lists the first of many names, and says how many more there are. */
export function listFirst(names: readonly string[], most: number): string {
  const rest = names.length - most;
  return [...names.slice(0, most), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}

/** Longer names of a model are cut in messages and comparisons. */
export const LONGEST_NAME = 100;

/** Lists again the servers that may have a tool of an unknown name, as of a new plugin: each at most every five seconds. */
export async function lookUpAgain(
  source: Pick<ToolView, "servers" | "getTool">,
  name: string,
): Promise<void> {
  const names = candidatesOf(name, source.servers).map((server) =>
    isNameOf(name, server) ? name : `${server.name}__${name}`,
  );
  await Promise.all(names.map(async (toolName) => source.getTool(toolName)));
}

/** Finds a tool by its registered name, or by the name for models. Lists other servers only for a name without a server. */
export async function findCallable(
  view: Pick<ToolView, "servers" | "getTool" | "getTools">,
  name: string,
): Promise<RegisteredTool | undefined> {
  // A program without types may pass any value.
  if (typeof (name as unknown) !== "string") return undefined;
  const tool = await view.getTool(name);
  if (tool !== undefined || view.servers.some((server) => isNameOf(name, server))) return tool;
  const [only, ...others] = createToolNames(await view.getTools()).find(name);
  return others.length === 0 ? only : undefined;
}

/** Returns the error for an unknown name that is malformed, or may be a tool of a server that could not be listed. */
export function findNameError(name: string, servers: readonly ServerState[] = []): ToolError | undefined {
  const split = splitToolName(name);
  const shown = JSON.stringify(name.slice(0, LONGEST_NAME));
  if (!isToolName(split?.tool ?? name) || SERVER_ONLY.test(name)) {
    const message = `${shown} is not the name of a tool: names have 1 to 128 printable ASCII characters without spaces.`;
    return failTool({ name, server: "" }, "TOOL_INVALID_INPUT", message).error;
  }
  const error = servers.find(
    ({ name: server, error: failure, hasAllTools }) =>
      failure !== undefined && hasAllTools !== true && (split === undefined || split.server === server),
  )?.error;
  if (error === undefined) return undefined;
  return { ...error, tool: split?.tool ?? name, message: `Tool ${shown} is not known. ${error.message}` };
}

/** A name that ends where the name of a tool of the server begins. */
const SERVER_ONLY = /^[a-z][a-z0-9_]*__$/;

/**
 * Returns the failure of a call of a name that none of the tools has: see {@link findNameError}, and else `TOOL_NOT_FOUND` with
 * the nearest name.
 *
 * @param value the name, which may be any value without TypeScript
 */
export function failUnknown(
  value: unknown,
  tools: readonly ToolAddress[],
  servers: readonly ServerState[] | undefined,
): ReturnType<typeof failTool> {
  const name = String(value);
  const error = findNameError(name, servers);
  if (error !== undefined) return { ok: false, error };
  const shown = JSON.stringify(name.slice(0, LONGEST_NAME));
  const several = createToolNames(tools).find(name);
  const message =
    several.length > 1
      ? `Several tools are called ${shown}. Use one of: ${listFirst(
          several.map((tool) => JSON.stringify(tool.name)),
          10,
        )}.`
      : `There is no tool ${shown}.${describeNearest(name, tools)}`;
  return failTool({ name, server: "" }, "TOOL_NOT_FOUND", message);
}

/** Suggests the tool whose name is most similar to an unknown one, with or without its server. */
export function describeNearest(name: string, tools: readonly ToolAddress[]): string {
  const wanted = name.slice(0, LONGEST_NAME);
  const toolName = splitToolName(wanted)?.tool ?? wanted;
  const byOwn = new Map(tools.toReversed().map((tool) => [ownNameOf(tool), tool.name]));
  const names = tools.map((tool) => tool.name);
  const nearest =
    byOwn.get(toolName) ?? nearestName(wanted, names) ?? byOwn.get(nearestName(toolName, byOwn.keys()) ?? "");
  return nearest === undefined ? "" : ` Nearest: ${JSON.stringify(nearest)}.`;
}

/** Returns the servers that may have a tool of this name: the one in the name, or else all. */
function candidatesOf(name: string, servers: readonly ServerState[]): readonly ServerState[] {
  const named = servers.filter((server) => isNameOf(name, server));
  return (named.length > 0 ? named : servers).filter(({ isEnabled }) => isEnabled);
}

function isNameOf(name: string, server: ServerState): boolean {
  return splitToolName(name)?.server === server.name;
}

/**
 * Returns tools under names that every provider accepts: letters, digits, `_` and `-`, a letter or `_` first, up to a length.
 * Other names are shortened, their characters replaced, and a digest of the original name added, so that names do not depend on
 * the other tools.
 */
export function nameForModels<T extends ToolAddress>(
  tools: readonly T[],
  { nameOf }: Pick<ToolNameTable<T>, "nameOf"> = { nameOf: ({ name }) => name },
): ReadonlyMap<string, T> {
  const all = tools.map(nameOf);
  const names = new Set(all.filter(isModelName));
  const renamed = new Map<string, string>();
  // Sorted, so that the names do not depend on the order of the tools.
  for (const name of [...all].sort()) {
    if (isModelName(name)) continue;
    for (let salt = name; ; salt += "+") {
      const short = shorten(name, salt);
      if (names.has(short)) continue;
      names.add(short);
      renamed.set(name, short);
      break;
    }
  }
  return new Map(tools.map((tool, at) => [renamed.get(all[at] ?? "") ?? all[at] ?? "", tool]));
}

function shorten(name: string, salt: string): string {
  const head = name.slice(0, LONGEST_MODEL_NAME - 9).replace(/[^a-zA-Z0-9_-]/g, "_");
  return `${head.replace(/^(?=[0-9-])/, "_").slice(0, LONGEST_MODEL_NAME - 9)}_${quickDigest(salt)}`;
}

/** FNV-1a over code units, as eight digits. Not for secrets: it has to be synchronous and the same on every platform. */
export function quickDigest(text: string, basis = 0x811c9dc5): string {
  let hash = basis;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
