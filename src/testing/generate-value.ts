import { McpCodegenError } from "../core/errors.js";
import type { JsonObject, JsonValue } from "../core/json.js";
import { joinPointer } from "../core/json-pointer.js";
import { sampleValue } from "../drift/witness/sample-value.js";
import { rootPart } from "../drift/witness/schema-part.js";
import { explainIssue } from "../schema/validation/explain-issue.js";
import { findIssues, type Issue, type Schema } from "../schema/validation/schema.js";
import type { ValueKind } from "./fields.js";
import { makeValue } from "./make-value.js";

export interface ValueOptions {
  /** Equal seeds give equal values. */
  readonly seed: string;
  /** Returns values at the limits of the schema. */
  readonly boundary?: boolean | undefined;
  /** Omits optional properties if the schema allows it. */
  readonly plain?: boolean | undefined;
  /** The entity of the value, such as `post`. */
  readonly entity?: string | undefined;
  /** The arguments of a call, which are repeated under the same names. */
  readonly echo?: JsonObject | undefined;
}

/** The number of attempts with each kind of value. */
const ATTEMPTS: readonly (readonly [kind: ValueKind, count: number])[] = [
  ["natural", 8],
  ["plain", 8],
];
/** The number of combinations of the schema's choices that are tried without regard to the field. */
const TURNS = 24;

/**
 * Returns a value that a JSON Schema accepts, plausible for its fields if possible.
 *
 * @param judge the same schema, compiled
 * @throws McpCodegenError `SCHEMA_INVALID` if no value is found; it names the place without one
 */
export async function generateValue(
  schema: JsonValue,
  judge: Schema<unknown>,
  { seed, boundary = false, plain = false, entity = "", echo = {} }: ValueOptions,
): Promise<JsonValue> {
  let first: readonly Issue[] | undefined;
  const usual = ATTEMPTS.filter(([kind]) => !plain || kind === "plain");
  const attempts = boundary ? [["boundary", 8] as const, ...usual] : usual;
  for (const [kind, count] of attempts) {
    for (let attempt = 0; attempt < count; attempt += 1) {
      const value = makeValue(schema, { kind, seed: `${seed}#${kind}${attempt}`, entity, echo });
      const issues = await findIssues(judge, value);
      if (issues.length === 0) return value;
      first ??= issues;
    }
  }
  for (let turn = 0; turn < TURNS; turn += 1) {
    const value = sampleValue([rootPart(schema)], { turn, branches: new Map(), path: [] });
    if ((await findIssues(judge, value)).length === 0) return value;
  }
  throw noValue(first ?? []);
}

function noValue(issues: readonly Issue[]): McpCodegenError {
  const [issue] = issues.flatMap(explainIssue);
  const path = (issue?.path ?? []).map((key) => (typeof key === "number" ? key : String(key)));
  const place = path.length === 0 ? "the root" : joinPointer("", ...path);
  return new McpCodegenError(
    "SCHEMA_INVALID",
    `No value was found that the schema accepts at ${place}: ${issue?.message ?? "it accepts nothing"}.`,
  );
}
