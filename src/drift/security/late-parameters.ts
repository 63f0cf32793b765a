import { getOwn, isJsonObject, type JsonValue } from "../../contract/json.js";
import { measureDepths } from "./measure-depths.js";
import { textsOf, type FoundText } from "./texts-of.js";

const INPUT = "/inputSchema";

/** Whether a text is the name of a parameter, at whatever depth. */
export function isParameter({ path, isKey }: FoundText): boolean {
  return isKey && path.startsWith(`${INPUT}/`) && /\/properties\/[^/]*$/.test(path);
}

/**
 * Returns a test for late parameters: the earlier definition did not have their name, or only at a greater depth. Only
 * the depth matters, since definitions are renamed and branches move: an optional parameter deep in the schema does not
 * justify asking every caller for the same value.
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

/** Returns the depth of a parameter; infinite if no path leads to it, since models still read its name. */
function depthsOf(definition: JsonValue): (parameter: FoundText) => number {
  const schema = isJsonObject(definition) ? getOwn(definition, INPUT.slice(1)) : undefined;
  const depths = measureDepths(schema ?? {});
  return ({ path }) => depths.get(path.slice(INPUT.length)) ?? Infinity;
}
