import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import type { ToolSnapshot } from "../../../src/core/snapshot.js";
import { diffTools } from "../../../src/drift/diff-tools.js";
import { comparePatterns } from "../../../src/drift/inclusion/compare-patterns.js";

/** Pairs of patterns, and a shortest text that fits the first and not the second; undefined where there is none. */
const PAIRS: readonly (readonly [first: string, second: string, text: string | undefined])[] = [
  ["^[a-z]+$", "^[a-z0-9]+$", undefined],
  ["^[a-z0-9]+$", "^[a-z]+$", "0"],
  ["^a", "a", undefined],
  ["a", "^a", "ba"],
  ["^(a|b)*$", "^[ab]*$", undefined],
  ["^a|b$", "a|b", undefined],
  ["a|b", "^a|b$", "ca"],
  ["(^|x)a", "a", undefined],
  ["a", "(^|x)a", "ba"],
  ["$^", "^$", undefined],
  ["^$", "$^", undefined],
  ["(?:^)(?:^)a", "^a", undefined],
  ["^a", "^^a", undefined],
  ["a^b", "z", undefined],
  ["", "^$", "a"],
  ["(^a)*", "^", undefined],
  ["^\\d{4}-\\d{2}$", "^\\d{4}-\\d{1,2}$", undefined],
  ["^\\d{4}-\\d{1,2}$", "^\\d{4}-\\d{2}$", "0000-0"],
  ["^.$", "^[^\\n]$", undefined],
  ["^[^\\n]$", "^.$", "\r"],
  ["^😀$", "^.$", undefined],
  ["^.{1,3}$", "^.{1,2}$", "aaa"],
  ["^[\\w.-]+$", "^[\\w.:-]+$", undefined],
  ["^[\\ud800-\\udfff]$", "a", undefined],
  ["^[\\ud800-\\ue000]$", "a", "\ue000"],
  ["^(?:https?|ftp)://", "^(?:https?|ftp|sftp)://", undefined],
];

const shortestOf = (first: string, second: string): string | undefined => {
  const { answer } = comparePatterns([first], [second]);
  if (answer.kind === "undecided") throw new Error(`Undecided: ${answer.limit ?? "what the patterns hold"}`);
  return answer.kind === "found" ? answer.text : undefined;
};

describe("two patterns", () => {
  it.each(PAIRS.map(([first, second, text]) => ({ first, second, text })))(
    "$first and not $second",
    ({ first, second, text }) => {
      const found = shortestOf(first, second);
      expect(found).toBe(text);
      if (found === undefined) return;
      expect([first, second].map((pattern) => new RegExp(pattern, "u").test(found))).toEqual([true, false]);
    },
  );

  it.each(["(?=a)b", "(?<!a)b", "\\bword\\b", "(a*)\\1", "^(?!x).*$"])("leaves %s undecided", (pattern) => {
    expect(comparePatterns([pattern], ["x"]).answer).toEqual({ kind: "undecided" });
  });

  it("proves an inclusion that holds without the lookaround on the left", () => {
    expect(comparePatterns(["^(?=.{1,9}$)[a-z]+$"], ["^[a-z]+$"]).answer).toEqual({ kind: "none" });
    expect(comparePatterns(["^[a-z]+$"], ["^(?=.{1,9}$)[a-z]+$"]).answer).toEqual({ kind: "undecided" });
  });

  it("names the limit that ended the comparison", () => {
    const answer = (first: string, second: string) => comparePatterns([first], [second]).answer;
    const undecided = (most: string): object => ({
      kind: "undecided",
      limit: `Comparing the patterns takes more than ${most}.`,
    });
    const ofLength = (length: number): string => `^a{${"1".padStart(length - 5, "0")}}$`;
    expect(answer("^[ab]{1,5000}$", "a")).toEqual(undecided("4,000 states"));
    expect(answer(ofLength(10_000), "a")).toEqual({ kind: "none" });
    expect(answer(ofLength(10_001), "a")).toEqual(undecided("4,000 states"));
    expect(answer("^[ab]*$", "^[ab]*a[ab]{24}$").kind).toBe("found");
    expect(answer("^[ab]*a[ab]{24}$", "^[ab]*a[ab]{24}c?$")).toEqual(undecided("300,000 steps"));
  });

  it("agrees with a search over all short texts", () => {
    const texts = [""];
    for (const text of texts)
      if (text.length < 4) texts.push(...["a", "b", "c"].map((letter) => text + letter));
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.constantFrom("a", "b", "[ab]", "[^a]", ".", "^", "$", ""),
        fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => one + other),
        fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `(?:${one}|${other})`),
        fc
          .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,2}"))
          .map(([one, times]) => `(?:${one})${times}`),
      ),
    }));
    fc.assert(
      fc.property(pattern, pattern, (first, second) => {
        const { answer } = comparePatterns([first], [second]);
        const [fits, other] = [new RegExp(first, "u"), new RegExp(second, "u")];
        if (answer.kind === "none")
          expect(texts.filter((text) => fits.test(text) && !other.test(text))).toEqual([]);
        if (answer.kind === "found")
          expect([fits.test(answer.text), other.test(answer.text)]).toEqual([true, false]);
        expect(answer.kind).not.toBe("undecided");
      }),
      { seed: Number(process.env["SEED"] ?? 1), numRuns: 500 },
    );
  });
});

