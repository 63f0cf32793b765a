import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import type { Dialect } from "../../src/contract/schema-ir.js";
import { printZodModule } from "../../src/schema/print-zod-module.js";
import { hasData, readDocuments, readSuite, skipNote, type SuiteGroup } from "./support/data.js";
import { evaluateModule } from "./support/evaluate-module.js";

const DIALECTS: { readonly [draft: string]: Dialect } = {
  draft4: "draft-04",
  draft6: "draft-06",
  draft7: "draft-07",
  "draft2019-09": "2019-09",
  "draft2020-12": "2020-12",
};

const documents = hasData ? readDocuments() : {};

/** What the printed module says otherwise than the suite, and what a parse changes. */
function findDisagreements({ label, draft, schema, tests }: SuiteGroup): readonly string[] {
  const dialect = DIALECTS[draft];
  if (dialect === undefined) throw new Error(`Unknown draft "${draft}".`);
  const printed = printZodModule(schema, { name: "Printed", dialect, documents });
  // What has to be interpreted is said; nothing is let through.
  const said = printed.diagnostics.filter(({ code }) => code !== "SCHEMA_FALLBACK");
  const zod = evaluateModule(printed.text, "Printed");
  const wrong = tests.flatMap(({ description, data, valid }) => {
    const result = zod.safeParse(data);
    if (result.success && !isDeepStrictEqual(result.data, data)) return [`changed: ${description}`];
    return result.success === valid ? [] : [`${valid ? "refused" : "accepted"}: ${description}`];
  });
  return [...wrong, ...said.map(({ message }) => message)].map((text) => `${label}: ${text}`);
}

describe.skipIf(!hasData)(`the official JSON Schema test suite${skipNote}`, () => {
  it("is agreed with, whole", { timeout: 120_000 }, () => {
    const groups = hasData ? readSuite() : [];
    expect(groups.flatMap((group) => findDisagreements(group))).toEqual([]);
    expect(groups.reduce((count, { tests }) => count + tests.length, 0)).toBe(4942);
  });
});
