import type { Change } from "../contract/change.js";
import { getOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { splitPointer } from "../contract/json-pointer.js";
import type { ToolSnapshot } from "../contract/snapshot.js";
import type { ToolModule } from "./tool-finder.js";

/** Definitions of tools by {@link keyOfTool}; undefined for a removed tool. */
export type Definitions = ReadonlyMap<string, ToolSnapshot | undefined>;

export function keyOfTool({ server, tool }: Pick<ToolModule, "server" | "tool">): string {
  return JSON.stringify([server, tool]);
}

/** Returns the changed tools with the definitions that they have after these changes and no others. */
export function applyChanges(
  changes: readonly Change[],
  before: readonly ToolModule[],
  after: readonly ToolModule[],
): Definitions {
  const targets = new Map(after.map((tool) => [keyOfTool(tool), tool.definition]));
  return new Map(
    before.flatMap((tool): readonly [string, ToolSnapshot | undefined][] => {
      const own = changes.filter((change) => change.server === tool.server && change.tool === tool.tool);
      const target = targets.get(keyOfTool(tool));
      if (own.length === 0) return [];
      const definition =
        target && own.reduce((changed, change) => applyChange(changed, target, change), tool.definition);
      return [[keyOfTool(tool), definition]];
    }),
  );
}

/** Returns a definition with what the new one has at the place of the change. */
function applyChange(definition: ToolSnapshot, target: ToolSnapshot, change: Change): ToolSnapshot {
  const steps = splitPointer(change.path);
  const isProperty = steps.at(-2) === "properties";
  const changed = isProperty
    ? editAt(definition, target, steps.slice(0, -2), (was, is) => copyProperty(was, is, change))
    : editAt(definition, target, steps, (_was, is) => is);
  return isJsonObject(changed) ? { ...changed, name: definition.name } : definition;
}

type Edit = (was: JsonValue | undefined, is: JsonValue | undefined) => JsonValue | undefined;

/** Edits the value at a place of two documents. Where their forms differ on the way, the second is taken. */
function editAt(
  was: JsonValue | undefined,
  is: JsonValue | undefined,
  [step, ...rest]: readonly string[],
  edit: Edit,
): JsonValue | undefined {
  if (step === undefined) return edit(was, is);
  if (isJsonObject(was) && isJsonObject(is))
    return withKey(was, step, editAt(getOwn(was, step), getOwn(is, step), rest, edit));
  if (!isJsonArray(was) || !isJsonArray(is) || was.length !== is.length) return is;
  return was.map((item, index) =>
    String(index) === step ? (editAt(item, is[index], rest, edit) ?? item) : item,
  );
}

/** An object schema with the changed property, and whether it is required, of another. */
function copyProperty(
  was: JsonValue | undefined,
  is: JsonValue | undefined,
  { rule, path, before }: Change,
): JsonValue | undefined {
  if (!isJsonObject(was) || !isJsonObject(is)) return is;
  const isRenamed = rule.endsWith("-property-renamed") && typeof before === "string";
  const names = [...(isRenamed ? [before] : []), ...splitPointer(path).slice(-1)];
  const propertiesOf = (schema: JsonObject): JsonObject => {
    const properties = getOwn(schema, "properties");
    return isJsonObject(properties) ? properties : {};
  };
  const requiredOf = (schema: JsonObject): readonly JsonValue[] => {
    const required = getOwn(schema, "required");
    return isJsonArray(required) ? required : [];
  };
  const isChanged = (name: JsonValue): boolean => names.some((changed) => changed === name);
  const required = [
    ...requiredOf(was).filter((name) => !isChanged(name)),
    ...requiredOf(is).filter(isChanged),
  ];
  // The schema of a property that is now required, or no longer, may have changes of its own.
  const properties = /-became-(?:required|optional)$/.test(rule)
    ? propertiesOf(was)
    : names.reduce((all, name) => withKey(all, name, getOwn(propertiesOf(is), name)), propertiesOf(was));
  return { ...was, properties, required };
}

function withKey(object: JsonObject, key: string, value: JsonValue | undefined): JsonObject {
  if (value !== undefined) return { ...object, [key]: value };
  return Object.fromEntries(Object.entries(object).filter(([other]) => other !== key));
}
