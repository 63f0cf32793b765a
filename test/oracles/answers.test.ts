import { expect, it } from "vitest";
import { groupBy } from "../../src/core/collections.js";
import { sha256 } from "../../src/core/digest.js";
import { CASES, makeSchema } from "../drift/grid/keyword-cases.js";
import {
  type Answers,
  answersOfEdit,
  answersOfList,
  answersOfSchema,
  EDITS,
  readLists,
  reportsOfEdit,
} from "./answers.js";

/** A line with a digest of each kind of answers; the answers themselves would be megabytes. */
function digestsOf(name: string, all: readonly Answers[]): string {
  const kinds = Object.keys(all[0] ?? {}).map((kind) => {
    const text = JSON.stringify(
      all.map((answers) => answers[kind]),
      (_, value: unknown) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value),
    );
    return `${kind} ${sha256(text).slice(0, 8)}`;
  });
  return `${name}: ${kinds.join(", ")}\n`;
}

/** Says how to see what changed: the digests only say where. */
const HOW = "If it may change, run this again with -u. The answers are those of test/oracles/answers.ts.";
/** Each keyword in some of its positions, and each position with some keywords. */
const STEP = 7;

it("schemas of every keyword are read, printed, sampled, judged and compared as before", async () => {
  const cases = CASES.filter((_, at) => at % STEP === 0);
  const lines = [...groupBy(cases, ({ keyword }) => keyword)].map(async ([keyword, those]) => {
    const answers = those.map(async ({ row, position }) => {
      const [wide, narrow] = [makeSchema(row.wide, row, position), makeSchema(row.narrow, row, position)];
      return { ...answersOfEdit(wide, narrow), ...(await answersOfSchema(narrow)) };
    });
    return digestsOf(keyword, await Promise.all(answers));
  });
  await expect((await Promise.all(lines)).join(""), HOW).toMatchFileSnapshot("schemas.txt");
});

it("lists are described, searched, compared and reported as before", async () => {
  const lines: string[] = [];
  for (const [name, tools] of readLists()) {
    lines.push(digestsOf(name, [await answersOfList(tools)]));
    for (const edit of Object.keys(EDITS))
      lines.push(digestsOf(`${name}, ${edit}`, [await reportsOfEdit(tools, edit)]));
  }
  await expect(lines.join(""), HOW).toMatchFileSnapshot("lists.txt");
});
