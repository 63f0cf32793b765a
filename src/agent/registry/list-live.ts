import { isThroughAdapter, isWordPressUrl } from "../../core/ability.js";
import { type ServerSnapshot, sourceCategory, type ToolSnapshot } from "../../core/snapshot.js";
import { McpCodegenError } from "../../core/errors.js";
import { explainUnsendable } from "../../core/hosts/fit-schema.js";
import { getOwn } from "../../core/json.js";
import type { Dialect } from "../../core/schema-ir.js";
import { limitList, listInSession, type Target } from "../../client/listing/list-in-session.js";
import type { ListedTools } from "../../client/listing/wordpress/attach-abilities.js";
import { META_TOOLS } from "../../client/listing/wordpress/read-abilities.js";
import type { Caller } from "../../runtime/client/caller.js";
import type { ServerDefinition, ServerTool, ToolDefinition } from "../../core/tool.js";
import { withoutContract } from "../../runtime/tool.js";
import { defineRawTool } from "./registered-tool.js";
import { readLiveSchema } from "../../schema/interpret/live-schema.js";
import type { RefusedTool } from "./registry.js";
import { isToolName } from "../../core/tool-name.js";

export interface LiveOptions {
  readonly server: ServerDefinition;
  /** The locked tools, by their names on the server. */
  readonly locked: ReadonlyMap<string, ServerTool>;
  readonly admitsUnlocked: boolean;
  /** Returns why a locked tool no longer keeps to the lock; nothing if it does. */
  readonly findBreaks?: ((tool: string) => readonly string[] | Promise<readonly string[]>) | undefined;
}

export interface LiveTools {
  /** Names of the locked tools that the server has. */
  readonly locked: readonly string[];
  readonly unlocked: readonly ToolDefinition<unknown, unknown>[];
  readonly refused: readonly RefusedTool[];
  /** Failures that do not prevent tools from being offered. */
  readonly notes: readonly string[];
  /** Milliseconds for which the list is fresh, as stated by the server. */
  readonly ttlMs?: number | undefined;
}

/** Milliseconds for a whole list, without connecting. */
const LIST_TIMEOUT = 10_000;
/** Milliseconds for each answer of the REST API. They count toward the time for the list. */
const REST_TIMEOUT = 5_000;

/**
 * Lists the tools of a server through a caller, and compares them with the locked ones. The time of `timeouts.list` starts
 * when the server is connected. Definitions of unlocked tools are read only if unlocked tools are admitted.
 *
 * @throws McpCodegenError `LIST_INCOMPLETE` for a list that cannot be read completely, `SERVER_TIMEOUT`, and request errors
 */
export async function listThrough(caller: Caller, options: LiveOptions): Promise<LiveTools> {
  const { server, locked, admitsUnlocked } = options;
  const limit = limitList(server.name, server.timeouts?.list ?? LIST_TIMEOUT);
  const { signal } = limit;
  // If the adapter's meta-tools are locked, they are tools like any other.
  const wordpress = locked.has(META_TOOLS.execute) ? ({ route: "tools" } as const) : undefined;
  const target: Target = { server: server.name, settings: { ...server, wordpress } };
  try {
    const listed = await caller.use(
      (session, { endpoint }) => {
        // If the list is repeated after a lost session, the remaining time applies.
        limit.start();
        return listInSession(
          target,
          { session, endpoint },
          { signal, restTimeout: REST_TIMEOUT, wants: (tool) => admitsUnlocked && !locked.has(tool) },
        );
      },
      { signal },
    );
    return await admit(listed, options);
  } finally {
    limit.release();
  }
}

/**
 * Compares the list of a server with its locked tools: the only place that decides which tools of a list are offered. A locked
 * tool is offered if the list has its name, and with `findBreaks` only if its definition also keeps to the lock.
 */
export async function admit(
  { snapshot, names, lacksRest }: ListedTools,
  { server, locked, admitsUnlocked, findBreaks = () => [] }: LiveOptions,
): Promise<LiveTools> {
  const offered = new Set(names);
  const isListed = ({ definition }: ServerTool): boolean => {
    if (offered.has(definition.name)) return true;
    // An ability that cannot be listed exists if the tool that calls it exists.
    const target = isThroughAdapter(snapshot) ? undefined : definition.through?.().toRequest({}).name;
    return target !== undefined && offered.has(target);
  };
  const kept = new Set<string>();
  for (const [name, tool] of locked)
    if (isListed(tool) && (await findBreaks(name)).length === 0) kept.add(name);
  const admitted = admitsUnlocked
    ? snapshot.tools
        .filter(({ name }) => !kept.has(name))
        .map((tool) => defineLiveTool(server, snapshot, tool))
    : names.filter((name) => !locked.has(name)).map((name) => refuseUnlocked(server, name));
  return {
    locked: [...kept],
    unlocked: admitted.flatMap((entry) => ("reason" in entry ? [] : [entry])),
    refused: admitted.flatMap((entry) => ("reason" in entry ? [entry] : [])),
    notes: lacksRest
      ? [`The categories of server "${server.name}" were not read: its REST API does not list the abilities.`]
      : [],
    ttlMs: snapshot.ttlMs,
  };
}

function refuseUnlocked({ name, contract }: ServerDefinition, tool: string): RefusedTool {
  const where = contract === undefined ? `Server "${name}" is not locked.` : `It is not locked in contract ${contract} of "${name}".`; // prettier-ignore
  return { tool, code: "not-locked", reason: `${where} Run "npx mcp-codegen pull ${name}".` };
}

/** Returns the definition that generated code would have, with interpreted schemas, or the reason why the tool is refused. */
function defineLiveTool(
  server: ServerDefinition,
  snapshot: ServerSnapshot,
  tool: ToolSnapshot,
): ToolDefinition<unknown, unknown> | RefusedTool {
  const unusable = getOwn(snapshot.unusable, tool.name);
  if (unusable !== undefined) return refuseUnusable(tool.name, unusable);
  if (!isToolName(tool.name)) return refuseUnusable(tool.name, "Its name is malformed.");
  const registered = getOwn(snapshot.abilities ?? {}, tool.name)?.definition;
  // Of a tool that is called under its own name, only the category is the ability's.
  const ability = isThroughAdapter(snapshot) ? registered : undefined;
  const isOfWordPress = ability !== undefined || isWordPress(server);
  const dialect: Dialect | undefined = server.dialect ?? (isOfWordPress ? "wordpress" : undefined);
  const problem = explainUnsendable(getOwn(tool, "inputSchema") ?? { type: "object" });
  if (problem !== undefined) return refuseUnusable(tool.name, `No model can be given it: ${problem}.`);
  const category = sourceCategory(tool, registered);
  try {
    return defineRawTool(
      withoutContract(server),
      { name: tool.name, definition: tool, ability, category, dialect },
      (schema) => readLiveSchema(schema, { ...server, dialect }),
    );
  } catch (error) {
    if (error instanceof McpCodegenError && error.code === "SCHEMA_INVALID")
      return refuseUnusable(tool.name, error.message);
    throw error;
  }
}

function refuseUnusable(tool: string, reason: string): RefusedTool {
  return { tool, code: "unusable", reason };
}

/** WordPress writes schemas in its own dialect without declaring it. */
function isWordPress({ url, environments = {} }: ServerDefinition): boolean {
  const urls = [url, ...Object.values(environments).map((settings) => settings.url)];
  return urls.some((address) => address !== undefined && isWordPressUrl(address));
}
