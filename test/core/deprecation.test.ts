import { describe, expect, it } from "vitest";
import { deprecationOf } from "../../src/core/ability.js";
import type { JsonValue } from "../../src/core/json.js";

const of = (deprecated: JsonValue) => deprecationOf({ name: "acme/get", meta: { deprecated } });

describe("deprecationOf", () => {
  it.each([
    [true, {}],
    [{ since: "2.0.0" }, { since: "2.0.0" }],
    [{ since: "2.0.0", replacement: "acme/fetch", message: "Slow.", other: 1 }, { since: "2.0.0", replacement: "acme/fetch", message: "Slow." }],
    [{ since: 2, message: "" }, {}],
  ])("reads %j", (deprecated, expected) => {
    expect(of(deprecated)).toEqual(expected);
  }); // prettier-ignore

  it.each([[false], [null], [[]], [{}], ["yes"], [1]])("%j is not a deprecation", (deprecated) => {
    expect(of(deprecated)).toBeUndefined();
  });

  it("needs an object for meta", () => {
    expect(deprecationOf({ name: "a/b" })).toBeUndefined();
    expect(deprecationOf({ name: "a/b", meta: [] })).toBeUndefined();
  });
});
