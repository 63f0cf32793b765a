import { messageOf } from "../core/errors.js";
import { isWrapped, toolNameOf, type AbilitySnapshot } from "../core/ability.js";
import { checkArgument, withMethods } from "../core/check-options.js";
import {
  findOwn,
  getOwn,
  isJsonObject,
  isNamedObject,
  type JsonObject,
  type JsonValue,
  listOrEmpty,
} from "../core/json.js";
import { tryParseExactly, writeExactly } from "../core/exact-json.js";
import type { ToolCaller } from "../core/call.js";
import type { CallAdapter } from "../core/tool.js";
/** The values that the WordPress MCP adapter wraps into an object, since MCP allows only objects. */
export type Wrapped = "input" | "result";

/** Calls a WordPress ability through the one tool of the adapter's default server, and unwraps its answer `{ success, data }`. */
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
      // An error of the adapter itself, or an unknown answer of a newer adapter, is passed on unchanged.
      if (answer === undefined || getOwn(result, "isError") === true) {
        return isWithoutParameters(textOf(result)) ? failure(textOf(result)) : result;
      }
      if (getOwn(answer, "success") === false) return failure(getOwn(answer, "error"));
      const data = getOwn(answer, "data") ?? null;
      const structuredContent = wrapped.includes("result") ? { result: data } : data;
      return { content: [textBlock(writeExactly(structuredContent))], structuredContent };
    },
  };
}

/** Returns `{ success, … }`, structured or from a text. */
function readAnswer(result: JsonObject): JsonObject | undefined {
  const structured = getOwn(result, "structuredContent");
  const answer = isJsonObject(structured) ? structured : tryParseExactly(textOf(result));
  return isJsonObject(answer) && typeof getOwn(answer, "success") === "boolean" ? answer : undefined;
}

function textOf(result: JsonObject): string {
  const text = findOwn(listOrEmpty(getOwn(result, "content"))[0], "text");
  return typeof text === "string" ? text : "";
}

function failure(error: JsonValue | undefined): JsonObject {
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
  'Some versions of the MCP adapter pass empty parameters on as null. Pass any argument, or set "defaults": "parse" for this server to send arguments that have a default. The site\'s owner can update the adapter, or add \'default\' => array() to the input schema of the ability.';

function textBlock(text: string): JsonObject {
  return { type: "text", text };
}

/** The part of the script module `@wordpress/abilities` that is used. WordPress loads it in the editor and in admin screens. */
export interface AbilitiesModule {
  executeAbility(name: string, input?: unknown): Promise<unknown>;
  getAbilities(): readonly { readonly name: string }[];
}

const MODULE = /* @__PURE__ */ withMethods(
  "the module @wordpress/abilities",
  "executeAbility",
  "getAbilities",
);

/**
 * Returns a client for `connect()` in the browser. It calls `executeAbility` of `@wordpress/abilities` as the user who is
 * logged in, without MCP and without an application password. Abilities that only the page has registered work too.
 *
 * An error of WordPress, such as a refused permission, becomes `TOOL_EXECUTION_FAILED` with its message.
 */
export function abilitiesClient(abilities: AbilitiesModule): ToolCaller {
  checkArgument("abilitiesClient", "abilities", abilities, MODULE);
  const run = async (ability: AbilitySnapshot, input: unknown): Promise<unknown> => {
    // Without an input schema WordPress refuses every input, an empty object too.
    const hasInput = getOwn(ability, "input_schema") !== undefined || !isEmptyObject(input);
    return abilities.executeAbility(ability.name, hasInput ? input : undefined);
  };
  const find = (isIt: (name: string) => boolean): AbilitySnapshot | undefined => {
    const ability: unknown = abilities.getAbilities().find(({ name }) => isIt(name));
    return isNamedObject(ability) ? ability : undefined;
  };
  return {
    async callTool({ name, arguments: toolInput = {} }) {
      const isThrough = name === "mcp-adapter-execute-ability";
      const wanted = isThrough ? toolInput["ability_name"] : name;
      const ability = find((each) => (isThrough ? each : toolNameOf(each)) === wanted);
      if (ability === undefined)
        return failure(`WordPress has not registered the ability ${JSON.stringify(wanted)}.`);
      try {
        if (isThrough)
          return { structuredContent: { success: true, data: await run(ability, toolInput["parameters"]) } };
        const input = isWrapped(getOwn(ability, "input_schema")) ? toolInput["input"] : toolInput;
        const value = await run(ability, input);
        const isInside = isWrapped(getOwn(ability, "output_schema"));
        return { content: [], structuredContent: isInside ? { result: value } : value };
      } catch (error) {
        return failure(messageOf(error));
      }
    },
  };
}

function isEmptyObject(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
