import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Change } from "../../src/core/change.js";
import { joinPointer } from "../../src/core/json-pointer.js";
import { acceptOptions, applyWaivers, findingId, isFindingId, waiverFor } from "../../src/core/waivers.js";
import { parseFormat } from "../../src/files/parse-json.js";
import { WAIVERS_FORMAT } from "../../src/core/waivers.js";

function change(changes: Partial<Change> = {}): Change {
  return {
    ...{ rule: "input-default-changed", class: "dangerous", security: false },
    ...{ server: "site", tool: "create-post", path: "", impacts: ["behaviour", "model"] },
    ...changes,
  };
}

it("is reported as unused or void by the check that it was written for alone", () => {
  const unused = waiverFor(change(), "Known.");
  const changed = { ...unused, path: "/inputSchema" };
  const findings = [change({ path: "/inputSchema", after: 1 })];
  const statesIn = (check: string | undefined, of?: string): readonly unknown[] => {
    const waivers = [unused, changed].map((waiver) => ({
      ...waiver,
      ...(of !== undefined && { check: of }),
    }));
    const { notices } = applyWaivers(findings, waivers, { check, isJudged: () => true });
    return notices.map(({ facts }) => facts?.state);
  };
  expect(statesIn("")).toEqual(["unused", "void"]);
  expect(statesIn("--against main")).toEqual([]);
  expect(statesIn("", "--against main")).toEqual([]);
  expect(statesIn("--against main", "--against main")).toEqual(["unused", "void"]);
  expect(statesIn(undefined, "--against main")).toEqual(["unused", "void"]);
});

it("of two branches are both kept after a merge conflict", () => {
  const text = '{ "waivers": [\n<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> other\n] }';
  const parse = (): unknown => parseFormat(WAIVERS_FORMAT, text, "waivers");
  expect(parse).toThrow("merge conflict");
  expect(parse).toThrow(
    expect.objectContaining({ hint: expect.stringContaining("Keep the entries of both sides") as unknown }),
  );
});

describe("a waiver", () => {
  const HOSTILE = [
    "*", "**", "?", "a*b", "a{b,c}", "{b,c}", "^[a-z]{2,3}$", "~", "~*", "/", "a/b", "\\*", "", " ", "__proto__",
  ]; // prettier-ignore
  const step = fc.oneof(
    fc.constantFrom(...HOSTILE),
    fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "{", "}", ",", "~", "/"), maxLength: 5 }),
  );
  const paths = fc.uniqueArray(
    fc.array(step, { maxLength: 4 }).map((steps) => joinPointer("/inputSchema", ...steps)),
    { minLength: 1, maxLength: 6 },
  );
  /** The paths of the changes that waivers cover after they were written and read. */
  const coveredBy = (changes: readonly Change[], waiver: object): readonly string[] => {
    const text = WAIVERS_FORMAT.format.print({ waivers: [{ ...waiverFor(change(), "x"), ...waiver }] });
    const { waivers } = parseFormat(WAIVERS_FORMAT, text, "waivers");
    const applied = applyWaivers(changes, waivers, { isJudged: () => true });
    return applied.findings.flatMap((one) => (one.waiver === undefined ? [] : [one.path]));
  };

  it("that is written or copied for a finding covers that finding alone, whatever its path", () => {
    fc.assert(
      fc.property(paths, fc.boolean(), (all, security) => {
        const changes = all.map((path) => change({ path, security }));
        for (const one of changes) {
          const { literal: _, ...copied } = waiverFor(one, "Known.");
          expect(coveredBy(changes, waiverFor(one, "Known."))).toEqual([one.path]);
          expect(coveredBy(changes, copied)).toEqual([one.path]);
          // The finding is gone.
          const others = changes.filter((other) => other !== one);
          expect(coveredBy(others, waiverFor(one, "Known."))).toEqual([]);
        }
      }),
    );
  });

  it.each([
    ["/inputSchema/properties/*/maxLength", ["a", "b", "ab"]],
    ["/inputSchema/properties/?/maxLength", ["a", "b"]],
    ["/inputSchema/properties/{a,ab}/maxLength", ["a", "ab"]],
    ["/inputSchema/**", ["a", "b", "ab"]],
    ["/**/maxLength", ["a", "b", "ab"]],
    ["/**/b/**", ["b"]],
    ["/inputSchema/**/x", []],
    ["/inputSchema/properties/[ab]/maxLength", []],
  ])("that a person writes for %s covers %j", (path, names) => {
    const pathOf = (name: string): string => `/inputSchema/properties/${name}/maxLength`;
    const findings = ["a", "b", "ab"].map((name) => change({ path: pathOf(name) }));
    expect(coveredBy(findings, { path })).toEqual(names.map(pathOf));
    expect(coveredBy(findings, { path, literal: true })).toEqual([]);
    const ofSecurity = findings.map((finding) => ({ ...finding, security: true }));
    expect(coveredBy(ofSecurity, { path })).toEqual([]);
  });

  it("that covers nothing says why", () => {
    const one = change({ before: 1, after: 2 });
    const options = { today: "2026-06-01", isJudged: () => true };
    const stateOf = (findings: readonly Change[], ...more: readonly object[]): readonly unknown[] => {
      const waivers = more.map((each) => ({ ...waiverFor(one, "Known."), ...each }));
      return applyWaivers(findings, waivers, options).notices.map(({ facts }) => facts?.state);
    };
    expect(stateOf([one], {})).toEqual([]);
    expect(stateOf([one], { expires: "2026-06-01" })).toEqual([]);
    expect(stateOf([one], { expires: "2026-05-31" })).toEqual(["expired"]);
    expect(stateOf([one], { expires: "2026-05-31" }, {})).toEqual(["unused"]);
    expect(stateOf([change({ before: 1, after: 3 })], {})).toEqual(["void"]);
    expect(stateOf([], {}, {})).toEqual(["unused"]);
  });
});

