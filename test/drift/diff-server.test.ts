import { describe, expect, it } from "vitest";
import { findInexactByEntry } from "../../src/client/listing/inexact-numbers.js";
import { validateTools } from "../../src/client/listing/validate-tools.js";
import { ENTRY_LIST_NAMES } from "../../src/core/entries.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { lockServer } from "../../src/core/lock-server.js";
import type { ServerIdentity, ServerSnapshot } from "../../src/core/snapshot.js";
import { diffLiveServer, diffServer } from "../../src/drift/diff-server.js";
import { SIDED_EXAMPLES, TOOL_EXAMPLES } from "../../src/drift/rules/examples.js";
import { SIDES } from "../../src/drift/rules/named-rules.js";
import { OPTIONS, snapshotOf as anySnapshot } from "../core/locks.js";

const IDENTITY: ServerIdentity = {
  serverInfo: { name: "shop", version: "1" },
  protocolVersion: "2025-11-25",
  capabilities: { tools: { listChanged: true }, logging: {} },
  instructions: "Be kind.",
};

function snapshotOf(identity: Partial<ServerIdentity>, ...names: readonly string[]): ServerSnapshot {
  return anySnapshot({ identity: { ...IDENTITY, ...identity }, tools: names.map((name) => ({ name })) });
}

const LOCKED = lockServer(snapshotOf({}, "a"), undefined, OPTIONS);

const found = (after: ServerSnapshot): readonly string[] =>
  diffServer("shop", LOCKED, after).map(
    ({ rule, class: kind, path, tool }) => `${rule} ${kind} ${tool ?? "-"} ${path}`,
  );

const rulesOf = (after: ServerSnapshot, locked = LOCKED): readonly string[] =>
  diffLiveServer("shop", locked, after).map(({ rule }) => rule);

it("reports an unchanged version when tools changed, but not for additions, tools that the user leaves out, or without a version", () => {
  const changed: ServerSnapshot = { ...snapshotOf({}), tools: [{ name: "a", "x-cost": 1 }] };
  const [kept] = diffLiveServer("shop", LOCKED, changed);
  expect(kept).toMatchObject({ rule: "server-version-kept", class: "dangerous", before: "1", after: "1" });
  expect(rulesOf(snapshotOf({}))).toEqual(["server-version-kept", "tool-removed"]);
  const isLeftOut = (tool: string): boolean => tool === "a";
  expect(diffLiveServer("shop", LOCKED, snapshotOf({}), { isLeftOut })).toMatchObject([
    { rule: "tool-removed", reason: expect.stringContaining("the configuration leaves it out") as string },
  ]);
  expect(rulesOf(snapshotOf({}, "a", "b"))).toEqual(["tool-added"]);
  expect(rulesOf(snapshotOf({ instructions: "Be rude." }, "a"))).toEqual(["server-instructions-changed"]);
  const bumped = { ...changed, identity: { ...IDENTITY, serverInfo: { name: "shop", version: "2" } } };
  expect(rulesOf(bumped)).toEqual(["server-version-changed", "definition-changed"]);
  const { a = { digest: "", definition: { name: "a" } } } = LOCKED.tools;
  // It was held back when the server raised its version.
  const held = { ...LOCKED, tools: { a: { ...a, version: "0" } } };
  expect(rulesOf(changed, held)).toEqual(["definition-changed"]);
  const unsaid = { ...changed, identity: { ...IDENTITY, serverInfo: { name: "shop" } } };
  expect(rulesOf(unsaid)).not.toContain("server-version-kept");
});

it("reports the entries of a list that the configuration includes since the lock was made", () => {
  const listed = { ...snapshotOf({}, "a"), prompts: { review: { name: "review" } } };
  expect(diffLiveServer("shop", LOCKED, listed)).toMatchObject([
    { rule: "prompt-added", class: "safe", path: "/prompts/review" },
  ]);
  expect(diffLiveServer("shop", undefined, listed)).toEqual(diffServer("shop", undefined, listed));
});

/** Rules about texts, which a server may improve without a new version. */
const OF_TEXTS = /^(?:tool-(?:title|description)|(?:in|out)put-(?:description|annotation|deprecated))-/;

