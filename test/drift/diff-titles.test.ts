import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import type { EntryList } from "../../src/core/entries.js";
import { diffEntries } from "../../src/drift/diff-entries.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { foldSpace } from "../../src/core/json-pointer.js";

const NAME = "do_it";
/** A tool may have any of these, at either place; one equals its name, and one is blank. */
const TITLES = [undefined, "Do it", "Do  it\n", "Run it", NAME, " "] as const;
type Title = (typeof TITLES)[number];

const toolOf = (title: Title, annotated: Title): ToolSnapshot => ({
  name: NAME,
  ...(title !== undefined && { title }),
  ...(annotated !== undefined && { annotations: { title: annotated } }),
});

/** The name that a client shows (MCP specification, `ToolAnnotations.title`): title, annotations.title, name. */
const shownOf = (...titles: readonly Title[]): string => [...titles.map(foldSpace), NAME].find((text) => text !== "") as string; // prettier-ignore

const cases = TITLES.flatMap((title) =>
  TITLES.flatMap((annotated) =>
    TITLES.flatMap((nextTitle) =>
      TITLES.map((nextAnnotated) => ({ before: [title, annotated], after: [nextTitle, nextAnnotated] })),
    ),
  ),
) as readonly { readonly before: readonly [Title, Title]; readonly after: readonly [Title, Title] }[];

describe("the title that clients show", () => {
  it.each(TITLES)("is reported once if it changed, after title %j", (first) => {
    for (const { before, after } of cases.filter((one) => one.before[0] === first)) {
      const changes = diffTools([toolOf(...before)], [toolOf(...after)]);
      const label = JSON.stringify([before, after]);
      const reported = changes.filter(({ reason }) => reason !== "Clients show another title.");
      const isShownAnew = shownOf(...before) !== shownOf(...after);
      const rules = isShownAnew ? ["tool-title-changed"] : [];
      expect([label, reported.map(({ rule }) => rule)]).toEqual([label, rules]);
      const [change] = reported;
      if (change !== undefined) {
        // The name of the tool is never a value of the change.
        const [was, is] = [before, after].map((titles) => titles.find((text) => foldSpace(text) !== ""));
        expect([label, change.before, change.after]).toEqual([label, was, is]);
        const isFirst = was === undefined && after.every((text) => foldSpace(text) === shownOf(...after));
        expect([label, change.class]).toEqual([label, isFirst ? "safe" : "dangerous"]);
      }
    }
  });

  it.each(TITLES)("is not reported for a copy of it, after title %j", (first) => {
    for (const { before, after } of cases.filter((one) => one.before[0] === first)) {
      const isCopy = (titles: readonly Title[]): boolean => titles.every((text) => ["", shownOf(...titles)].includes(foldSpace(text) as string)); // prettier-ignore
      const others = diffTools([toolOf(...before)], [toolOf(...after)]).filter(
        ({ reason }) => reason === "Clients show another title.",
      );
      const label = JSON.stringify([before, after]);
      if (isCopy(before) && isCopy(after)) expect([label, others]).toEqual([label, []]);
      const safe = { rule: "tool-title-changed", class: "safe", path: "/annotations/title" };
      for (const change of others) expect(change).toMatchObject(safe);
    }
  });
});

describe.each<[string, EntryList, (entry: JsonObject) => JsonObject]>([
  ["a prompt", "prompts", (entry) => entry],
  ["an argument of a prompt", "prompts", (entry) => ({ name: "p", arguments: [entry] })],
  ["a resource", "resources", (entry) => ({ uri: "a:b", ...entry })],
  ["a template of resources", "resourceTemplates", (entry) => ({ uriTemplate: "a:{b}", ...entry })],
])("the title of %s", (_what, list, wrap) => {
  it("is reported if the shown name changed", () => {
    for (const [before, after] of TITLES.flatMap((old) => TITLES.map((now) => [old, now] as const))) {
      const [old, now] = [before, after].map((title) => ({ x: wrap({ name: NAME, ...(title !== undefined && { title }) }) })); // prettier-ignore
      const changes = diffEntries("shop", { [list]: old ?? {} }, { [list]: now ?? {} });
      const isShownAnew = shownOf(before) !== shownOf(after);
      expect([before, after, changes.map(({ path }) => path.split("/").at(-1))]).toEqual([before, after, isShownAnew ? ["title"] : []]); // prettier-ignore
    }
  });
});

it("reports a title that clients do not show as safe", () => {
  const of = (title: string): ToolSnapshot => ({ name: "t", title: "A", annotations: { title } });
  const reason = "Clients show another title.";
  expect(diffTools([of("B")], [of("C")])).toMatchObject([{ class: "safe", before: "B", after: "C", reason }]);
});

it.each<[string, JsonObject, JsonObject, readonly string[]]>([
  ["equal titles that are not texts", { title: 5, description: "A" }, { title: 5, description: "A " }, []],
  ["another title that is not a text", { title: 5 }, { title: 6 }, ["tool-title-changed"]],
  ["a null", { title: null }, {}, []],
])("compares %s", (_what, before, after, expected) => {
  const [old, now] = [before, after].map((annotations) => ({ name: "t", annotations }));
  const rules = diffTools(old === undefined ? [] : [old], now === undefined ? [] : [now])
    .map(({ rule }) => rule)
    .filter((rule) => rule !== "definition-changed");
  expect(rules).toEqual(expected);
});

it("does not report the new name of a renamed tool without titles as a title", () => {
  const schema = { type: "object", properties: { order: { type: "string" }, reason: { type: "string" } } };
  const tool = { description: "Cancels an order.", inputSchema: schema };
  const changes = diffTools([{ name: "cancel_order", ...tool }], [{ name: "order_cancel", ...tool }]);
  expect(changes.map(({ rule }) => rule)).toEqual(["tool-renamed"]);
});

it("reports a first title that annotations repeat as safe", () => {
  const none = toolOf(undefined, undefined);
  expect(diffTools([none], [toolOf("Run it", "Run it")])).toMatchObject([{ class: "safe", after: "Run it" }]);
  expect(diffTools([none], [toolOf("Run it", undefined)])).toMatchObject([{ class: "dangerous" }]);
});
