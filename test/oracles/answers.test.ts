import fc from "fast-check";
import { expect, it } from "vitest";
import { groupBy } from "../../src/core/collections.js";
import { sha256 } from "../../src/core/digest.js";
import { isJsonObject, type JsonObject } from "../../src/core/json.js";
import { jsonSchemas } from "../drift/json-schemas.js";
import { SCHEMAS } from "../schema/support/schemas.js";
import { CASES, makeSchema } from "../drift/grid/keyword-cases.js";
import { answersOfDocuments } from "./documents.js";
import { answersOfFunctions } from "./functions.js";
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
  const kinds = Object.keys(all[0] ?? {}).map(
    (kind) => `${kind} ${digestOf(all.map((answers) => answers[kind]))}`,
  );
  return `${name}: ${kinds.join(", ")}\n`;
}

function digestOf(answers: readonly unknown[]): string {
  const text = JSON.stringify(answers, (_, value: unknown) =>
    typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))
      ? String(value)
      : value,
  );
  return sha256(text).slice(0, 8);
}

/** Says how to see what changed: the digests only say where. */
const HOW = "If it may change, run this again with -u. The modules beside this test make the answers.";
/** Each keyword in some of its positions, and each position with some keywords. */
const STEP = 14;
const SEED = 2026;
/** Random schemas, of which each group has a line. */
const GROUPS = 20;
const GROUP = 10;

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

it("schemas with a type of their own are read, printed, sampled and judged as before", async () => {
  const lines = Object.entries(SCHEMAS)
    .filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]))
    .map(async ([name, schema]) => digestsOf(name, [await answersOfSchema(schema)]));
  await expect((await Promise.all(lines)).join(""), HOW).toMatchFileSnapshot("types.txt");
});

it("random schemas are read, printed, sampled, judged and compared as before", async () => {
  const schemas = fc
    .sample(jsonSchemas, { seed: SEED, numRuns: GROUPS * GROUP })
    .map((v): JsonObject => ({ type: "object", properties: { v } }));
  const lines = Array.from({ length: GROUPS }, async (_, group) => {
    const own = schemas.slice(group * GROUP, (group + 1) * GROUP);
    const answers = own.map(async (schema, at) => ({
      ...answersOfEdit(schema, own[at + 1] ?? {}),
      ...(await answersOfSchema(schema)),
    }));
    return digestsOf(`random schemas ${group + 1}`, await Promise.all(answers));
  });
  await expect((await Promise.all(lines)).join(""), HOW).toMatchFileSnapshot("random.txt");
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

it("texts, values, results and documents are read, judged and printed as before", async () => {
  const all = [...answersOfFunctions(), ...(await answersOfDocuments())];
  const lines = all.map(([name, answers]) => `${name} ${digestOf(answers)}\n`);
  await expect(lines.join(""), HOW).toMatchFileSnapshot("functions.txt");
});