const EXAMPLES: readonly (readonly [string, readonly JsonObject[], readonly JsonObject[]])[] = [
  ...Object.entries(TOOL_EXAMPLES).map(([rule, { before, after }]) => [rule, before, after] as const),
  ...SIDES.flatMap((side) =>
    Object.entries(SIDED_EXAMPLES).map(([rule, { before, after }]) => {
      const wrap = (value: JsonValue): readonly JsonObject[] => [
        { name: "t", [`${side}Schema`]: { type: "object", properties: { value } } },
      ];
      return [`${side}-${rule}`, wrap(before), wrap(after)] as const;
    }),
  ),
];

it.each(EXAMPLES)(
  "%s of a locked tool asks for a new version if callers notice it",
  (_rule, before, after) => {
    const of = (tools: readonly JsonObject[]): ServerSnapshot => ({
      ...snapshotOf({}),
      tools: tools as ServerSnapshot["tools"],
    });
    const locked = lockServer(of(before), undefined, OPTIONS);
    const changes = diffLiveServer("shop", locked, of(after)).filter(
      ({ rule }) => rule !== "server-version-kept",
    );
    const isNoticed = changes.some(
      (change) =>
        change.class !== "safe" &&
        Object.hasOwn(locked.tools, change.tool ?? "") &&
        !OF_TEXTS.test(change.rule),
    );
    expect(rulesOf(of(after), locked).includes("server-version-kept")).toBe(isNoticed);
  },
);

it.each<[string, Partial<ServerSnapshot>, Partial<ServerSnapshot>]>([
  ["removed prompt", { prompts: { x: { name: "x" } } }, { prompts: {} }],
  ["required argument", { prompts: { x: { name: "x" } } }, { prompts: { x: { name: "x", arguments: [{ name: "y", required: true }] } } }],
  ["removed resource", { resources: { x: { uri: "x" } } }, { resources: {} }],
  ["media type", { resources: { x: { uri: "x" } } }, { resources: { x: { uri: "x", mimeType: "a/b" } } }],
  ["removed template", { resourceTemplates: { x: { uriTemplate: "x" } } }, { resourceTemplates: {} }],
  ["removed skill", { skills: { x: { uri: "x" } } }, { skills: {} }],
])("does not ask for a new version for a %s", (_what, before, after) => {
  const [old, now] = [before, after].map((lists) => ({ ...snapshotOf({}, "a"), ...lists }));
  if (old === undefined || now === undefined) throw new Error("There are two lists.");
  const locked = lockServer(old, undefined, { ...OPTIONS, lists: ENTRY_LIST_NAMES });
  expect(rulesOf(now, locked)).toHaveLength(1);
  expect(rulesOf(now, locked)).not.toContain("server-version-kept");
}); // prettier-ignore

/** The changes, each with its server, tool, path, values and reason. */
function rowsOf(
  before: ServerSnapshot,
  after: ServerSnapshot,
  outputOf?: () => JsonValue,
): readonly string[] {
  return diffServer("shop", before, after, { outputOf }).map(
    ({ rule, tool = "-", path, before: from, after: to, reason = "" }) =>
      `${rule} ${tool} ${path} ${JSON.stringify([from, to])} ${reason}`.trim(),
  );
}

it("reports what variants lost and gained, and what only they define otherwise", () => {
  const listing = { clientCapabilities: {}, pages: 1 };
  const variant = (description: string) => ({ c: { x: { name: "c", description } } });
  const before: ServerSnapshot = {
    ...snapshotOf({}, "a", "b", "c"),
    variants: { x: listing, gone: listing },
    viewsOf: { a: ["default"], b: ["x"], c: ["default", "x"] },
    differing: variant("C."),
  };
  const after: ServerSnapshot = {
    ...snapshotOf({}, "a", "b", "c", "d"),
    variants: { x: listing, fresh: listing },
    viewsOf: { b: ["default", "x"], d: ["x"] },
    differing: variant("D."),
  };
  expect(rowsOf(before, after)).toEqual([
    "tool-added d  [null,null]",
    'variant-added - /variants/fresh [null,"fresh"]',
    'variant-removed - /variants/gone ["gone",null]',
    'variant-tool-added b  [null,"default"]',
    'variant-tool-added a  [null,"x"]',
    'tool-description-changed c /description ["C.","D."] In variant "x".',
  ]);
  expect(rowsOf(after, before)).toEqual([
    "tool-removed d  [null,null]",
    'variant-added - /variants/gone [null,"gone"]',
    'variant-removed - /variants/fresh ["fresh",null]',
    'variant-tool-removed b  ["default",null]',
    'variant-tool-removed a  ["x",null]',
    'tool-description-changed c /description ["D.","C."] In variant "x".',
  ]);
  expect(rowsOf(snapshotOf({}, "a", "b", "c"), after)).toEqual(["tool-added d  [null,null]"]);
  expect(rowsOf(before, snapshotOf({}, "a", "b", "c"))).toEqual([]);
});

