import { describe, expect, it } from "vitest";
import type { Change, ChangeClass, FailOn, Policy } from "../../src/contract/change.js";
import { applyPolicy } from "../../src/drift/apply-policy.js";

const STRICT: Policy = { failOn: "any", preset: "strict", rules: {} };
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
function failsAt(one: Change, policy: Partial<Policy> = {}): readonly FailOn[] {
  return LEVELS.filter(
    (failOn) => applyPolicy([one], () => ({ ...STRICT, ...policy, failOn }))[0]?.fails === true,
  );
}

describe("the threshold", () => {
  it.each<[ChangeClass, readonly FailOn[]]>([
    ["breaking", ["any", "dangerous", "breaking"]],
    ["dangerous", ["any", "dangerous"]],
    ["unknown", ["any", "dangerous"]],
    ["safe", ["any"]],
  ])("fails a %s change at %j", (found, levels) => {
    expect(failsAt(change({ class: found }))).toEqual(levels);
  });

  it("fails a security finding at every level but never, whatever class, preset and rules say", () => {
    const finding = change({ security: true, impacts: ["trust"] });
    const rules = { [finding.rule]: "safe" as const };
    expect(failsAt(finding, { preset: "wire", rules })).toEqual(["any", "dangerous", "breaking"]);
  });

  it("fails nothing that has no impact, such as a server's own version", () => {
    expect(failsAt(change({ class: "safe", impacts: [] }))).toEqual([]);
  });
});

describe("a preset", () => {
  it("counts the impacts that the team cares for", () => {
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

  it("never leaves out what could not be proved, nor a server that is another one", () => {
    expect(failsAt(change({ class: "unknown" }), { preset: "wire" })).toEqual(["any", "dangerous"]);
    const identity = change({ rule: "server-name-changed", class: "breaking", impacts: ["trust"] });
    expect(failsAt(identity, { preset: "wire" })).toEqual(["any", "dangerous", "breaking"]);
  });
});

describe("the class that a team gives to a rule", () => {
  const judge = (one: Change, rules: Policy["rules"]): unknown =>
    applyPolicy([one], () => ({ ...STRICT, failOn: "dangerous", rules }))[0];

  it("takes the place of the rule's own, which stays in the report", () => {
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

  it("does not make safe what could not be proved", () => {
    const unproved = change({ rule: "input-pattern-changed", class: "unknown", impacts: ["wire"] });
    expect(judge(unproved, { "input-pattern-changed": "safe" })).toMatchObject({
      class: "unknown",
      fails: true,
    });
    expect(judge(unproved, { "input-pattern-changed": "dangerous" })).toMatchObject({ class: "dangerous" });
  });

  it("is taken from the policy of the change's own server", () => {
    const policies: Readonly<Record<string, Policy>> = {
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
