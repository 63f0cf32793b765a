import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { codeOf } from "../../src/core/errors.js";

it.each([
  [Object.assign(new Error("x"), { code: "ENOENT" }), "ENOENT"],
  // As under Jest: an error of another realm.
  [runInNewContext(`Object.assign(new Error("x"), { code: "ENOENT" })`) as unknown, "ENOENT"],
  [Object.assign(new Error("x"), { code: 7 }), undefined],
  [new Error("x"), undefined],
  ["ENOENT", undefined],
  [null, undefined],
])("reads the code of %s", (error, code) => {
  expect(codeOf(error)).toBe(code);
});
