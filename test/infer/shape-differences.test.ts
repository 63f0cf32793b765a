import { expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/contract/json.js";
import { inferShape } from "../../src/infer/infer-shape.js";
import { readObservedAnswer } from "../../src/infer/observe.js";
import { differencesFrom } from "../../src/infer/shape-differences.js";

it.each<{ recorded: readonly JsonValue[]; live: JsonValue; differences: readonly string[] }>([
  { recorded: [{ id: 1, title: "a" }], live: { id: 2, title: "b" }, differences: [] },
  { recorded: [{ id: 1 }], live: { id: "1" }, differences: ["id is string, recorded was number"] },
  { recorded: [{ id: 1 }, { id: null }], live: { id: null }, differences: [] },
  {
    recorded: [{ id: 1 }, { id: null }],
    live: { id: [] },
    differences: ["id is array, recorded was null or number"],
  },
  { recorded: [{ id: 1, note: "x" }, { id: 2 }], live: { id: 3 }, differences: [] },
  { recorded: [{ id: 1 }], live: {}, differences: ["id is missing"] },
  { recorded: [{ id: 1 }], live: { id: 1, color: "red" }, differences: ["color is new"] },
  {
    recorded: [{ items: [{ a: 1 }, { a: 2 }] }],
    live: { items: [{ a: "x" }, { a: "y" }] },
    differences: ["items.*.a is string, recorded was number"],
  },
  { recorded: [{ items: [] }], live: { items: [1, "x"] }, differences: [] },
  {
    recorded: [{ byId: { "17": { n: 1 } } }],
    live: { byId: { "4": { n: 1 }, "5": { n: 2 } } },
    differences: [],
  },
  { recorded: ["done"], live: "finished", differences: [] },
  { recorded: ["done"], live: { ok: true }, differences: ["the answer is object, recorded was string"] },
  { recorded: [{ total: 1 }], live: { total: 1.5 }, differences: [] },
  {
    recorded: [
      {
        items: [
          { type: "a", x: 1 },
          { type: "a", x: 1 },
          { type: "b", y: 1 },
          { type: "b", y: 2 },
        ],
      },
    ],
    live: {
      items: [
        { type: "a", y: 1 },
        { type: "c", x: 1, y: 2 },
      ],
    },
    differences: ["items.*.x is missing", "items.*.y is new"],
  },
  { recorded: [{ a: { b: 1 } }], live: { a: { b: 1, c: 2 } }, differences: ["a.c is new"] },
])("compares $live with $recorded", ({ recorded, live, differences }) => {
  expect(differencesFrom(inferShape(recorded), live)).toEqual(differences);
});

it("reads structured content, JSON in text, and text", () => {
  const text = (...texts: readonly string[]) => ({
    content: texts.map((one) => ({ type: "text", text: one })),
  });
  const valueOf = (result: JsonObject) => readObservedAnswer(result)?.value;
  expect(valueOf({ ...text("x"), structuredContent: { a: 1 } })).toEqual({ a: 1 });
  expect(valueOf(text('{"a":1}'))).toEqual({ a: 1 });
  expect(valueOf(text("12"))).toBe("12");
  expect(valueOf(text("a", "b"))).toBe("a\nb");
  expect(valueOf({ ...text("x"), isError: true })).toBeUndefined();
});
