import { readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";
import { chooseMutants, findMutants, plant } from "../../benchmarks/mutants/find-mutants.js";

const TEXT = `
type Off = false;
const MOST = 1_000;
interface Row { readonly isLast: true }
export async function read(rows: readonly Row[], limit = 10, { order = 1 } = {}): Promise<number> {
  if (rows.length > limit || limit < 0) return 3;
  await wait(MOST);
  const first = rows.at(0) ?? { isLast: rows[1] ?? true };
  if (first.isLast) return await wait(6);
  return !first.isLast && order !== 2 ? await wait(5) : 4;
}
`;

test("plants a mistake of each kind where code runs, and none in types or where it cannot be seen", () => {
  const lines = findMutants("read.ts", TEXT).map(
    ({ kind, before, after }) => `${kind}: ${before} → ${after}`,
  );
  expect(lines).toEqual([
    "bound: 1_000 → Infinity",
    "default: 10 → undefined",
    "default: {} → undefined",
    "default: 1 → undefined",
    "branch: rows.length > limit || limit < 0 → false",
    "boolean: rows.length > limit || limit < 0 → ((rows.length > limit) && (limit < 0))",
    "comparison: > → <=",
    "bound: > → >=",
    "comparison: < → >=",
    "bound: < → <=",
    "bound: 0 → (0 + 1)",
    "default: rows.at(0) ?? { isLast: rows[1] ?? true } → (rows.at(0))",
    "bound: 0 → (0 + 1)",
    "branch: first.isLast → false",
    "bound: 6 → (6 + 1)",
    "branch: !first.isLast && order !== 2 → false",
    "boolean: !first.isLast && order !== 2 → ((!first.isLast) || (order !== 2))",
    "boolean: !first.isLast → (first.isLast)",
    "comparison: !== → ===",
    "bound: 2 → (2 + 1)",
    "await: await wait(5) → (wait(5))",
    "bound: 5 → (5 + 1)",
  ]);
});

test.each(["core/policy.ts", "runtime/client/pooled-client.ts"])(
  "leaves code that parses: src/%s",
  (name) => {
    const text = readFileSync(`src/${name}`, "utf8");
    const mutants = findMutants(name, text);
    expect(mutants).not.toEqual([]);
    for (const mutant of mutants) {
      const { diagnostics } = ts.transpileModule(plant(text, mutant), { reportDiagnostics: true });
      expect(diagnostics, `${mutant.before} → ${mutant.after}`).toEqual([]);
    }
  },
);

test("chooses by the seed, in turn for each group and kind, and whatever the order of the files", () => {
  const mutants = ["a/one.ts", "a/two.ts", "b/three.ts"].flatMap((file) => findMutants(file, TEXT));
  const choose = (seed: number, from = mutants): readonly string[] =>
    chooseMutants(from, seed, (file) => file[0] ?? "").map(
      ({ file, kind, start }) => `${file} ${kind} ${start}`,
    );
  const chosen = choose(1);
  expect(chosen.toSorted()).toEqual(choose(2).toSorted());
  expect(chosen).not.toEqual(choose(2));
  expect(choose(1, mutants.toReversed())).toEqual(chosen);
  const turn = chosen.slice(0, 12).map((each) => each.replace(/\/\w+\.ts (\w+) \d+$/, " $1"));
  expect(turn.toSorted()).toEqual(
    ["a", "b"].flatMap((group) =>
      ["await", "boolean", "bound", "branch", "comparison", "default"].map((kind) => `${group} ${kind}`),
    ),
  );
});
