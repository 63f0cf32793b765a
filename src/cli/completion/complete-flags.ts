import type { SchemaIR } from "../../contract/schema-ir.js";
import { parseSchema } from "../../schema/parse-schema.js";
import { isAccepted, printText } from "../call-flags/accepted.js";
import { ArgumentSchema } from "../call-flags/argument-schema.js";
import { findPlace, joinFlagName, splitFlag, splitFlagName } from "../call-flags/flag-names.js";
import type { NamedTool } from "./locked-names.js";

/** A word to insert at the cursor, with a description. */
export interface Candidate {
  readonly value: string;
  readonly about?: string;
}

/** The completions after a tool's name. */
export interface ToolFlags {
  /** Whether the tool has a parameter of this name. */
  has(name: string): boolean;
  /** The flags that may begin with the word. */
  names(word: string): readonly Candidate[];
  /** The values of a flag; undefined for an unknown flag. */
  values(flag: string): readonly Candidate[] | undefined;
}

/** Completes the flags of a tool; nested flags after the name of their object is typed. */
export function completeFlags({ inputSchema, dialect }: NamedTool): ToolFlags {
  const schema = new ArgumentSchema(parseSchema(inputSchema, { defaultDialect: dialect }));
  return {
    has: (name) => schema.members(schema.root).has(name),
    names: (word) => namesFor(word, schema),
    values: (flag) => {
      const place = findPlace(splitFlagName(splitFlag(flag).name), schema);
      return "within" in place ? undefined : valuesOf(place.schema, schema);
    },
  };
}

function namesFor(word: string, schema: ArgumentSchema): readonly Candidate[] {
  const isNegated = word.startsWith("--no-");
  const keys = splitFlagName(word.slice(isNegated ? "--no-".length : "--".length));
  const above = keys.slice(0, -1);
  const place = findPlace(above, schema);
  const direct = "within" in place ? [] : listMembers(place.schema, place.path, schema);
  const switches = direct.filter(({ node }) => isAccepted(false, schema.accepted(node)));
  const negated = isNegated ? switches.map((one) => ({ ...one, flag: one.flag.replace("--", "--no-") })) : [];
  const plain =
    isNegated && above.length === 0 ? listMembers(schema.root, [], schema) : isNegated ? [] : direct;
  return [...plain, ...negated].map(({ flag, node }) => {
    const about = schema.annotation(node, "description");
    return { value: flag, ...(about !== undefined && { about }) };
  });
}

interface NamedFlag {
  readonly flag: string;
  readonly node: SchemaIR;
}

function listMembers(
  node: SchemaIR,
  path: readonly (string | number)[],
  schema: ArgumentSchema,
): readonly NamedFlag[] {
  return [...schema.members(node)].map(([key, member]) => ({
    flag: `--${joinFlagName([...path, key])}`,
    node: member.schema,
  }));
}

/** Returns the values of `enum` and `const`, and `true` and `false` for booleans; for a list, those of its items. */
function valuesOf(node: SchemaIR, schema: ArgumentSchema): readonly Candidate[] | undefined {
  const own = schema.accepted(node);
  const item = own.types.has("array") ? schema.item(node, 0) : undefined;
  const accepted = item === undefined ? own : schema.accepted(item);
  const isAny = accepted.types.size >= 6;
  const switches = accepted.types.has("boolean") && !isAny ? [true, false] : [];
  return [...accepted.literals.values(), ...switches].flatMap((value) => {
    const text = printText(value, accepted);
    return text === undefined ? [] : [{ value: text }];
  });
}
