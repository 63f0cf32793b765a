import { expect, test } from "vitest";
import type { AbilitySnapshot } from "../../../src/core/ability.js";
import { makeChange } from "../../../src/drift/unconfirmed-change.js";
import { locateChange } from "../../../src/sources/php/locate-change.js";

const ABILITY: AbilitySnapshot = {
  name: "a/b",
  meta: {
    annotations: { readonly: null, destructive: true, readOnlyHint: true, title: "T" },
    mcp: { icons: [{ src: "https://a.example/1.png" }], _meta: { a: 1 } },
  },
};

test.each([
  ["/annotations/readOnlyHint", "/meta/annotations/readOnlyHint"],
  ["/annotations/destructiveHint", "/meta/annotations/destructive"],
  ["/annotations/title", "/meta/annotations/title"],
  ["/icons", "/meta/mcp/icons"],
  ["/_meta", "/meta/mcp/_meta"],
])("%s of a tool is %s of its ability", (path, at) => {
  const change = makeChange("tool-title-changed", { server: "s", tool: "a-b", path }, {});
  const place = { file: "a.php", line: 7 };
  expect(locateChange(change, ABILITY, new Map([[at, place]]))).toBe(place);
});
