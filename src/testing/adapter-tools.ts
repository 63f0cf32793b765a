import { isWrapped, type AbilitySnapshot } from "../core/ability.js";
import { findOwn, getOwn, isJsonArray, type JsonObject, type JsonValue } from "../core/json.js";
import type { LockedServer } from "../core/lockfile.js";
import type { ToolSnapshot } from "../core/snapshot.js";
import { RpcError } from "../client/server-errors.js";
import { failedResult, resultOf } from "./answer-source.js";

const INVALID_PARAMS = -32602;

type CallTool = (tool: string, args: JsonObject) => Promise<JsonObject>;

const NAMED = {
  type: "object",
  properties: { ability_name: { type: "string" } },
  required: ["ability_name"],
};
const EXECUTED = { ...NAMED, properties: { ...NAMED.properties, parameters: {} } };

/** The tools of the WordPress MCP adapter's default server, which lists them instead of the abilities. */
export const ADAPTER_TOOLS: readonly ToolSnapshot[] = [
  {
    name: "mcp-adapter-discover-abilities",
    description: "Lists the abilities.",
    inputSchema: { type: "object" },
  },
  { name: "mcp-adapter-get-ability-info", description: "Describes one ability.", inputSchema: NAMED },
  { name: "mcp-adapter-execute-ability", description: "Executes one ability.", inputSchema: EXECUTED },
];

/**
 * Answers a call of one of the adapter's tools as the adapter does.
 *
 * @throws RpcError for another tool, and errors of `callTool`
 * @param callTool calls the locked tool of an ability
 */
export async function callThroughAdapter(
  { tools }: LockedServer,
  name: string,
  args: JsonObject,
  callTool: CallTool,
): Promise<JsonObject> {
  if (!ADAPTER_TOOLS.some((tool) => tool.name === name))
    throw new RpcError("tools/call", { code: INVALID_PARAMS, message: `Unknown tool: ${name}` });
  const abilities = Object.entries(tools).flatMap(([tool, { ability }]) =>
    ability === undefined ? [] : [{ tool, ability: ability.definition }],
  );
  if (name === "mcp-adapter-discover-abilities")
    return resultOf({ abilities: abilities.map(({ ability }) => summaryOf(ability)) });
  const wanted = getOwn(args, "ability_name");
  const found = abilities.find(({ ability }) => ability.name === wanted);
  if (found === undefined) return failedResult(`Ability ${JSON.stringify(wanted ?? null)} is not locked.`);
  const { tool, ability } = found;
  if (name === "mcp-adapter-get-ability-info") return resultOf(ability);
  const parameters = getOwn(args, "parameters") ?? {};
  const input = isWrapped(getOwn(ability, "input_schema")) ? { input: parameters } : objectOr(parameters);
  const result = await callTool(tool, input);
  if (getOwn(result, "isError") === true) return result;
  const value = getOwn(result, "structuredContent") ?? textOf(result);
  const data = isWrapped(getOwn(ability, "output_schema")) ? (findOwn(value, "result") ?? null) : value;
  return resultOf({ success: true, data });
}

function summaryOf(ability: AbilitySnapshot): JsonObject {
  const keys = ["name", "label", "description"].filter((key) => Object.hasOwn(ability, key));
  return Object.fromEntries(keys.map((key) => [key, getOwn(ability, key) ?? null]));
}

/** PHP writes an empty object as an empty list. */
function objectOr(value: JsonValue): JsonObject {
  return typeof value === "object" && value !== null && !isJsonArray(value) ? value : {};
}

/** Returns the text of a result, parsed if it is JSON. */
function textOf(result: JsonObject): JsonValue {
  const content = getOwn(result, "content");
  const text = findOwn(isJsonArray(content) ? content[0] : undefined, "text");
  if (typeof text !== "string") return null;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
