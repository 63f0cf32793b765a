import { describe, expect, it } from "vitest";
import { McpCodegenError } from "../../src/contract/errors.js";
import type { Dialect } from "../../src/contract/schema-ir.js";
import { printZodModule } from "../../src/schema/print-zod-module.js";
import { hasData, readSuite, skipNote, type SuiteGroup } from "./support/data.js";
import { evaluateModule } from "./support/evaluate-module.js";

const DIALECTS: { readonly [draft: string]: Dialect } = {
  draft4: "draft-04",
  draft6: "draft-06",
  draft7: "draft-07",
  "draft2019-09": "2019-09",
  "draft2020-12": "2020-12",
};

interface Tally {
  agreed: number;
  /** The schema points outside itself. */
  refused: number;
  /** Accepted wrongly, and said so. */
  loosened: number;
  readonly wrong: string[];
}

function judge({ label, draft, schema, tests }: SuiteGroup, tally: Tally): void {
  const dialect = DIALECTS[draft];
  if (dialect === undefined) throw new Error(`Unknown draft "${draft}".`);
  let printed;
  try {
    printed = printZodModule(schema, { name: "Printed", dialect });
  } catch (error) {
    if (!(error instanceof McpCodegenError) || !error.message.includes("outside it")) throw error;
    tally.refused += tests.length;
    return;
  }
  const zod = evaluateModule(printed.text, "Printed");
  for (const { description, data, valid } of tests) {
    const isValid = zod.safeParse(data).success;
    if (isValid === valid) tally.agreed += 1;
    else if (isValid && printed.diagnostics.length > 0) tally.loosened += 1;
    else tally.wrong.push(`${label}: ${description}`);
  }
}

describe.skipIf(!hasData)(`the official JSON Schema test suite${skipNote}`, () => {
  it("is never contradicted without a word", { timeout: 120_000 }, () => {
    const tally: Tally = { agreed: 0, refused: 0, loosened: 0, wrong: [] };
    for (const group of readSuite()) judge(group, tally);
    // A metaschema that leaves validation out is not in the schema itself, and nothing is fetched.
    const vocabulary = tally.wrong.filter((label) => label.includes("vocabulary.json"));
    expect(tally.wrong.filter((label) => !vocabulary.includes(label))).toEqual([]);
    expect(vocabulary).toHaveLength(2);
    expect({ ...tally, wrong: tally.wrong.length }).toEqual({
      agreed: 4696,
      refused: 158,
      loosened: 86,
      wrong: 2,
    });
  });
});
