/** The values that are tried as witnesses at a place, each once, without those that are tried at every place. */
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { proposeValues } from "../../../src/drift/witness/propose-values.js";
import { readPart } from "../../../src/schema/sample/schema-part.js";

function propose(accepts: JsonValue, rejects: JsonValue): readonly string[] {
  const [accepting, rejecting] = [[readPart(accepts)], [readPart(rejects)]];
  const place = { accepting, rejecting, ways: [], path: [] };
  return [...new Set([...proposeValues(place, accepting, new Map())].map((value) => JSON.stringify(value)))];
}

const ANYWHERE = new Set(propose({ type: "null" }, {}));
const number = (rules: JsonObject): JsonObject => ({ type: "number", ...rules });
const text = (rules: JsonObject): JsonObject => ({ type: "string", ...rules });
const list = (rules: JsonObject): JsonObject => ({ type: "array", items: { type: "integer" }, ...rules });
const object = (rules: JsonObject): JsonObject => ({
  type: "object",
  properties: { a: { const: 5 } },
  ...rules,
});

const PROPOSALS: readonly (readonly [accepts: JsonObject, rejects: JsonObject, proposals: string])[] = [
  [{ type: "integer" }, { enum: [7], default: 8, examples: [9] }, "7 8 9"],
  [number({ minimum: 11 }), number({ minimum: 12, multipleOf: 5 }), "12 13 11 12.5 11.5 10 15 5 20 10.5 2.5 6 -5"],
  [number({ minimum: 10 }), number({ exclusiveMaximum: 20 }), "20 21 19 20.5 19.5 10 11 9 10.5 9.5 15"],
  [number({}), number({ multipleOf: 0.5 }), "0.5 0.25 -0.5"],
  [number({ minimum: 5 }), number({ multipleOf: 0.1 }), "5 6 4 5.5 4.5 4.9 5.1 0.1 0.2 0.3 0.05 1.1 -0.1"],
  [number({}), { type: "integer" }, ""],
  [text({ maxLength: 3 }), text({ minLength: 1, maxLength: 2 }), '"b" "c" "d" "e" "f" "aa" "00" "aaa" "000" "aaaa" "0000"'],
  [text({}), text({ pattern: "^xy?$" }), '"b" "c" "d" "e" "f" "x" "xy" "xa" "x " " x" "x!" "xya" "xy " " xy" "xy!" "y"'],
  [text({ pattern: "^x+$" }), text({ pattern: "^x+$", maxLength: 2 }), '"xxx" "x" "xx" "aa" "00" "aaa" "000" "xa" "x " " x" "x!" "xxa" "xx " " xx" "xx!" "xxxa" "xxx " " xxx" "xxx!"'],
  [list({}), list({ maxItems: 1 }), "[0] [0,0] [0,1]"],
  [list({}), list({ contains: { const: 7 }, minContains: 2 }), "[7,7] [0] [7] [0,0] [0,1] [0,0,0] [0,1,2] [7,7,7]"],
  [list({ items: { type: ["integer", "null"] } }), list({ uniqueItems: true }), "[0] [0,0] [0,null] [null,null] [0,1]"],
  [object({}), object({ required: ["b"] }), '{"b":""} {"b":0} {"a":5}'],
  [object({ required: ["a"] }), object({ required: ["a"], maxProperties: 1 }), '{"a":5} {"a":5,"extra":""} {"a":5,"extra1":""} {"a":5,"":""} {"a":5,"A":""} {"a":5,"extra":0} {"a":5,"extra1":0} {"a":5,"":0} {"a":5,"A":0}'],
  [object({}), object({ dependentRequired: { a: ["b"] } }), '{"a":5}'],
  [object({}), object({ patternProperties: { "^x": { type: "null" } } }), '{"a":5} {"x":""} {"x":0}'],
]; // prettier-ignore

test.each(PROPOSALS)("between %j and %j", (accepts, rejects, proposals) => {
  const special = propose(accepts, rejects).filter((value) => !ANYWHERE.has(value));
  expect(special.join(" ")).toBe(proposals);
});
