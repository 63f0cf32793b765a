import { describe, expect, it } from "vitest";
import type { CallSite, Change } from "../../src/core/change.js";
import type { CheckPolicy, FailOn, Preset } from "../../src/core/check-policy.js";
import { applyPolicy, isDrift } from "../../src/drift/apply-policy.js";
import { ALL_RULES } from "../../src/drift/rules.js";

const STRICT: CheckPolicy = { failOn: "any", preset: "strict", rules: {} };
const LEVELS: readonly FailOn[] = ["any", "dangerous", "breaking", "never"];

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
  it.each<[Partial<Change>, string]>([
    [{ class: "breaking" }, "any dangerous breaking"],
    [{ class: "dangerous" }, "any dangerous"],
    [{ class: "unknown" }, "any dangerous breaking"],
    [{ class: "safe" }, "any"],
    [{ class: "safe", security: true }, "any dangerous breaking"],
    [{ class: "safe", impacts: [] }, ""],
  ])("%j fails at: %s", (rest, levels) => {
    expect(LEVELS.filter((level) => isDrift(change(rest), level)).join(" ")).toBe(levels);
  });

  it("fails a security finding at every level except never, regardless of class, preset and rules", () => {
    const finding = change({ security: true, impacts: ["trust"] });
    const rules = { [finding.rule]: "safe" as const };
    expect(failsAt(finding, { preset: "wire", rules })).toEqual(["any", "dangerous", "breaking"]);
    const policy: CheckPolicy = { failOn: "any", preset: "strict", rules };
    expect(applyPolicy([finding], () => policy)).toEqual([{ ...finding, fails: true }]);
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
    const lowered = { ...change(), class: "safe", foundClass: "dangerous", fails: false };
    expect(judge(change(), { "input-default-changed": "safe" })).toEqual(lowered);
    const raised = { ...change(), class: "breaking", foundClass: "dangerous", fails: true };
    expect(judge(change(), { "input-default-changed": "breaking" })).toEqual(raised);
    for (const rule of ["input-default-changed", "toString"])
      expect(judge(change({ rule }), {})).toEqual({ ...change({ rule }), fails: true });
  });

  it("lets an unproved change pass `--fail-on breaking`, but cannot make it safe", () => {
    const unproved = change({ rule: "input-pattern-changed", class: "unknown", impacts: ["wire"] });
    expect(judge(unproved, { "input-pattern-changed": "safe" })).toEqual({ ...unproved, fails: true });
    expect(failsAt(unproved)).toEqual(["any", "dangerous", "breaking"]);
    const lowered = { rules: { "input-pattern-changed": "dangerous" } } as const;
    expect(failsAt(unproved, lowered)).toEqual(["any", "dangerous"]);
  });

  it("comes from the policy of the change's server", () => {
    const judged = applyPolicy([change(), change({ server: "other" })], (server) =>
      server === "site" ? STRICT : { ...STRICT, failOn: "breaking" },
    );
    expect(judged.map(({ fails }) => fails)).toEqual([true, false]);
  });
});
