import { McpCodegenError } from "../contract/errors.js";
import { findOwn, type JsonValue } from "../contract/json.js";
import type { Dialect, ParsedSchema } from "../contract/schema-ir.js";
import { DEFAULT_DIALECT } from "../schema/dialect.js";
import { parseSchema } from "../schema/parse-schema.js";
import type { ChangeDetails, Finding, SchemaReading } from "./finding.js";
import { TermCompiler } from "./inclusion/compile-term.js";
import { Prover } from "./inclusion/prover.js";
import { TermTable } from "./inclusion/term.js";
import type { SchemaSide } from "./schema-side.js";
import type { SchemaWalk } from "./schema-walk.js";

/** Makes a finding about the dialect of the schemas. */
export type MakeDialectFinding = (details: ChangeDetails) => Finding;

/**
 * Returns the finding for a changed dialect. It is safe if the old or the new schema accepts the same values in both
 * dialects: every other difference then comes from another change, which has its own finding. It is also safe if no caller
 * can break. Otherwise it requests a witness, unless the witness might show one of the `open` findings instead.
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
  const details = { before: findOwn(old.raw, "$schema"), after: findOwn(now.raw, "$schema") };
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

/** Whether a schema is proved to accept the same values in another dialect. */
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

/** The parsed schema as text: schemas with equal texts have the same meaning. */
function textOf({ ir, definitions }: ParsedSchema): string {
  return JSON.stringify([ir, [...definitions]]);
}
