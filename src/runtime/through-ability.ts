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
      if (answer === undefined || getOwn(result, "isError") === true) return result;
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
  return { content: typeof error === "string" ? [textBlock(error)] : [], isError: true };
}

function textBlock(text: string): JsonObject {
  return { type: "text", text };
}
