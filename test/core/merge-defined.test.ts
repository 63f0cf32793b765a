import { expect, test } from "vitest";
import { mergeDefined } from "../../src/core/json.js";

test.each([
  [{ a: 1 }, { a: undefined }, { a: 1 }],
  [{ a: 1 }, { a: 2, b: undefined }, { a: 2 }],
  [{ a: 1 }, { a: null }, { a: null }],
  [{ a: 1 }, undefined, { a: 1 }],
  [{ a: undefined }, {}, { a: undefined }],
])("mergeDefined(%j, %j) is %j", (base, over, merged) => {
  expect(mergeDefined<object, object>(base, over)).toStrictEqual(merged);
});
