import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { JsonValue } from "../../../src/core/json.js";
import { toModelSchema } from "../../../src/core/model-schema.js";
import { diffTools } from "../../../src/drift/diff-tools.js";
import { diagnoseTool } from "../../../src/emit/tool-schemas.js";
import { findInexactByEntry, keepNumbers } from "../../../src/client/listing/inexact-numbers.js";
import { findInexactNumbers } from "../../../src/core/exact-json.js";
import { validateTools } from "../../../src/client/listing/validate-tools.js";
import { printZodModule } from "../../../src/schema/print/print-modules.js";
import { parseSchema } from "../../../src/schema/ir/parse-schema.js";

const SEED = Number(process.env["SEED"] ?? 2026);

function listOf(text: string): ReturnType<typeof validateTools> {
  return validateTools("test", [
    { entries: JSON.parse(text) as JsonValue[], inexact: findInexactByEntry(text, []) },
  ]);
}

const [NUMBER, NEXT] = ["9223372036854775807", "9223372036854775806"];
const SIDES = ["inputSchema", "outputSchema"] as const;
/** Keywords that are checked, by the type of a value. */
const CHECKED: Readonly<Record<string, readonly string[]>> = {
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  string: ["minLength", "maxLength"],
  array: ["minItems", "maxItems"],
  object: ["minProperties", "maxProperties"],
};

/** A keyword with a number that JavaScript cannot hold, and with the next one. */
interface Place {
  readonly keyword: string;
  readonly type: string;
  readonly value?: (number: string) => string;
  /** Where the parser reports that the number is not checked; undefined for an annotation. */
  readonly loosened?: string;
  readonly isRefused?: true;
}

const listed = (number: string): string => `[1,${number}]`;
const PLACES: readonly Place[] = [
  ...Object.entries(CHECKED).flatMap(([type, keywords]) =>
    keywords.map((keyword) => ({ keyword, type, loosened: keyword })),
  ),
  { keyword: "default", type: "integer" },
  { keyword: "examples", type: "integer", value: listed },
  { keyword: "x-id", type: "integer" },
  { keyword: "const", type: "integer", loosened: "const", isRefused: true },
  { keyword: "enum", type: "integer", value: listed, loosened: "enum/1", isRefused: true },
  { keyword: "enum", type: "object", value: (number) => `[{"id":${number}}]`, isRefused: true },
];

describe.each(PLACES.flatMap((place) => SIDES.map((side) => ({ ...place, side }))))(
  "a number that JavaScript cannot hold in $keyword of type $type, $side",
  ({ keyword, type, value = String, side, loosened, isRefused = false }) => {
    const read = (number: string): ReturnType<typeof validateTools> => {
      const schema = `{"type":"object","properties":{"n":{"type":"${type}","${keyword}":${value(number)}}}}`;
      const input = side === "inputSchema" ? "" : `"inputSchema":{"type":"object"},`;
      return listOf(`[{"name":"t",${input}"${side}":${schema}}]`);
    };
    const message = `JavaScript cannot hold the number ${NUMBER}.`;
    const { tools, unusable } = read(NUMBER);
    const schema = tools[0]?.[side] ?? {};

    it(isRefused ? "refuses the tool" : "leaves the tool its code", () => {
      expect(unusable).toEqual(isRefused ? { t: message } : {});
    });

    it("keeps all digits, which a diff compares", () => {
      expect(JSON.stringify(tools)).toContain(`"${NUMBER}"`);
      expect(JSON.stringify(diffTools(tools, read(NEXT).tools))).toContain(NUMBER);
      expect(diffTools(tools, read(NUMBER).tools)).toEqual([]);
    });

    it("is reported where it is not checked", () => {
      const path = `/properties/n/${loosened}`;
      const report = { code: "KEYWORD_LOOSENED", path, message: `"${keyword}" is not checked: ${message}` };
      expect(parseSchema(schema, {}).diagnostics).toEqual(loosened === undefined ? [] : [report]);
    });

    it("never reaches a model as a bound, a default or an example", () => {
      const properties = JSON.stringify(toModelSchema(schema)["properties"]);
      expect(properties.includes(NUMBER)).toBe(isRefused || keyword === "x-id");
      expect(properties).not.toContain("9223372036854776000");
    });
  },
);

