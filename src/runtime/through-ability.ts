import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import type { CallAdapter } from "./tool.js";

/** What the WordPress MCP adapter puts into an object under a name of its own, because MCP knows objects alone. */
export type Wrapped = "input" | "result";

/**
 * Calls an ability of WordPress through the tool that the adapter's default server has for all of them, and takes its
 * answer out of `{ success, data }`.
 */
export function throughAbility(ability: string, wrapped: readonly Wrapped[] = []): CallAdapter {
  return {
    target: ability,
    toRequest: (input) => ({
      name: "mcp-adapter-execute-ability",
      arguments: {
        ability_name: ability,
        parameters: wrapped.includes("input") ? (getOwn(input, "input") ?? {}) : input,
      },
    }),
    fromResult(result) {
      const answer = readAnswer(result);
      // An error of the adapter itself, or an unknown answer of a newer adapter: passed on as it is.
      if (answer === undefined || getOwn(result, "isError") === true) {
        return isWithoutParameters(textOf(result)) ? failed(textOf(result)) : result;
      }
      if (getOwn(answer, "success") === false) return failed(getOwn(answer, "error"));
      const data = getOwn(answer, "data") ?? null;
      const structuredContent = wrapped.includes("result") ? { result: data } : data;
      return { content: [textBlock(JSON.stringify(structuredContent))], structuredContent };
    },
  };
}

/** `{ success, … }`, structured or as text. */
function readAnswer(result: JsonObject): JsonObject | undefined {
  const structured = getOwn(result, "structuredContent");
  const answer = isJsonObject(structured) ? structured : parse(textOf(result));
  return isJsonObject(answer) && typeof getOwn(answer, "success") === "boolean" ? answer : undefined;
}

function textOf(result: JsonObject): string {
  const content = getOwn(result, "content");
  const [block] = Array.isArray(content) ? (content as readonly JsonValue[]) : [];
  const text = isJsonObject(block) ? getOwn(block, "text") : undefined;
  return typeof text === "string" ? text : "";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failed(error: JsonValue | undefined): JsonObject {
  if (typeof error !== "string") return { content: [], isError: true };
  return {
    content: [textBlock(isWithoutParameters(error) ? `${error} ${EMPTY_HELP}` : error)],
    isError: true,
  };
}

/** Whether the adapter passed `null` to the ability: the parameters of a call are always an object. */
function isWithoutParameters(error: string): boolean {
  return /has invalid input\. Reason: input is not of type object\b/.test(error);
}

/** An ability without an input schema needs `null`, so `{}` is right for it; any other object would be refused. */
const EMPTY_HELP =
  'Some versions of the MCP adapter pass empty parameters on as null. Pass any argument, or set "defaults": "send" for this server to send arguments that have a default. The site\'s owner can update the adapter, or add \'default\' => array() to the input schema of the ability.';

function textBlock(text: string): JsonObject {
  return { type: "text", text };
}
