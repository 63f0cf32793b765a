import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import type { Annotations } from "../../../src/core/schema-ir.js";
import { parseSchema } from "../../../src/schema/ir/parse-schema.js";

const NUMBER = "9223372036854775807";

const ROWS: [JsonObject, Annotations | undefined][] = [
  [{}, undefined],
  [{ title: "a", description: "b" }, { title: "a", description: "b" }],
  [{ title: 1, description: null }, undefined],
  [{ deprecated: true, readOnly: true, writeOnly: true }, { deprecated: true, readOnly: true, writeOnly: true }],
  [{ deprecated: false, readOnly: 1 }, undefined],
  [{ default: null, examples: [null, 1] }, { default: null, examples: [null, 1] }],
  [{ examples: [] }, undefined],
  [{ examples: 1 }, undefined],
  [{ default: NUMBER, examples: [1, NUMBER] }, { examples: [1] }],
  [{ examples: [NUMBER] }, undefined],
]; // prettier-ignore

test.each(ROWS)("reads the annotations of an integer with %j", (keywords, annotations) => {
  expect(parseSchema({ type: "integer", ...keywords }).ir.annotations).toEqual(annotations);
});

test.each<[number: string, shown: string]>([
  [NUMBER, NUMBER],
  ["9".repeat(40), "9".repeat(40)],
  ["9".repeat(41), `${"9".repeat(40)}…`],
])("reports at most 40 characters of a number that JavaScript cannot hold: %s", (number, shown) => {
  expect(parseSchema({ type: "integer", minimum: number }).diagnostics).toEqual([
    {
      code: "KEYWORD_LOOSENED",
      path: "/minimum",
      message: `"minimum" is not checked: JavaScript cannot hold the number ${shown}.`,
    },
  ]);
});