it.each<[before: string | undefined, after: string | undefined, isText: boolean]>([
  ["en", "de", false],
  ["en", "en", true],
  [undefined, "de", true],
  ["en", undefined, true],
])("reports a changed text between the locales %s and %s: %s", (localeBefore, localeAfter, isText) => {
  const list = (locale: string | undefined, definition: JsonObject): ServerSnapshot => ({
    ...snapshotOf({}),
    listing: { clientCapabilities: {}, pages: 1, ...(locale !== undefined && { locale }) },
    tools: [{ name: "a", ...definition }],
  });
  const rows = rowsOf(
    list(localeBefore, { description: "A." }),
    list(localeAfter, { description: "B.", "x-a": 1 }),
  );
  const text = 'tool-description-changed a /description ["A.","B."]';
  expect(rows).toEqual([...(isText ? [text] : []), "definition-changed a /x-a [null,1]"]);
});

it("compares a new output schema with what callers relied on", () => {
  const outputSchema = { type: "object" };
  const after = { ...snapshotOf({}), tools: [{ name: "a", outputSchema }] };
  const output = { ...outputSchema, properties: { n: { type: "integer" } } };
  const added = 'output-schema-added a /outputSchema [null,{"type":"object"}]';
  expect(rowsOf(snapshotOf({}, "a"), after)).toEqual([added]);
  expect(rowsOf(snapshotOf({}, "a"), after, () => output)).toEqual([
    added,
    'output-property-removed a /outputSchema/properties/n [{"type":"integer"},null] Until now, callers relied on what was learned or stated of its answers.',
  ]);
});

it("reports every tool of a new server as added", () => {
  expect(diffServer("shop", undefined, snapshotOf({}, "a", "b")).map(({ tool }) => tool)).toEqual(["a", "b"]);
});

it.each<[Partial<ServerIdentity>, string[]]>([
  [{}, []],
  [{ serverInfo: { version: "1", name: "shop" } }, []],
  [{ instructions: " Be kind.\n" }, []],
  [{ capabilities: { tools: { listChanged: true, subscribe: false }, logging: {} } }, []],
  [{ serverInfo: { name: "store", version: "1" } }, ["server-name-changed breaking - /serverInfo/name"]],
  [{ serverInfo: { name: "shop", version: "2" } }, ["server-version-changed safe - /serverInfo/version"]],
  [{ serverInfo: { name: "shop", version: "1", title: "A" } }, ["server-info-changed safe - /serverInfo/title"]],
  [{ protocolVersion: "2024-11-05" }, ["server-protocol-changed safe - /protocolVersion"]],
  [
    // Between eras, capabilities of one era are not compared.
    { protocolVersion: "2026-07-28", capabilities: { tools: { listChanged: true }, extensions: {} } },
    ["server-protocol-changed safe - /protocolVersion"],
  ],
  [
    // A saved list does not say what the server is capable of.
    { protocolVersion: "", capabilities: {} },
    ["server-protocol-changed safe - /protocolVersion"],
  ],
  [{ instructions: "Be quick." }, ["server-instructions-changed dangerous - /instructions"]],
  [{ capabilities: { tools: { listChanged: true } } }, ["server-capability-removed breaking - /capabilities/logging"]],
  [{ capabilities: { tools: {}, logging: {} } }, ["server-capability-removed breaking - /capabilities/tools/listChanged"]],
  [{ capabilities: { ...IDENTITY.capabilities, tasks: {} } }, ["server-capability-added safe - /capabilities/tasks"]],
  [{ capabilities: { ...IDENTITY.capabilities, extensions: {} } }, []],
  [{ capabilities: { ...IDENTITY.capabilities, extensions: { "io.modelcontextprotocol/ui": {} } } },
    ["server-extension-added safe - /capabilities/extensions/io.modelcontextprotocol~1ui"]],
  [{ capabilities: { ...IDENTITY.capabilities, extensions: [] } }, ["server-capability-added safe - /capabilities/extensions"]],
])("reports a changed identity: %j", (identity, expected) => {
  expect(found(snapshotOf(identity, "a"))).toEqual(expected);
}); // prettier-ignore

