import type { Change } from "../../../src/core/change.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.js";
import { diffTools } from "../../../src/drift/diff-tools.js";
import type { TestedDialect } from "../witness/check-witness.js";
import { KEYWORD_ROWS, type KeywordRow } from "./keyword-rows.js";

/** A place for a schema in a document. */
export interface Position {
  /** JSON Pointer to the schema that changes. */
  readonly at: string;
  readonly wrap: (schema: JsonObject, row: KeywordRow) => JsonObject;
  readonly put: (value: JsonValue) => JsonValue;
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const put = (v: JsonValue): JsonValue => ({ v });
/** A schema that accepts no value of the row. */
const other = ({ fits }: KeywordRow): JsonObject => ({ enum: [typeof fits === "string" ? 77 : "other"] });

export const POSITIONS: Readonly<Record<string, Position>> = {
  "the root": { at: "", wrap: (schema) => schema, put: (value) => value },
  "a property of a property": { at: "/properties/o/properties/v", wrap: (v) => object({ o: object({ v }) }), put: (v) => ({ o: { v } }) },
  "a definition": { at: "/$defs/V", wrap: (V) => ({ ...object({ v: { $ref: "#/$defs/V" } }), $defs: { V } }), put },
  "a member of `allOf`": { at: "/properties/v/allOf/1", wrap: (schema, { wide }) => object({ v: { allOf: [wide, schema] } }), put },
  "a member of `allOf` beside a reference": {
    at: "/properties/v/allOf/1",
    wrap: (schema, { wide }) => ({ ...object({ v: { allOf: [{ $ref: "#/$defs/Base" }, schema] } }), $defs: { Base: wide } }),
    put,
  },
  "a branch of `anyOf`": { at: "/properties/v/anyOf/0", wrap: (schema, row) => object({ v: { anyOf: [schema, other(row)] } }), put },
  "a branch of a tagged `oneOf`": {
    at: "/properties/l/oneOf/1/properties/v",
    wrap: (v) => {
      const branch = (kind: string, more: JsonObject): JsonObject =>
        object({ kind: { type: "string", enum: [kind] }, ...more }, { required: ["kind"] });
      return object({ l: { oneOf: [branch("a", {}), branch("b", { v })] } });
    },
    put: (v) => ({ l: { kind: "b", v } }),
  },
  "items of a list": { at: "/properties/v/items", wrap: (items) => object({ v: { type: "array", items } }), put: (value) => ({ v: [value] }) },
}; // prettier-ignore

const ADDRESSES: Partial<Record<TestedDialect, string>> = {
  "draft-04": "http://json-schema.org/draft-04/schema#",
  "draft-07": "http://json-schema.org/draft-07/schema#",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
};

/** The whole schema with a row's schema at a position. */
export function makeSchema(part: JsonObject, row: KeywordRow, { wrap }: Position): JsonObject {
  const whole = wrap(part, row);
  const { $defs } = whole;
  const definitions = { ...(isJsonObject($defs) ? $defs : {}), ...row.definitions };
  const address = ADDRESSES[row.dialect ?? "2020-12"];
  return {
    ...(address !== undefined && { $schema: address }),
    ...whole,
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  };
}

export type Side = "input" | "output";

export function diffSide(before: JsonObject, after: JsonObject, side: Side): readonly Change[] {
  const tool = (schema: JsonObject): { name: string; inputSchema: JsonObject; outputSchema?: JsonObject } =>
    side === "input"
      ? { name: "t", inputSchema: schema }
      : { name: "t", inputSchema: { type: "object" }, outputSchema: schema };
  return diffTools([tool(before)], [tool(after)]);
}

/** Each row at each position. */
export const CASES = Object.entries(KEYWORD_ROWS).flatMap(([keyword, rows]) =>
  typeof rows === "string"
    ? []
    : rows.flatMap((row, index) =>
        Object.entries(POSITIONS).flatMap(([name, position]) => {
          // Arguments and results are objects.
          if (position.at === "" && !isJsonObject(row.fits)) return [];
          if (row.only?.includes(name) === false) return [];
          if (name.includes("reference") && row.dialect !== undefined) return [];
          return [{ what: `${keyword} ${index + 1}, in ${name}`, keyword, row, position }];
        }),
      ),
);
