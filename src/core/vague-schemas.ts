import type { Diagnostic } from "./diagnostic.js";
import { getOwn, isJsonObject, type JsonValue } from "./json.js";
import { findKeyword } from "./keywords.js";
import { printable } from "./printable.js";
import type { ToolSnapshot } from "./snapshot.js";

/** How many tools the message names. */
const NAMED = 5;

/**
 * Returns a warning where input schemas say nothing about the arguments, not even that they are an object (specification,
 * "Tool"): such a schema accepts everything, a model has to guess, and some hosts refuse it.
 */
export function findVagueSchemas(server: string, tools: readonly ToolSnapshot[]): readonly Diagnostic[] {
  const names = tools.filter((tool) => saysNothing(getOwn(tool, "inputSchema"))).map(({ name }) => name);
  if (names.length === 0) return [];
  const shown = names.slice(0, NAMED).map((name) => printable(name, 80));
  const rest = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  const list = `${shown.join(", ")}${rest}`;
  const subject =
    names.length === 1
      ? `The input schema of ${list} has`
      : `The input schemas of ${names.length} tools (${list}) have`;
  const message = `${subject} no \`type\` and no \`properties\`: any arguments are accepted, and models have to guess them.`;
  return [{ code: "SERVER_VAGUE", server, tool: "", path: "", message }];
}

function saysNothing(schema: JsonValue | undefined): boolean {
  if (!isJsonObject(schema)) return false;
  return Object.entries(schema).every(([key, value]) => {
    const keyword = findKeyword(key);
    const isDefinition = keyword?.isApart === true;
    const isEmpty = value === true || (isJsonObject(value) && Object.keys(value).length === 0);
    return keyword === undefined || isDefinition || (key === "additionalProperties" && isEmpty);
  });
}
