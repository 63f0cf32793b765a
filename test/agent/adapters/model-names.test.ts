import fc from "fast-check";
import { expect, test } from "vitest";
import { nameForModels } from "../../../src/agent/registry/tool-names.js";

const nameAll = (names: readonly string[]): readonly string[] => [
  ...nameForModels(names.map((name) => ({ name }))).keys(),
];

test("a name that fits and begins with a letter or _ stays, another gets a digest of the whole", () => {
  const long = `wordpress__${"very-".repeat(20)}long`;
  // The same on every machine and in every release: a conversation goes on under these names.
  expect(nameAll(["wordpress__get-post", "_ok", "3d_render", "-dash", "posts.create", long])).toEqual([
    ...["wordpress__get-post", "_ok", "_3d_render_7a8259fb", "_-dash_786bbbb4", "posts_create_f78ae292"],
    "wordpress__very-very-very-very-very-very-very-very-very_ffdbb620",
  ]);
});

test("names that differ only in what does not fit, or after the end, stay apart", () => {
  const ends = ["a", "b"].map((end) => `${"x".repeat(70)}${end}`);
  expect(new Set(nameAll(["a.b", "a/b", "a_b", "a b", "ä", ...ends])).size).toBe(7);
});

test("a name that a shortened one would get is left to its owner", () => {
  const [taken = ""] = nameAll(["a.b"]);
  const tools = nameForModels([{ name: "a.b" }, { name: taken }]);
  expect(tools.get(taken)?.name).toBe(taken);
  expect(tools.size).toBe(2);
});

test("any names become names that fit, one each, the same in any order and whatever else there is", () => {
  const name = fc.oneof(fc.string({ minLength: 1, maxLength: 200 }), fc.stringMatching(/^[a-z_.-]{1,80}$/));
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 30 }), (names) => {
      const given = nameForModels(names.map((one) => ({ name: one })));
      expect([...given.values()].map((tool) => tool.name)).toEqual(names);
      for (const key of given.keys()) expect(key).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
      const byOwner = new Map([...given].map(([key, tool]) => [tool.name, key]));
      for (const [key, tool] of nameForModels(names.toReversed().map((one) => ({ name: one })))) {
        expect(key).toBe(byOwner.get(tool.name));
      }
    }),
  );
});
