import { getOwn, isJsonObject, type JsonValue } from "../../contract/json.js";
import { measureDepths } from "./measure-depths.js";
import { textsOf, type FoundText } from "./texts-of.js";

const INPUT = "/inputSchema";

/** Whether a text is the name of a parameter, at whatever depth. */
export function isParameter({ path, isKey }: FoundText): boolean {
  return isKey && path.startsWith(`${INPUT}/`) && /\/properties\/[^/]*$/.test(path);
}

/**
 * Returns a test for late parameters: those whose name the earlier definition lacked, or had only farther from the top.
 * The position in the schema does not matter, since definitions are renamed and branches move. The depth does: a name deep
 * in a part that few callers fill in does not permit asking every caller for it.
 */
export function compareParameters(before: JsonValue, after: JsonValue): (parameter: FoundText) => boolean {
  const depthBefore = depthsOf(before);
  const nearest = new Map<string, number>();
  for (const parameter of textsOf(before, "").filter(isParameter)) {
    const known = nearest.get(parameter.text);
    const depth = depthBefore(parameter);
    if (known === undefined || depth < known) nearest.set(parameter.text, depth);
  }
  const depthAfter = depthsOf(after);
  return (parameter) => {
    const known = nearest.get(parameter.text);
    return known === undefined || depthAfter(parameter) < known;
  };
}

/** What nothing leads to is there for those who read the schema, farther away than all else. */
function depthsOf(definition: JsonValue): (parameter: FoundText) => number {
  const schema = isJsonObject(definition) ? getOwn(definition, INPUT.slice(1)) : undefined;
  const depths = measureDepths(schema ?? {});
  return ({ path }) => depths.get(path.slice(INPUT.length)) ?? Infinity;
}
