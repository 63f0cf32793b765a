import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { foldChanges, withCauses } from "../../src/report/fold-changes.js";

const tool = (name: string, inputSchema: JsonObject, more: JsonObject = {}): ToolSnapshot => ({
  name,
  inputSchema: { type: "object", ...inputSchema },
  ...more,
});

const names = ["cancel-order", "find-orders", "print-label", "track-parcel"];

/** Returns the findings between two lists: the rule of each, and its number of changes. */
function fold(before: readonly ToolSnapshot[], after: readonly ToolSnapshot[]): readonly string[] {
  return foldChanges(diffTools(before, after)).map((findings) => {
    const rules = [...new Set(findings.map(({ rule }) => rule))].join("+");
    return `${rules} ${findings.length}`;
  });
}

/** One edit of the input schemas of all tools. */
const ofAll = (
  before: (name: string) => JsonObject,
  after: (name: string) => JsonObject,
): readonly string[] =>
  fold(
    names.map((name) => tool(name, before(name))),
    names.map((name) => tool(name, after(name))),
  );

const money = (...fields: readonly string[]): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(fields.map((name) => [name, { type: "string" }])),
  required: fields,
});
const property = (schema: JsonObject, name = "value"): JsonObject => ({ properties: { [name]: schema } });

describe("one finding", () => {
  it("is a renamed field of a type shared by inputs and outputs", () => {
    const shop = (field: string): readonly ToolSnapshot[] =>
      names.map((name, index) =>
        tool(name, property(money("currency", field, "note"), `price${index}`), {
          outputSchema: { type: "object", ...property(money("currency", field, "note"), `total${index}`) },
        }),
      );
    expect(fold(shop("amountMinor"), shop("amount_minor"))).toEqual([
      "input-property-renamed+output-property-renamed 8",
    ]);
  });

  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ["an enum with many new spellings", property({ enum: ["a"] }), property({ enum: Array.from("abcdefghijklmnopqrstuvwx") }), ["input-enum-value-added 23"]],
    [
      "a union with several new branches",
      property({ type: "string" }),
      property({ oneOf: [{ type: "string" }, money("a"), money("b"), { type: "array" }].map((schema) => schema) }),
      ["input-union-branch-added 3"],
    ],
    [
      "several limits of one value",
      property({ type: "string" }),
      property({ type: "string", minLength: 1, maxLength: 9, pattern: "^a" }),
      ["input-bound-tightened+input-pattern-added 3"],
    ],
    [
      "a validator of several properties",
      { properties: { a: { type: "string" }, b: { type: "string" } } },
      { properties: Object.fromEntries(["a", "b"].map((name) => [name, { type: "string", minLength: 1, pattern: "^[0-9a-f]{24}$" }])) },
      ["input-bound-tightened+input-pattern-added 4"],
    ],
    [
      "rewritten descriptions of one tool",
      { properties: { a: { description: "One." }, b: { description: "Two." } } },
      { properties: { a: { description: "The first." }, b: { description: "The second one." } } },
      ["input-description-changed 2"],
    ],
  ])("is %s", (_what, before, after, expected) => {
    expect(fold([tool("t", before)], [tool("t", after)])).toEqual(expected);
  }); // prettier-ignore

  it("is one change in many tools", () => {
    expect(
      ofAll(
        (name) => property({ type: "string" }, name),
        (name) => ({ ...property({ type: "string" }, name), additionalProperties: false }),
      ),
    ).toEqual(["input-additional-properties-closed 4"]);
    expect(
      ofAll(
        () => ({}),
        (name) => property({ type: "boolean", description: `Confirms ${name}.` }, "confirm"),
      ),
    ).toEqual(["input-optional-property-added 4"]);
  });

  it("is an equal edit of different texts", () => {
    const texts = (end: string): readonly ToolSnapshot[] =>
      names.map((name) => ({ name, description: `Does ${name}.${end}` }));
    expect(fold(texts(""), texts(" Requires the scope orders."))).toEqual(["tool-description-changed 4"]);
  });

  it("are all added tools, or all removed tools", () => {
    const tools = names.map((name) => tool(name, property({}, name)));
    expect(fold([], tools)).toEqual(["tool-added 4"]);
    expect(fold(tools, [])).toEqual(["tool-removed 4"]);
  });
});

describe("several findings", () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      "are different values of one keyword",
      { properties: { a: { type: "string" }, b: { type: "string" } } },
      { properties: { a: { type: "string", maxLength: 5 }, b: { type: "string", maxLength: 6 } } },
    ],
    [
      "are the same small limit of properties with different names",
      { properties: { a: { type: "string" }, b: { type: "string" } } },
      { properties: { a: { type: "string", minLength: 1 }, b: { type: "string", minLength: 1 } } },
    ],
    ["are a removed and an added value", property({ enum: ["a", "b"] }), property({ enum: ["a", "c"] })],
    ["are two properties", {}, { properties: { a: {}, b: {} } }],
  ])("%s", (_what, before, after) => {
    expect(fold([tool("t", before)], [tool("t", after)])).toHaveLength(2);
  });

  it("are changes of one cause with different classes", () => {
    const [one, other] = diffTools(
      [tool("a", {}), tool("b", {})],
      [tool("a", property({}, "x")), tool("b", property({}, "x"))],
    );
    if (one === undefined || other === undefined) throw new Error("Both tools change.");
    const folded = foldChanges([
      { ...one, fails: true },
      { ...other, fails: false },
    ]);
    expect(folded).toHaveLength(2);
    expect(new Set(folded.map(([{ cause }]) => cause)).size).toBe(1);
  });

  it("are changes of two servers, or of two environments", () => {
    const [change] = diffTools([], [tool("a", {})], { server: "shop" });
    if (change === undefined) throw new Error("The tool was added.");
    expect(
      foldChanges([change, { ...change, server: "site" }, { ...change, environment: "live" }]),
    ).toHaveLength(3);
  });
});

it("gives each change the cause of its finding, equal in every run", () => {
  const changes = diffTools([tool("a", {})], [tool("a", { properties: { x: {}, y: {} } }), tool("b", {})]);
  const causes = withCauses(changes).map(({ cause }) => cause);
  expect(causes).toEqual(foldChanges(changes).map(([{ cause }]) => cause));
  expect(causes.every((cause) => /^[0-9a-f]{12}$/.test(cause ?? ""))).toBe(true);
  expect(withCauses([...changes].reverse()).map(({ cause }) => cause)).toEqual([...causes].reverse());
});

const FILE = "../shared/data/tool-changes/npm-mongodb-mcp-server.json";

interface Pair {
  readonly commit: string;
  readonly before: ToolSnapshot | null;
  readonly after: ToolSnapshot | null;
}

describe.skipIf(!existsSync(FILE))(`a real release (needs ${FILE})`, () => {
  it("folds seven hundred changes into fewer than eighty findings, and loses none", () => {
    const pairs = (JSON.parse(readFileSync(FILE, "utf8")) as Pair[]).filter(
      ({ commit }) => commit === "3.0.3",
    );
    const changes = diffTools(
      pairs.flatMap(({ before }) => before ?? []),
      pairs.flatMap(({ after }) => after ?? []),
    );
    const folded = foldChanges(changes);
    expect(changes.length).toBeGreaterThan(600);
    expect(folded.length).toBeLessThan(80);
    expect(new Set(folded.flat())).toEqual(new Set(withCauses(changes)));
  });
});
