import { McpCodegenError } from "../contract/errors.js";
import { getOwn, isJsonObject, type JsonValue } from "../contract/json.js";
import type { Dialect, ParsedSchema } from "../contract/schema-ir.js";
import { DEFAULT_DIALECT } from "../schema/dialect.js";
import { parseSchema } from "../schema/parse-schema.js";
import type { Finding } from "./finding.js";
import { TermCompiler } from "./inclusion/compile-term.js";
import { Prover } from "./inclusion/prover.js";
import { TermTable } from "./inclusion/term.js";
import type { ChangeDetails } from "./make-change.js";
import type { SchemaReading } from "./schema-reading.js";
import type { SchemaSide } from "./schema-side.js";
import type { SchemaWalk } from "./schema-walk.js";

/** Makes a finding about the dialect of the schemas. */
export type MakeDialectFinding = (details: ChangeDetails) => Finding;

/**
 * The finding for a changed dialect. It is safe when the dialect changes no meaning: the old schema accepts the same in both
 * dialects, or the new one does. Every other difference then comes from another change, which has a finding of its own. It is
 * also safe when no caller can break. Otherwise it asks for an instance, unless an `open` finding may be what the instance shows.
 */
export function diffDialects(
  walk: SchemaWalk,
  make: MakeDialectFinding,
  reading: SchemaReading,
  open: readonly Finding[],
): readonly Finding[] {
  const { old, now, side } = walk;
  const [was, is] = [old.parsed.dialect, now.parsed.dialect];
  if (was === is) return [];
  const details = { before: declaredBy(old.raw), after: declaredBy(now.raw) };
  if (meansTheSameIn(is, old, reading) || meansTheSameIn(was, now, reading))
    return [make({ ...details, class: "safe", reason: "The keywords mean the same in both dialects." })];
  if (walk.isSafe(old.parsed.ir, now.parsed.ir)) return [make({ ...details, class: "safe" })];
  const reason = "No proof was found that both schemas accept the same values.";
  const { change } = make({ ...details, reason });
  if (open.length > 0) return [{ change }];
  const [accepts, rejects] = side === "input" ? [old.raw, now.raw] : [now.raw, old.raw];
  const dialect = reading.dialect ?? DEFAULT_DIALECT;
  return [{ change, request: { accepts, rejects, at: "", dialect, formats: reading.formats } }];
}

/** Whether a schema is proved to accept the same when it is read in another dialect. */
function meansTheSameIn(dialect: Dialect, { raw, parsed }: SchemaSide, { formats }: SchemaReading): boolean {
  const other = readAs(raw, dialect, formats);
  if (other === undefined) return false;
  if (textOf(other) === textOf(parsed)) return true;
  const table = new TermTable();
  const prover = new Prover(table);
  const [one, two] = [
    new TermCompiler(table, parsed, "old ").compile(parsed.ir),
    new TermCompiler(table, other, "now ").compile(other.ir),
  ];
  return prover.isIncluded(one, two) && prover.isIncluded(two, one);
}

function readAs(
  schema: JsonValue,
  dialect: Dialect,
  formats: SchemaReading["formats"],
): ParsedSchema | undefined {
  try {
    return parseSchema(schema, { dialect, formats });
  } catch (error) {
    if (error instanceof McpCodegenError) return undefined;
    throw error;
  }
}

/** Schemas that are read to the same text mean the same. */
function textOf({ ir, definitions }: ParsedSchema): string {
  return JSON.stringify([ir, [...definitions]]);
}

function declaredBy(schema: JsonValue): JsonValue | undefined {
  return isJsonObject(schema) ? getOwn(schema, "$schema") : undefined;
}