it.each<[string, JsonObject, JsonObject, readonly string[]]>([
  ["the same settings", { a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }, []],
  ["a removed extension", { a: {}, b: {} }, { a: {} }, ["server-extension-removed breaking"]],
  ["other settings", { a: { b: 1 } }, { a: { b: { c: 1 } } }, ["server-extension-changed unknown"]],
  ["an extension for another", { a: {} }, { b: {} }, ["server-extension-removed breaking", "server-extension-added safe"]],
])("reports one change for each extension: %s", (_, before, after, expected) => {
  const [old, now] = [before, after].map((extensions) => snapshotOf({ capabilities: { extensions } }, "a"));
  if (old === undefined || now === undefined) throw new Error("missing");
  expect(diffServer("shop", old, now).map(({ rule, class: kind }) => `${rule} ${kind}`)).toEqual(expected);
}); // prettier-ignore

it("reports the server before its tools", () => {
  expect(found(snapshotOf({ instructions: "" }, "b"))).toEqual([
    "server-instructions-changed dangerous - /instructions",
    "tool-removed breaking a ",
    "tool-added safe b ",
  ]);
});

describe("keywords that WordPress 7.1 does not publish", () => {
  const LISTED = { a: { type: "string" } };
  const REGISTERED = { a: { type: "string", const: "x" } };
  const OTHER = { a: { type: "string", const: "y" } };
  const listOf = (
    properties: JsonObject,
    wordpress: Partial<NonNullable<ServerSnapshot["wordpress"]>>,
  ): ServerSnapshot => ({
    ...snapshotOf({}),
    tools: [{ name: "a", inputSchema: { type: "object", properties } }],
    wordpress: { profile: "0.6", route: "execute", ...wordpress },
  });
  const PHP = { projected: true } as const;
  it.each([
    ["PHP and a site", listOf(REGISTERED, PHP), listOf(LISTED, {}), 0],
    ["a site and PHP", listOf(LISTED, {}), listOf(REGISTERED, PHP), 0],
    ["a lock that began with PHP and a site", listOf(REGISTERED, {}), listOf(LISTED, {}), 0],
    ["a site before 7.1 and PHP, with another value", listOf(REGISTERED, {}), listOf(OTHER, PHP), 1],
    ["PHP and PHP", listOf(LISTED, PHP), listOf(REGISTERED, PHP), 1],
    ["tools of the adapter and PHP", listOf(LISTED, { route: "tools" }), listOf(REGISTERED, PHP), 1],
  ])("between %s", (_, before, after, changes) => {
    expect(diffServer("shop", before, after)).toHaveLength(changes);
  });
});

describe("tools that JavaScript cannot hold exactly", () => {
  const listOf = (text: string): ServerSnapshot => ({
    ...snapshotOf({}),
    ...validateTools("shop", [
      { entries: JSON.parse(text) as JsonValue[], inexact: findInexactByEntry(text, []) },
    ]),
  });
  const tool = (values: string): string =>
    `[{"name":"t","inputSchema":{"type":"object","properties":{"id":{"enum":[${values}]}}}}]`;
  const HUGE = "12345678901234567890";
  const unusable = "tool-unusable breaking: JavaScript cannot hold the number 12345678901234567890.";

  it.each([
    ["1", `1,${HUGE}`, [unusable, "input-enum-value-added safe"]],
    [`1,${HUGE}`, "1", ["tool-usable unknown", "input-enum-value-removed breaking"]],
    [HUGE, `"${HUGE}"`, ["tool-usable unknown"]],
    [`"${HUGE}"`, HUGE, [unusable]],
    [HUGE, `${HUGE}1`, ["input-const-changed breaking"]],
    [HUGE, HUGE, []],
  ])("%s → %s", (before, after, expected) => {
    const [old, now] = [listOf(tool(before)), listOf(tool(after))];
    const locked = lockServer(old, undefined, OPTIONS);
    for (const from of [old, locked]) {
      const changes = diffServer("shop", from, now);
      const told = changes.map(
        ({ rule, class: kind, reason }) => `${rule} ${kind}${reason === undefined ? "" : `: ${reason}`}`,
      );
      expect(told.sort()).toEqual([...expected].sort());
      // Its value would be the text that stands for the number.
      expect(changes.filter((change) => "witness" in change)).toEqual([]);
    }
  });
});
