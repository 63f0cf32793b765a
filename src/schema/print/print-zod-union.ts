import type {
  AnyOfNode,
  LiteralNode,
  ObjectNode,
  OneOfNode,
  SchemaIR,
  TypesNode,
} from "../../core/schema-ir.js";
import { quoteLiteral } from "./identifiers.js";
import type { PrintContext } from "./print-context.js";
import { printLiteral } from "./print-zod-scalar.js";
import { needsRawObject } from "./print-zod-object.js";

/** Prints a union: any member, or exactly one, must fit. A member `null` becomes `.nullable()`. */
export function printUnion(node: TypesNode | AnyOfNode | OneOfNode, context: PrintContext): string {
  if (node.kind === "oneOf") return `z.xor([${printAll(node.members, context)}])`;
  const others: readonly SchemaIR[] = node.members.filter(
    (member) => member.kind !== "null" || member.annotations !== undefined,
  );
  const nullable = others.length < node.members.length ? ".nullable()" : "";
  const [only] = others;
  if (only === undefined) return "z.null()";
  return (others.length === 1 ? context.printZod(only, context) : printMembers(others, context)) + nullable;
}

function printMembers(members: readonly SchemaIR[], context: PrintContext): string {
  if (
    members.every(
      (member): member is LiteralNode => member.kind === "literal" && member.annotations === undefined,
    )
  ) {
    return printLiteral(members.flatMap(({ values }) => values), context); // prettier-ignore
  }
  const tag = findDiscriminator(members, context);
  if (tag !== undefined) return `z.discriminatedUnion(${quoteLiteral(tag)}, [${printAll(members, context)}])`;
  return `z.union([${printAll(members, context)}])`;
}

function printAll(members: readonly SchemaIR[], context: PrintContext): string {
  return members.map((member) => context.printZod(member, context)).join(", ");
}

/** Returns a property that every member requires, with values that no other member has. */
function findDiscriminator(members: readonly SchemaIR[], context: PrintContext): string | undefined {
  if (
    !members.every(
      (member): member is ObjectNode => member.kind === "object" && !needsRawObject(member, context),
    )
  )
    return undefined;
  return members[0]?.properties.find(({ name }) => isDiscriminator(name, members))?.name;
}

function isDiscriminator(name: string, members: readonly ObjectNode[]): boolean {
  const seen = new Set<unknown>();
  return members.every((member) => {
    const property = member.properties.find((candidate) => candidate.name === name);
    if (!property?.isRequired || property.schema.kind !== "literal" || member.patterns.length > 0)
      return false;
    return property.schema.values.every((value) => {
      if (typeof value !== "string" || value === "__proto__" || seen.has(value)) return false;
      seen.add(value);
      return true;
    });
  });
}