test.each([
  [`{"type":"integer","default":"${NUMBER}"}`, false],
  [`{"type":["integer","null"],"default":"${NUMBER}"}`, false],
  [`{"anyOf":[{"type":"integer"},{"type":"null"}],"default":"${NUMBER}"}`, false],
  [`{"type":"array","items":{"type":"number"},"default":[1,"${NUMBER}"]}`, false],
  [`{"type":"object","properties":{"a":{"type":"integer"}},"default":{"a":"${NUMBER}"}}`, false],
  [`{"type":"object","additionalProperties":{"type":"integer"},"default":{"a":"${NUMBER}"}}`, false],
  [`{"type":"string","default":"${NUMBER}"}`, true],
  [`{"type":["string","integer"],"default":"${NUMBER}"}`, true],
  [`{"anyOf":[{"type":"string"},{"type":"integer"}],"default":"${NUMBER}"}`, true],
  [`{"type":"object","properties":{"a":{"type":"string"}},"default":{"a":"${NUMBER}"}}`, true],
  [`{"default":"${NUMBER}"}`, true],
])("%s, or an example, is shown: %s", (schema, kept) => {
  for (const each of [schema, schema.replace(/"default":(.*)\}$/, '"examples":[$1]}')]) {
    const raw: JsonValue = { type: "object", properties: { n: JSON.parse(each) as JsonValue } };
    expect(JSON.stringify(toModelSchema(raw)).includes(NUMBER), each).toBe(kept);
    expect(printZodModule(raw, { name: "schema" }).text.includes(NUMBER), each).toBe(kept);
  }
});

test("a default of an integer that JavaScript cannot hold is not sent", () => {
  const schema = '{"type":"object","properties":{"n":{"type":"integer","default":12345678901234567890}}}';
  const [definition = { name: "" }] = listOf(`[{"name":"t","inputSchema":${schema}}]`).tools;
  const names = { tool: "t", file: "t", wrapper: "t", input: "TInput" };
  const task = { kind: "tool", server: "s", definition, names, importExtension: "js" } as const;
  const unsent = { code: "DEFAULT_NOT_SENT", path: "/inputSchema/properties/n/default" };
  expect(diagnoseTool({ ...task, defaults: "parse" })).toMatchObject([unsent]);
  expect(diagnoseTool(task)).toEqual([]);
});

test("the value of a repeated key is the last one", () => {
  const { tools } = listOf('[{"name":"t","inputSchema":{"default":1e999,"default":2}}]');
  expect(tools).toEqual([{ name: "t", inputSchema: { default: 2 } }]);
});

test.each([
  ["a property called `enum`", '{"properties":{"enum":{"maximum":1e999}}}', false],
  ["an annotation with a key `enum`", '{"x-note":{"enum":[1e999]}}', false],
  ["a definition", '{"$defs":{"a":{"items":[{"enum":[1e999]}]}}}', true],
  ["a branch", '{"anyOf":[{},{"not":{"const":{"a":1e999}}}]}', true],
])("%s", (_, schema, isRefused) => {
  expect("t" in listOf(`[{"name":"t","inputSchema":${schema}}]`).unusable).toBe(isRefused);
});

test(`every number of a definition is kept or becomes its text (seed ${SEED})`, () => {
  const number = fc.oneof(
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
    fc.constantFrom("1e400", "-1e-400", "0.1000000000000000055", "0.1", "1E2", "-0.0"),
    fc.integer().map(String),
  );
  const keys = fc.constantFrom("properties", "enum", "__proto__", "items", "a/b", "maximum");
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      number,
      fc.array(tie("tree"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
      fc
        .uniqueArray(fc.tuple(keys, tie("tree")), { maxLength: 3, selector: ([key]) => key })
        .map((members) => `{${members.map(([key, item]) => `"${key}":${item}`).join(",")}}`),
    ),
  }));
  fc.assert(
    fc.property(tree, (text) => {
      const inexact = findInexactNumbers(text).filter(({ path }) => path.length > 0);
      let quoted = text;
      for (const { token } of inexact)
        quoted = quoted.replaceAll(new RegExp(`(?<![\\d"eE.-])${token}(?![\\d"eE.])`, "g"), `"${token}"`);
      const { value } = keepNumbers(JSON.parse(text) as JsonValue, inexact);
      if (/^[[{]/.test(text)) expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(quoted)));
    }),
    { seed: SEED, numRuns: 2_000 },
  );
});
