import { expect, it } from "vitest";
import type { Change } from "../../../src/core/change.js";
import { nameOfRename } from "../../../src/core/rename.js";
import { guessRenames } from "../../../src/pipeline/fix/list-renames.js";

const base = { class: "breaking", security: false, server: "shop", tool: "find", impacts: [] } as const;

function value(rule: string, text: string): Change {
  const side = rule.endsWith("removed") ? { before: text } : { after: text };
  return { ...base, rule, path: "/inputSchema/properties/state/enum", ...side };
}

function property(rule: string, name: string): Change {
  return { ...base, rule, path: `/inputSchema/properties/${name}` };
}

function guess(...changes: readonly Change[]): readonly string[] {
  return guessRenames(changes, []).map(
    (rename) => `${nameOfRename(rename)} ${String(rename.confidence ?? "possible")}`,
  );
}

it("guesses a name that is spelled alike, and calls another one possible", () => {
  const removed = value("input-enum-value-removed", "cancelled");
  expect(guess(removed, value("input-enum-value-added", "canceled"))).toEqual([
    "shop/find.state:cancelled=canceled 0.8",
  ]);
  expect(guess(removed, value("input-enum-value-added", "shipped"))).toEqual([
    "shop/find.state:cancelled=shipped possible",
  ]);
  expect(
    guess(property("input-property-removed", "limit"), property("input-optional-property-added", "first")),
  ).toEqual(["shop/find.limit=first possible"]);
});

it("guesses nothing where several names were added", () => {
  const removed = value("input-enum-value-removed", "cancelled");
  const added = ["canceled", "aborted"].map((text) => value("input-enum-value-added", text));
  expect(guess(removed, ...added)).toEqual([]);
});

it("leaves out known renames", () => {
  const changes = [
    value("input-enum-value-removed", "cancelled"),
    value("input-enum-value-added", "canceled"),
  ];
  expect(guessRenames(changes, guessRenames(changes, []))).toEqual([]);
});
