import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Change } from "../../src/core/change.js";
import { joinPointer } from "../../src/core/json-pointer.js";
import { applyWaivers, waiverFor } from "../../src/core/waivers.js";
import { parseFormat } from "../../src/files/parse-json.js";
import { WAIVERS_FORMAT } from "../../src/core/waivers.js";

function change(changes: Partial<Change> = {}): Change {
  return {
    rule: "input-default-changed",
    class: "dangerous",
    security: false,
    server: "site",
    tool: "create-post",
    path: "",
    impacts: ["behaviour", "model"],
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
    "*",
    "**",
    "?",
    "a*b",
    "a{b,c}",
    "{b,c}",
    "^[a-z]{2,3}$",
    "~",
    "~*",
    "/",
    "a/b",
    "\\*",
    "",
    " ",
    "__proto__",
  ];
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
    const changes = ["a", "b", "ab"].map((name) =>
      change({ path: `/inputSchema/properties/${name}/maxLength` }),
    );
    expect(coveredBy(changes, { path })).toEqual(
      names.map((name) => `/inputSchema/properties/${name}/maxLength`),
    );
    expect(coveredBy(changes, { path, literal: true })).toEqual([]);
    expect(
      coveredBy(
        changes.map((one) => ({ ...one, security: true })),
        { path },
      ),
    ).toEqual([]);
  });

  it("that covers nothing says why", () => {
    const one = change({ before: 1, after: 2 });
    const stateOf = (changes: readonly Change[], more: object = {}): readonly unknown[] =>
      applyWaivers(changes, [{ ...waiverFor(one, "Known."), ...more }], {
        today: "2026-06-01",
        isJudged: () => true,
      }).notices.map(({ facts }) => facts?.state);
    expect(stateOf([one])).toEqual([]);
    expect(stateOf([one], { expires: "2026-06-01" })).toEqual([]);
    expect(stateOf([one], { expires: "2026-05-31" })).toEqual(["expired"]);
    expect(stateOf([change({ before: 1, after: 3 })])).toEqual(["void"]);
    expect(stateOf([])).toEqual(["unused"]);
  });
});
