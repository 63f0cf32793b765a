import { describe, expect, it, test } from "vitest";
import { createNearWords } from "../../../src/agent/search/create-ranker.js";
import { readQuery } from "../../../src/agent/search/read-query.js";
import { stem } from "../../../src/agent/search/stem.js";

describe("words that mean the same", () => {
  it.each([
    ["invoice", "invoices"],
    ["schedule", "scheduling", "scheduled", "schedules"],
    ["install", "installation", "installed"],
    ["category", "categories"],
    ["notify", "notification"],
    ["cancel", "cancellation", "cancelled", "canceled"],
    ["organize", "organise", "organization", "organisation"],
    ["analyze", "analyse"],
    ["deploy", "deployment"],
    ["remove", "removal"],
    ["address", "addresses"],
    ["stop", "stopped"],
    ["subscribe", "subscription"],
    ["write", "wrote", "written"],
    ["index", "indices", "indexes"],
    ["slow", "slower", "slowest", "slowly"],
    ["automatic", "automatically"],
  ])("have one stem: %s", (...words) => {
    expect(new Set(words.map(stem)).size).toBe(1);
  });

  it.each([
    ["production", "product"],
    ["status", "state"],
    ["meeting", "meet"],
    ["news", "new"],
    ["server", "serve"],
  ])("and others have two: %s, %s", (a, b) => {
    expect(stem(a)).not.toBe(stem(b));
  });
});

it("is the shortest form that no other word has", () => {
  const stems =
    "tag tag, tags tag, pass pass, owed owed, tied tied, dies die, bees bee, glass glass, skill skill, recall recal, " +
    "enrolled enrol, calling call, buzzing buzz, passed pass, early early, nearly near, basically basic, ically ical, " +
    "ration ration, oration orat, rate rat, moderate moder, actor actor, creator creator, cement cement, payment payment, " +
    "action action, mission miss, rise ris, realise realis, organise organiz, analyse analyz, oval oval, renewal renew, bed bed";
  const words = stems.split(", ").map((pair) => pair.split(" ")[0] ?? "");
  expect(words.map((word) => `${word} ${stem(word)}`).join(", ")).toBe(stems);
});

describe("words that are near a mistyped one", () => {
  const near = createNearWords([
    "calendar",
    "invoice",
    "figma",
    "list",
    "post",
    "repository",
    "form",
    "from",
  ]);
  const find = (word: string): readonly string[] => near(word).map((found) => found.word);

  it.each([
    ["calender", "calendar"],
    ["inovice", "invoice"],
    ["figam", "figma"],
    ["repositroy", "repository"],
    ["lsit", "list"],
    ["kalendar", "calendar"],
  ])("%s: %s", (typed, meant) => {
    expect(find(typed)).toEqual([meant]);
  });

  it("do not exist for a short word, or for one far from all others", () => {
    expect(["abc", "xylophone", ""].flatMap(find)).toEqual([]);
  });

  it("come in one order", () => {
    expect(find("frm")).toEqual([]);
    expect(find("foorm")).toEqual(["form"]);
    expect(createNearWords(["band", "bond", "bind"])("bxnd")).toEqual(
      createNearWords(["bind", "bond", "band"])("bxnd"),
    );
  });
});

describe("what a query asks for", () => {
  const intents = (text: string): readonly string[] =>
    readQuery(text).map(({ words }) =>
      words
        .filter(({ weight }) => weight === 1)
        .map(({ word }) => word)
        .join(" "),
    );

  it.each([
    ["create an invoice", ["create invoice"]],
    ["update price and quantity", ["update price quantity"]],
    ["upload a photo and publish a post", ["publish post", "upload photo"]],
    ["list the pages, then delete one of them", ["delete pages", "list pages"]],
    ["find the invoice; send it", ["find invoice", "send invoice"]],
    ["create a page and a menu", ["create menu", "create page"]],
    ["get rid of the page", ["delete page"]],
    ["take off the blue tag", ["remove blue tag"]],
    ["run the pipeline again", ["rerun pipeline"]],
    ["how do I delete many posts", ["delete many posts"]],
    ["take the blue tag off the task", ["remove blue tag task"]],
    ["turn the text into a list", ["convert text list"]],
    ["let everybody know and close it", ["close everybody", "notify everybody"]],
    ["take it, and turn off the alarm", ["disable alarm", "take alarm"]],
    ["switch the theme on this site", ["switch theme site"]],
    ["switch the theme on", ["enable theme"]],
    ["take one two three four five away", ["take two three four five away"]],
    ["make the box wider", ["resize box"]],
    ["make the box red", ["change box red"]],
    ["make a box", ["make box"]],
    ["give me the orders", ["get orders"]],
    ["give a label to the task", ["add label task"]],
    ["I want to, please", ["i want to please"]],
    ["", []],
    ["…!?", []],
  ])("%j", (text, expected) => {
    expect([...intents(text)].sort()).toEqual(expected);
  });

  it("is to state facts, or to do something", () => {
    const facts = [
      "which posts",
      "and which posts",
      "so is it open",
      "how many posts",
      "open orders",
      "expired coupon",
    ];
    const tasks = [
      "which",
      "how do i delete a post",
      "how long",
      "open order",
      "open an order",
      "used coupon",
      "paid",
      "overdue for payment",
    ];
    expect([...facts, ...tasks].filter((query) => readQuery(query)[0]?.asks)).toEqual(facts);
    const actions = ["take a b c d off", "take a and b off", "make it"].map(
      (query) => readQuery(query)[0]?.action,
    );
    expect(actions).toEqual(["delete", undefined, "update"]);
  });

  it("is at most three things, however many are named", () => {
    const many = Array.from({ length: 30 }, (_, i) => `create page${i}`).join(" and ");
    expect(readQuery(many)).toHaveLength(3);
  });
});

test("a text of any length is read in a moment", () => {
  const hostile = `${"A".repeat(200_000)} ${"!".repeat(200_000)} ${"and create ".repeat(50_000)}`;
  expect(readQuery(hostile).flatMap(({ words }) => words).length).toBeLessThan(200);
});