describe("a changed pattern", () => {
  const toolOf = (schema: JsonObject): ToolSnapshot => ({
    name: "get",
    inputSchema: { type: "object", properties: { id: { type: "string", ...schema } } },
  });
  const limited = { pattern: "^(?=.{1,9}$)[a-z]+$" };
  const plain = { pattern: "^[a-z]+$" };
  const SAFE = { class: "safe" };
  const breaking = (id: string): object => ({ class: "breaking", witness: { id } });
  const WHY = "Comparing the patterns takes more than 300,000 steps.";

  it.each<[string, JsonObject, JsonObject, object | undefined]>([
    ["that matches every text that the old one matched", plain, { pattern: "^[a-z0-9_]+$" }, SAFE],
    ["whose limit says nothing", { pattern: "^[a-z]{3}$" }, { pattern: "^[a-z]{3}$", maxLength: 5 }, undefined],
    ["in another spelling", { pattern: "^[ab]$" }, { pattern: "^(a|b)$" }, undefined],
    ["that does not match every text", { pattern: "^[a-z0-9_]+$" }, { pattern: "^[a-z0-9]+$" }, breaking("_")],
    ["that does not match every text either", { pattern: "^\\S+$" }, { pattern: "^[^\\s/]+$" }, breaking("/")],
    ["without a lookahead that a length replaces", limited, { ...plain, maxLength: 9 }, undefined],
    ["with a lookahead that replaces lengths", { ...plain, minLength: 1, maxLength: 9 }, limited, undefined],
    ["without a lookahead", limited, plain, SAFE],
    ["whose lookahead allows more lengths", limited, { pattern: "^(?=.{1,12}$)[a-z]+$" }, SAFE],
    ["without a lookahead that a count replaces", { pattern: "^(?=.{3}$)[a-z]+$" }, { pattern: "^[a-z]{3}$" }, undefined],
    ["without a lookahead that a least count replaces", { pattern: "^(?=.{2,}$)[a-z]+$" }, { pattern: "^[a-z]{2,}$" }, undefined],
    ["whose lookahead allows fewer lengths", limited, { pattern: "^(?=.{2,8}$)[a-z]+$" }, breaking("a")],
    ["with a lookahead", plain, { pattern: "^(?=.{1,8}$)[a-z]+$" }, breaking("aaaaaaaaa")],
    ["whose comparison takes too many steps", { pattern: "^[ab]*a[ab]{24}$" }, { pattern: "^[ab]*a[ab]{24}c?$" }, { class: "unknown", reason: WHY }],
  ])("has its class, with a shortest counterexample: one %s", (_what, before, after, expected) => {
    const changes = diffTools([toolOf(before)], [toolOf(after)]).map(
      ({ rule, class: judged, witness, reason }) => ({ rule, class: judged, witness, reason }),
    );
    expect(changes).toEqual(expected === undefined ? [] : [{ rule: "input-pattern-changed", ...expected }]);
  }); // prettier-ignore
});
