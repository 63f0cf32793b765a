import type { JsonValue } from "../../contract/json.js";
import type { SchemaIR } from "../../contract/schema-ir.js";
import { isSwitch, type Accepted } from "./accepted.js";
import type { ArgumentSchema } from "./argument-schema.js";
import { joinFlagName } from "./flag-names.js";

/** One flag of a tool, for help and completion. */
export interface ToolFlag {
  /** Without dashes, dots in keys escaped; `<n>` for the number of an item. */
  readonly name: string;
  /** The placeholder of its value: `<integer>`; absent for a switch. */
  readonly value?: string;
  /** Whether its parent object is invalid without it. */
  readonly isRequired: boolean;
  readonly isRepeatable: boolean;
  /** The values of `enum` or `const`; empty without them. */
  readonly choices: readonly JsonValue[];
  readonly description?: string;
  readonly default?: JsonValue;
}

export interface ListedFlags {
  readonly flags: readonly ToolFlag[];
  /** How many further flags were omitted. */
  readonly left: number;
}

/** Deeper values are easier to write as JSON. */
const DEEPEST = 3;

/** Lists the flags of a tool in the schema's order: required flags first, nested flags after their parent. */
export function listFlags(schema: ArgumentSchema, most: number): ListedFlags {
  const flags = listInside(schema.root, [], schema);
  return { flags: flags.slice(0, most), left: Math.max(0, flags.length - most) };
}

function listInside(
  node: SchemaIR,
  path: readonly (string | number)[],
  schema: ArgumentSchema,
): readonly ToolFlag[] {
  if (path.length >= DEEPEST) return [];
  const members = [...schema.members(node)];
  const sorted = [
    ...members.filter(([, { isRequired }]) => isRequired),
    ...members.filter(([, { isRequired }]) => !isRequired),
  ];
  return sorted.flatMap(([key, member]) => {
    const at = [...path, key];
    const flag = describeFlag(joinFlagName(at), member.schema, member.isRequired, schema);
    const item = schema.accepted(member.schema).types.has("array")
      ? schema.item(member.schema, 0)
      : undefined;
    return [
      flag,
      ...listInside(member.schema, at, schema),
      ...(item === undefined ? [] : listInside(item, [...at, "<n>"], schema)),
    ];
  });
}

function describeFlag(name: string, node: SchemaIR, isRequired: boolean, schema: ArgumentSchema): ToolFlag {
  const accepted = schema.accepted(node);
  const item = accepted.types.has("array") ? schema.item(node, 0) : undefined;
  // A flag for a list sets one item.
  const given = item === undefined ? accepted : schema.accepted(item);
  const description = schema.annotation(node, "description");
  const standard = schema.annotation(node, "default");
  return {
    name,
    ...(!isSwitch(accepted) && { value: nameValue(given) }),
    isRequired,
    isRepeatable: item !== undefined,
    choices: [...given.literals.values()],
    ...(description !== undefined && { description }),
    ...(standard !== undefined && { default: standard }),
  };
}

/** Returns the placeholder of a flag's value. */
function nameValue({ types, literals, isWhole }: Accepted): string {
  const words = [
    ...(types.has("string") ? ["string"] : []),
    ...(types.has("number") ? [isWhole ? "integer" : "number"] : []),
    ...(types.has("boolean") ? ["true|false"] : []),
    ...(types.has("object") || types.has("array") ? ["JSON"] : []),
    ...(literals.size > 0 ? ["value"] : []),
  ];
  return types.size >= 6 || words.length === 0 ? "<value>" : `<${words.join("|")}>`;
}
