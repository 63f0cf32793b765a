import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/core/json.js";
import type { FormatRule } from "../../src/core/schema-ir.js";
import { createJudge, fitsJsonSchema } from "../../src/schema/validation/fits-json-schema.js";
import { compileRegex, type JsonSchema } from "../../src/schema/validation/json-schema.js";
import { parseSchema } from "../../src/schema/ir/parse-schema.js";
import { printJsonSchema } from "../../src/schema/print/print-json-schema.js";
import { printZodModule } from "../../src/schema/print/print-modules.js";
import { DIALECTS } from "../../benchmarks/conformance/dialects.js";
import { judgeSuite, sumBy, type Tally } from "../../benchmarks/conformance/judge-suite.js";
import { hasData, readCases, readDocuments, readSuite, skipNote, type SuiteGroup } from "./support/data.js";
import { evaluateModule } from "./support/evaluate-module.js";

const documents = readDocuments();

/** Returns the cases in which the printed module disagrees with the suite or changes a value. */
function findDisagreements({ label, draft, schema, tests }: SuiteGroup): readonly string[] {
  const dialect = DIALECTS[draft];
  if (dialect === undefined) throw new Error(`Unknown draft "${draft}".`);
  const printed = printZodModule(schema, { name: "Printed", dialect, documents });
  // Interpreted schemas have a diagnostic, and no rule is omitted.
  const said = printed.diagnostics.filter(({ code }) => code !== "SCHEMA_FALLBACK");
  const zod = evaluateModule(printed.text, "Printed");
  const { ir, definitions } = parseSchema(schema, { dialect, documents });
  const json = printJsonSchema(ir, definitions) as JsonSchema;
  const interpret = fitsJsonSchema(json);
  const judge = createJudge(json, {
    matches: (pattern, text) => compileRegex(pattern).test(text),
    spend: () => undefined,
  });
  const isInterpreted = (value: JsonValue): boolean => {
    const issues: unknown[] = [];
    interpret({ value, issues });
    return issues.length === 0;
  };
  const wrong = tests.flatMap(({ description, data, valid }) => {
    const result = zod.safeParse(data);
    return [
      ...(result.success === valid ? [] : [`${valid ? "refused" : "accepted"}: ${description}`]),
      ...(result.success && !isDeepStrictEqual(result.data, data) ? [`changed: ${description}`] : []),
      ...(isInterpreted(data) === valid ? [] : [`interpreted otherwise: ${description}`]),
      ...((judge(data).length === 0) === valid ? [] : [`judged otherwise: ${description}`]),
    ];
  });
  return [...wrong, ...said.map(({ message }) => message)].map((text) => `${label}: ${text}`);
}

describe("our cases of JSON Schema", () => {
  it.each([...new Set(readCases().map(({ draft }) => draft))])(
    "are agreed with, printed and interpreted: %s",
    (draft) => {
      const groups = readCases().filter((group) => group.draft === draft);
      expect(groups.length).toBeGreaterThan(3);
      expect(groups.flatMap((group) => findDisagreements(group))).toEqual([]);
    },
  );
});

describe.skipIf(!hasData)(`the official JSON Schema test suite${skipNote}`, () => {
  it("passes completely, printed and interpreted", () => {
    const groups = hasData ? readSuite() : [];
    expect(groups.flatMap((group) => findDisagreements(group))).toEqual([]);
    expect(groups.reduce((count, { tests }) => count + tests.length, 0)).toBe(4942);
  });

  it("has optional tests, of which few fail", () => {
    const judged = hasData ? judgeSuite("mcp-codegen", readSuite("optional")) : [];
    const wrong = judged.filter(
      ({ tally }) => tally.acceptsWrongly + tally.rejectsWrongly + tally.doesNotConvert > 0,
    );
    const sums = sumBy(wrong, ({ draft, keyword }) => `${draft}/${keyword}`);
    const lost = Object.fromEntries([...sums].map(([key, { acceptsWrongly }]) => [key, acceptsWrongly]));
    expect([...sums.values()].filter((sum) => sum.rejectsWrongly + sum.doesNotConvert > 0)).toEqual([]);
    expect(lost).toEqual({
      // Content keywords are annotations.
      "draft7/content": 4,
      // JavaScript does not distinguish 1.0 from 1.
      "draft4/zeroTerminatedFloats": 1,
    });
  });

  it("has tests of formats, for which nothing is refused unless that is asked for", () => {
    const groups = hasData ? readSuite("format") : [];
    const invalid = groups.flatMap(({ tests }) => tests).filter(({ valid }) => !valid).length;
    const sum = (formats?: FormatRule): Tally | undefined =>
      sumBy(judgeSuite("mcp-codegen", groups, formats), () => "all").get("all");
    expect(sum()).toMatchObject({ acceptsWrongly: invalid, rejectsWrongly: 0, doesNotConvert: 0 });
    expect(sum("assert")).toMatchObject({ rejectsWrongly: 0, doesNotConvert: 0 });
    const judged = judgeSuite("mcp-codegen", groups, "assert");
    const lost = [...sumBy(judged, ({ keyword }) => keyword)].flatMap(([keyword, { acceptsWrongly }]) =>
      acceptsWrongly > 0 ? [[keyword, acceptsWrongly]] : [],
    );
    expect(Object.fromEntries(lost)).toEqual({});
  });
});
