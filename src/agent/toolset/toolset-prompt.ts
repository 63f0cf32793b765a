import { describeUnlisted } from "../adapters/prompt-text.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import type { ServerState } from "../registry/registry.js";
import { HOW_TO_CALL, introduceTools, listCategories } from "../session/session-prompt.js";
import type { MetaNames } from "./toolset-error.js";

/**
 * How a model works with a toolset, and what there is to be found. Of the servers' words it holds names of servers and
 * categories alone, each on one line, cut, and without control characters.
 */
export function writeToolsetPrompt(
  visible: readonly RegisteredTool[],
  { search, describe, execute }: MetaNames,
  environment: string | undefined,
  servers?: readonly ServerState[],
): string {
  const unlisted = describeUnlisted(servers);
  if (visible.length === 0) return ["You have no tools.", ...unlisted].join(" ");
  return [
    `${introduceTools(visible, environment)} You do not see them. Find them with ${search}, in plain words or by a category from the list below; read their arguments with ${describe}; call them with ${execute}, such as {"tool": "name", "args": {}}.`,
    "",
    "Tool categories:",
    ...listCategories(visible),
    "",
    ...unlisted,
    HOW_TO_CALL,
  ].join("\n");
}
