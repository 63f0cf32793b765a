import { expect, it } from "vitest";
import type { Change } from "../../../src/core/change.js";
import type { JsonObject } from "../../../src/core/json.js";
import { toolNameOf, type LockedAbility } from "../../../src/core/ability.js";
import { lockServer } from "../../../src/core/lock-server.js";
import type { ServerSnapshot } from "../../../src/core/snapshot.js";
import { diffServer } from "../../../src/drift/diff-server.js";
import { OPTIONS, snapshotOf } from "../../core/locks.js";

/** The declared replacement of each ability; "" for none. */
type Site = Readonly<Record<string, string>>;

function siteOf(site: Site, toolOf: (ability: string) => string = toolNameOf): ServerSnapshot {
  const names = Object.keys(site);
  const abilityOf = (name: string): LockedAbility => {
    const meta: JsonObject = site[name] ? { deprecated: { since: "2.0.0", replacement: site[name] } } : {};
    return { definition: { name, meta } };
  };
  const inputSchema = { type: "object" };
  return snapshotOf({
    wordpress: { profile: "0.5", route: "tools" },
    tools: names.map((name) => ({ name: toolOf(name), description: `Does ${name}.`, inputSchema })),
    abilities: Object.fromEntries(names.map((name) => [toolOf(name), abilityOf(name)])),
  });
}

function compare(before: Site, after: Site, toolOf?: (ability: string) => string): readonly string[] {
  const locked = lockServer(siteOf(before, toolOf), undefined, OPTIONS);
  return diffServer("shop", locked, siteOf(after, toolOf))
    .filter(({ rule }) => /^tool-(?:removed|added|renamed)$/.test(rule))
    .map(describeFinding);
}

/** A rename with a reason is certain and has no confidence. */
function describeFinding({ rule, tool, after, reason, confidence }: Change): string {
  if (reason !== undefined) expect(confidence).toBeUndefined();
  const name = typeof after === "string" ? ` → ${after}` : "";
  return `${rule} ${tool ?? "-"}${name}${reason === undefined ? "" : `: ${reason}`}`;
}

const NOTHING_ALIKE = "zebra/purge-cache";
const RENAMED = "tool-renamed acme-get-x → zebra-purge-cache: declared by the server";

it.each<[what: string, before: Site, after: Site, found: readonly string[]]>([
  ["a new tool that nothing else points to", { "acme/get-x": NOTHING_ALIKE }, { [NOTHING_ALIKE]: "" }, [RENAMED]],
  ["a tool that existed before", { "acme/get-x": NOTHING_ALIKE, [NOTHING_ALIKE]: "" }, { [NOTHING_ALIKE]: "" }, [RENAMED]],
  ["the name of the tool in place of the ability", { "acme/get-x": "zebra-purge-cache" }, { [NOTHING_ALIKE]: "" }, [RENAMED]],
  ["a replacement that was replaced too", { "acme/get-x": "acme/y", "acme/y": NOTHING_ALIKE }, { [NOTHING_ALIKE]: "" }, [RENAMED, "tool-renamed acme-y → zebra-purge-cache: declared by the server"]],
  ["a removed replacement", { "acme/get-x": "acme/y" }, { [NOTHING_ALIKE]: "" }, ["tool-removed acme-get-x", "tool-added zebra-purge-cache"]],
  ["replacements in a circle", { "acme/get-x": "acme/y", "acme/y": "acme/get-x" }, {}, ["tool-removed acme-get-x", "tool-removed acme-y"]],
  ["a deprecated tool that still exists", { "acme/get-x": NOTHING_ALIKE, [NOTHING_ALIKE]: "" }, { "acme/get-x": NOTHING_ALIKE, [NOTHING_ALIKE]: "" }, []],
  ["a declaration against a better guess", { "acme/get-posts": NOTHING_ALIKE }, { "acme/get-post": "", [NOTHING_ALIKE]: "" }, ["tool-added acme-get-post", "tool-renamed acme-get-posts → zebra-purge-cache: declared by the server"]],
])("treats a declared replacement as a certain rename: %s", (_what, before, after, found) => {
  expect(compare(before, after)).toEqual(found);
}); // prettier-ignore

it("finds the replacement on a server that gives its tools other names", () => {
  const rename = (name: string): string => `my_${name.replace("/", "_")}`;
  const found = compare({ "acme/get-x": "acme/y" }, { "acme/y": "" }, rename);
  expect(found).toEqual(["tool-renamed my_acme_get-x → my_acme_y: declared by the server"]);
});
