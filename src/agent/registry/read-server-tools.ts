import { describeTool } from "../../contract/describe-tool.js";
import { McpCodegenError } from "../../contract/errors.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import type { ToolCaller } from "../../runtime/call-options.js";
import { connectTools } from "../../runtime/connect-tools.js";
import {
  isTool,
  type AnyTool,
  type ServerTool,
  type ToolDefinition,
  withoutContract,
  type ServerDefinition,
} from "../../runtime/tool.js";
import type { LiveSchema } from "./live-schema.js";
import type { RefusedTool, ToolEntry } from "./registry.js";
import { registerServerTool, sortByName, unlockedIn, type CacheContext } from "./make-server-tool-cache.js";
import { definitionOf, resolveSource, type ResolvedSource } from "./server-source.js";
import type { LiveList } from "./server-tool-cache.js";
import { isToolName } from "./tool-names.js";

/**
 * The tools that a program registers for a server: tools as they are, and entries of a `tools/list` answer as unlocked ones.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a malformed name, and for entries that nothing can call
 */
export function readServerTools(
  server: string,
  tools: readonly (AnyTool | ToolEntry)[],
  client: ToolCaller | undefined,
  { options, environment }: CacheContext,
): { readonly given: readonly AnyTool[]; readonly list: LiveList } {
  const configured = (options.servers ?? []).find((one) => definitionOf(one).name === server);
  const place = client === undefined ? configured : connectTools({ name: server }, {}, { client });
  const source = place && resolveSource(place, environment);
  const given = tools.filter((tool) => isTool(tool));
  const entries = tools.filter((tool): tool is ToolEntry => !isTool(tool));
  const { made, refused } = bindEntries(server, entries, source);
  const unlocked = unlockedIn(environment, source?.definition ?? { name: server });
  const registered = [
    ...given.map((tool) => registerServerTool(server, tool, undefined, options)),
    ...made.map((tool) => ({
      ...registerServerTool(server, tool, source?.environment, options),
      ...unlocked,
    })),
  ];
  return { given, list: { tools: sortByName(registered), refused } };
}

/** Tools from entries, whatever they hold. One that cannot be used is refused. */
function bindEntries(
  server: string,
  entries: readonly ToolEntry[],
  source: ResolvedSource | undefined,
): { readonly made: readonly ServerTool[]; readonly refused: readonly RefusedTool[] } {
  if (entries.length === 0) return { made: [], refused: [] };
  if (source === undefined) {
    const message = `The registry cannot call the listed tools of server ${JSON.stringify(server)}.`;
    throw new McpCodegenError("CONFIG_INVALID", message, {
      hint: "Pass the client that listed them: registerServerTools(server, tools, { client }).",
    });
  }
  const made = new Map<string, ServerTool>();
  const refused: RefusedTool[] = [];
  for (const entry of entries) {
    const read = readEntry(entry);
    const given = getOwn(read ?? {}, "name");
    const name = typeof given === "string" ? given : "";
    const problem = read === undefined ? "It is not an object." : findProblem(name, made);
    if (read === undefined || problem !== undefined)
      refused.push({ tool: name, code: "unusable", reason: problem ?? "" });
    else made.set(name, source.bind(defineEntry(source.definition, name, read)));
  }
  return { made: [...made.values()], refused };
}

/** As JSON: a program may hold anything. */
function readEntry(entry: unknown): JsonObject | undefined {
  try {
    const read: unknown = JSON.parse(JSON.stringify(entry));
    return isJsonObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function findProblem(name: string, made: ReadonlyMap<string, unknown>): string | undefined {
  if (!isToolName(name)) return "Its name is malformed.";
  return made.has(name) ? "The list has another tool with this name." : undefined;
}

function defineEntry(
  server: ServerDefinition,
  name: string,
  entry: JsonObject,
): ToolDefinition<unknown, unknown> {
  const inputSchema = getOwn(entry, "inputSchema") ?? { type: "object" };
  const outputSchema = getOwn(entry, "outputSchema");
  return {
    // The tool is not locked.
    server: withoutContract(server),
    name,
    ...describeTool(entry),
    input: readLater(inputSchema),
    ...(outputSchema !== undefined && {
      output: readLater(outputSchema),
      outputSchema: () => outputSchema,
    }),
    inputSchema: () => inputSchema,
  };
}

/** What reads schemas is loaded when a value has to be judged. One that cannot be read refuses every value. */
function readLater(raw: JsonValue): LiveSchema {
  let schema: LiveSchema | undefined;
  return {
    // Asked for after a value was judged.
    get keyRules() {
      return schema?.keyRules ?? {};
    },
    "~standard": {
      version: 1,
      vendor: "mcp-codegen",
      validate: async (value) => {
        schema ??= (await import("./live-schema.js")).readLiveSchema(raw, undefined);
        return schema["~standard"].validate(value);
      },
    },
  };
}
