import { isAbilitySnapshot, isWrapped, type AbilitySnapshot } from "../../contract/ability.js";
import { getOwn, isJsonObject, type JsonValue } from "../../contract/json.js";
import type { ToolCaller } from "../call-options.js";

/** What is used of the script module `@wordpress/abilities`, which WordPress has in the editor and in admin screens. */
export interface AbilitiesModule {
  executeAbility(name: string, input?: unknown): Promise<unknown>;
  getAbilities(): readonly { readonly name: string }[];
}

/**
 * A client for `connect()` in the browser. Calls run through `executeAbility` of `@wordpress/abilities`: as the user who
 * is logged in, without MCP and without an application password. It also calls abilities that only the page has
 * registered.
 *
 * What WordPress throws, such as a refused permission, becomes `TOOL_EXECUTION_FAILED` with its message.
 */
export function abilitiesClient(abilities: AbilitiesModule): ToolCaller {
  const run = async (ability: AbilitySnapshot, input: unknown): Promise<unknown> => {
    // Without an input schema WordPress refuses every input, an empty object too.
    const hasInput = getOwn(ability, "input_schema") !== undefined || !isEmptyObject(input);
    return abilities.executeAbility(ability.name, hasInput ? input : undefined);
  };
  const find = (isIt: (name: string) => boolean): AbilitySnapshot | undefined => {
    const ability: unknown = abilities.getAbilities().find(({ name }) => isIt(name));
    return isJsonObject(ability) && isAbilitySnapshot(ability) ? ability : undefined;
  };
  return {
    async callTool({ name, arguments: given = {} }) {
      const isThrough = name === "mcp-adapter-execute-ability";
      const wanted = isThrough ? given["ability_name"] : name;
      const ability = find((each) => (isThrough ? each : toToolName(each)) === wanted);
      if (ability === undefined)
        return failed(`WordPress has not registered the ability ${JSON.stringify(wanted)}.`);
      try {
        if (isThrough)
          return { structuredContent: { success: true, data: await run(ability, given["parameters"]) } };
        const input = isWrapped(getOwn(ability, "input_schema")) ? given["input"] : given;
        const value = await run(ability, input);
        const isInside = isWrapped(getOwn(ability, "output_schema"));
        return { content: [], structuredContent: isInside ? { result: value } : value };
      } catch (error) {
        return failed(error instanceof Error ? error.message : String(error));
      }
    },
  };
}

/** As the adapter names the tool of an ability. */
function toToolName(ability: string): string {
  return ability.replaceAll("/", "-");
}

function isEmptyObject(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function failed(message: string): JsonValue {
  return { content: [{ type: "text", text: message }], isError: true };
}
