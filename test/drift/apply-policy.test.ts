import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallSite, Change, ChangeClass, CheckPolicy, FailOn, Preset } from "../../src/core/change.js";
import { joinPointer } from "../../src/core/json-pointer.js";
import { applyPolicy, applyWaivers, waiverFor } from "../../src/drift/apply-policy.js";
import { ALL_RULES } from "../../src/drift/rules.js";
import { WAIVERS_FORMAT } from "../../src/files/project-records.js";
import { parseFormat } from "../../src/files/parse-json.js";

const STRICT: CheckPolicy = { failOn: "any", preset: "strict", rules: {} };
const LEVELS: readonly FailOn[] = ["any", "dangerous", "breaking", "consumer", "never"];

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

/** The levels at which a change fails. */
function failsAt(one: Change, policy: Partial<CheckPolicy> = {}): readonly FailOn[] {
  return LEVELS.filter(
    (failOn) => applyPolicy([one], () => ({ ...STRICT, ...policy, failOn }))[0]?.fails === true,
  );
}

describe("the threshold", () => {
  it.each<[ChangeClass, readonly FailOn[]]>([
    ["breaking", ["any", "dangerous", "breaking"]],
    ["dangerous", ["any", "dangerous"]],
    ["unknown", ["any", "dangerous", "breaking"]],
    ["safe", ["any"]],
  ])("fails a %s change at %j", (found, levels) => {
    expect(failsAt(change({ class: found }))).toEqual(levels);
  });

  it("fails a security finding at every level except never, regardless of class, preset and rules", () => {
    const finding = change({ security: true, impacts: ["trust"] });
    const rules = { [finding.rule]: "safe" as const };
    expect(failsAt(finding, { preset: "wire", rules })).toEqual(["any", "dangerous", "breaking"]);
  });

  it("never fails a change without an impact, such as a server's version", () => {
    expect(failsAt(change({ class: "safe", impacts: [] }))).toEqual([]);
  });
});

describe("a preset", () => {
  it("counts only its own impacts", () => {
    const rows = (["wire", "types", "behaviour", "model", "trust"] as const).map((impact) =>
      (["wire", "types", "model", "strict"] as const).filter(
        (preset) => failsAt(change({ class: "safe", impacts: [impact] }), { preset }).length > 0,
      ),
    );
    expect(rows).toEqual([
      ["wire", "types", "model", "strict"],
      ["types", "model", "strict"],
      ["model", "strict"],
      ["model", "strict"],
      ["strict"],
    ]);
  });

  it("always counts unknown changes and a changed server name", () => {
    expect(failsAt(change({ class: "unknown" }), { preset: "wire" })).toEqual([
      "any",
      "dangerous",
      "breaking",
    ]);
    const identity = change({ rule: "server-name-changed", class: "breaking", impacts: ["trust"] });
    expect(failsAt(identity, { preset: "wire" })).toEqual(["any", "dangerous", "breaking"]);
  });
});

describe("a change that breaks the user's own code", () => {
  const PRESETS: readonly Preset[] = ["wire", "types", "model", "strict"];
  /** The presets under which the change fails `--fail-on breaking`. */
  const breakingUnder = (one: Change, effect: CallSite["effect"]): readonly Preset[] =>
    PRESETS.filter((preset) => {
      const callSites = [{ file: "a.ts", line: 1, column: 1, says: "", effect }];
      const [judged] = applyPolicy([{ ...one, callSites }], () => ({
        ...STRICT,
        preset,
        failOn: "breaking",
      }));
      if (judged?.fails !== true) return false;
      expect(judged.class).toBe("breaking");
      expect(judged.reason).toMatch(/^Your code /);
      return true;
    });
  const RULES = [...ALL_RULES].filter(
    ([, rule]) =>
      /safe|dangerous/.test(rule.class) && rule.impacts.includes("types") && rule.security !== true,
  );

  it.each(RULES)("is breaking: %s", (name, { class: own, impacts }) => {
    const one = change({ rule: name, class: own, impacts });
    const isClosed = name === "input-additional-properties-closed";
    expect(breakingUnder(one, "stops-compiling")).toEqual(isClosed ? PRESETS : PRESETS.slice(1));
    expect(breakingUnder(one, "rejected")).toEqual(impacts.includes("wire") ? PRESETS : PRESETS.slice(1));
    expect(breakingUnder(one, "unchecked")).toEqual(isClosed ? PRESETS : []);
    expect(breakingUnder(one, "may-be-rejected")).toEqual([]);
    expect(breakingUnder(one, "names-it")).toEqual([]);
  });

  it("has the class that a team gives to the rule", () => {
    const callSites = [{ file: "a.ts", line: 1, column: 1, says: "", effect: "rejected" as const }];
    const rules = { "input-default-changed": "safe" as const };
    const [judged] = applyPolicy([change({ callSites })], () => ({ ...STRICT, rules }));
    expect(judged).toMatchObject({ class: "safe", foundClass: "breaking" });
  });
});

describe("the class that a team gives to a rule", () => {
  const judge = (one: Change, rules: CheckPolicy["rules"]): unknown =>
    applyPolicy([one], () => ({ ...STRICT, failOn: "dangerous", rules }))[0];

  it("replaces the rule's class, which stays in the report", () => {
    expect(judge(change(), { "input-default-changed": "safe" })).toMatchObject({
      class: "safe",
      foundClass: "dangerous",
      fails: false,
    });
    expect(judge(change(), { "input-default-changed": "breaking" })).toMatchObject({
      class: "breaking",
      fails: true,
    });
    expect(judge(change(), {})).not.toHaveProperty("foundClass");
  });

  it("cannot make an unknown change safe", () => {
    const unproved = change({ rule: "input-pattern-changed", class: "unknown", impacts: ["wire"] });
    expect(judge(unproved, { "input-pattern-changed": "safe" })).toMatchObject({
      class: "unknown",
      fails: true,
    });
    expect(judge(unproved, { "input-pattern-changed": "dangerous" })).toMatchObject({ class: "dangerous" });
  });

  it("lets an unproved change pass `--fail-on breaking`", () => {
    const unproved = change({ rule: "input-pattern-changed", class: "unknown", impacts: ["wire"] });
    const lowered = { rules: { "input-pattern-changed": "dangerous" } } as const;
    expect(failsAt(unproved)).toContain("breaking");
    expect(failsAt(unproved, lowered)).toEqual(["any", "dangerous"]);
  });

  it("comes from the policy of the change's server", () => {
    const policies: Readonly<Record<string, CheckPolicy>> = {
      site: STRICT,
      other: { ...STRICT, failOn: "breaking" },
    };
    const judged = applyPolicy(
      [change(), change({ server: "other" })],
      (server) => policies[server] ?? STRICT,
    );
    expect(judged.map(({ fails }) => fails)).toEqual([true, false]);
  });

  it("is not read from the prototype of the rules", () => {
    expect(judge(change({ rule: "toString" }), {})).toMatchObject({ class: "dangerous" });
  });
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
    return applied.changes.flatMap((one) => (one.waiver === undefined ? [] : [one.path]));
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
});