const changes = (count: number): readonly Change[] =>
  Array.from({ length: count }, (_, index) => change({ path: `/${index}` }));

it.each<[string, Partial<Change>]>([
  ["its rule", { rule: "input-property-renamed" }],
  ["its server", { server: "blog" }],
  ["its tool", { tool: "list" }],
  ["its path", { path: "/a" }],
  ["its value before", { before: null }],
  ["its value after", { after: null }],
])("a finding is named by %s", (_what, more) => {
  expect(findingId(change())).toMatch(/^[0-9a-f]{12}$/);
  expect(findingId(change(more))).not.toBe(findingId(change()));
  expect(isFindingId(findingId(change(more)))).toBe(true);
  const { tool: _, ...ofServer } = change(more);
  expect(findingId(ofServer)).not.toBe(findingId(change(more)));
});

it("a finding is not named by its class, nor by the order of keys", () => {
  expect(findingId(change({ class: "safe", impacts: [] }))).toBe(findingId(change()));
  expect(findingId(change({ after: { a: 1, b: 2 } }))).toBe(findingId(change({ after: { b: 2, a: 1 } })));
});

it.each([
  ["0123456789ab", true],
  ["0123456789a", false],
  ["0123456789abc", false],
  ["0123456789AB", false],
  ["input-property-removed", false],
])("%s is the name of a finding: %s", (text, isName) => {
  expect(isFindingId(text)).toBe(isName);
});

it("up to eight findings are accepted by their names, and more by their rules", () => {
  expect(acceptOptions([])).toEqual([]);
  const named = (list: readonly Change[]): readonly string[] =>
    list.map((each) => `--accept ${findingId(each)}`);
  expect(acceptOptions([change(), change()])).toEqual([...named([change()]), '--reason "\u2026"']);
  expect(acceptOptions(changes(8))).toEqual([...named(changes(8)), '--reason "\u2026"']);
  expect(acceptOptions(changes(9))).toEqual(["--accept input-default-changed", '--reason "\u2026"']);
});
