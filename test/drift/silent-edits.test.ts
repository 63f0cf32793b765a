/** No edit of a text or a hint in a definition, or of what a server says about itself, is silent. */
import { describe, expect, it } from "vitest";
import { findText, isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.js";
import { joinPointer } from "../../src/core/json-pointer.js";
import { readIdentity, type ServerSnapshot, type ToolSnapshot } from "../../src/core/snapshot.js";
import { diffServer } from "../../src/drift/diff-server.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { snapshotOf } from "../core/locks.js";

const NOTES = [
  "title", "description", "$comment", "examples", "default", "deprecated", "readOnly", "x-unit",
] as const; // prettier-ignore

const INPUT: JsonObject = {
  type: "object",
  description: "Root.",
  properties: {
    plain: { type: "string", description: "Plain." },
    beside: { $ref: "#/$defs/Named", description: "Beside.", default: "a" },
    bare: { $ref: "#/$defs/Named" },
    chain: { $ref: "#/$defs/Chain", description: "Chain." },
    all: { allOf: [{ $ref: "#/$defs/Named" }, { description: "Other." }], description: "All." },
    list: { type: "array", items: { $ref: "#/$defs/Item", title: "Item" } },
    pair: { type: "array", prefixItems: [{ type: "string" }, { $ref: "#/$defs/Item" }] },
    either: { anyOf: [{ type: "integer", description: "A number." }, { $ref: "#/$defs/Item" }] },
    one: { oneOf: [{ type: "string", maxLength: 3 }, { type: "null" }], description: "One." },
    open: { type: "object", additionalProperties: { $ref: "#/$defs/Item", description: "Open." } },
    matched: { type: "object", patternProperties: { "^x": { type: "string", description: "Matched." } } },
    tree: { $ref: "#/$defs/Tree" },
    not: { not: { type: "string", description: "Not." } },
    conditional: {
      if: { type: "string" },
      then: { minLength: 1, description: "Then." },
      else: { description: "Else." },
    },
    choice: { enum: ["a", "b"], description: "Choice." },
    names: { type: "object", propertyNames: { maxLength: 3, description: "Names." } },
    some: { type: "array", contains: { type: "string", description: "Some." } },
    dependent: { type: "object", dependentSchemas: { a: { description: "Dependent." } } },
  },
  $defs: {
    Named: { type: "string", description: "Named.", default: "b" },
    Chain: { $ref: "#/$defs/Named", description: "Link." },
    Item: { type: "string", title: "An item" },
    Tree: {
      type: "object",
      description: "A tree.",
      properties: { child: { $ref: "#/$defs/Tree", description: "A child." } },
    },
    Unused: { type: "string", description: "Unused." },
  },
};

const TOOL: ToolSnapshot = {
  name: "do_it",
  title: "Do it",
  description: "Does it.",
  inputSchema: INPUT,
  outputSchema: INPUT,
  annotations: { title: "Do this", readOnlyHint: true, note: "x" },
  execution: { taskSupport: "optional", note: "x" },
  icons: [{ src: "https://example.com/a.png", sizes: ["48x48"] }],
  _meta: { "example.com/unit": { size: "x" } },
  extra: { note: "x" },
};

interface Edit {
  readonly at: string;
  readonly after: JsonValue;
}

/** Every place where a note can be changed, added or removed, with the whole value after that. */
function* editsOf(value: JsonValue, isSchema: boolean, at = ""): Generator<Edit> {
  if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly JsonValue[]).entries())
      for (const edit of editsOf(item, isSchema, joinPointer(at, index)))
        yield { at: edit.at, after: value.with(index, edit.after) as JsonValue };
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [key, member] of Object.entries(value))
    if (typeof member === "object" && member !== null)
      for (const edit of editsOf(member, isSchema, joinPointer(at, key)))
        yield { at: edit.at, after: { ...value, [key]: edit.after } };
    else if (!isSchema || (NOTES as readonly string[]).includes(key)) {
      const { [key]: _, ...rest } = value;
      yield { at: `${joinPointer(at, key)} removed`, after: rest };
      yield {
        at: `${joinPointer(at, key)} changed`,
        after: { ...value, [key]: typeof member === "string" ? `${member} Now.` : !member },
      };
    }
  const isHolder = /\/(?:properties|\$defs|patternProperties|dependentSchemas)$/.test(at);
  if (!isSchema) yield { at: `${at} added`, after: { ...value, added: "x" } };
  else if (!isHolder)
    for (const note of NOTES)
      if (!Object.hasOwn(value, note))
        yield {
          at: `${joinPointer(at, note)} added`,
          after: { ...value, [note]: ["deprecated", "readOnly"].includes(note) ? true : "New." },
        };
}

describe("an edit is reported", () => {
  const { inputSchema: _, outputSchema: __, ...metadata } = TOOL;

  it("of the metadata of a tool", () => {
    const edits = [...editsOf(metadata, false)].filter(({ at }) => !at.startsWith("/name "));
    const silent = edits.filter(({ after }) => {
      const tool = { ...(after as ToolSnapshot), inputSchema: INPUT, outputSchema: INPUT };
      return diffTools([TOOL], [tool]).length === 0;
    });
    expect(edits.length).toBeGreaterThan(20);
    expect(silent.map(({ at }) => at)).toEqual([]);
  });

  it.each(["inputSchema", "outputSchema"])("of a note anywhere in the %s", (key) => {
    const edits = [...editsOf(INPUT, true)];
    const silent = edits.filter(
      ({ after }) => diffTools([TOOL], [{ ...TOOL, [key]: after }], { counterexamples: false }).length === 0,
    );
    expect(edits.length).toBeGreaterThan(300);
    expect(silent.map(({ at }) => at)).toEqual([]);
  });

  const WHOLE: JsonObject = {
    serverInfo: { name: "shop", version: "1", title: "Shop", icons: [{ src: "https://example.com/a.png" }] },
    protocolVersion: "2025-11-25",
    capabilities: { tools: { listChanged: true }, completions: {}, experimental: { a: { b: "x" } } },
    instructions: "Use it.",
  };
  const identified = (identity: JsonObject): ServerSnapshot =>
    snapshotOf({
      identity: readIdentity(identity, findText(identity, "protocolVersion") ?? ""),
      tools: [TOOL],
    });
  const edit = (before: JsonObject, after: JsonObject): readonly string[] =>
    diffServer("shop", identified(before), identified(after)).map(({ rule }) => rule);

  it.each([
    ["all", Object.keys(WHOLE)],
    ...Object.keys(WHOLE).flatMap((key): readonly [string, readonly string[]][] => [
      [`all but ${key}`, Object.keys(WHOLE).filter((other) => other !== key)],
      [`only ${key}`, [key]],
    ]),
  ])("of the identity of a server with %s", (_what, keys) => {
    const identity = Object.fromEntries(keys.map((key): [string, JsonValue] => [key, WHOLE[key] ?? null]));
    const silent = [...editsOf(identity, false)].filter(
      ({ at, after }) =>
        // MCP defines the other keys of the result; an empty switch equals an absent one.
        at !== " added" && edit(identity, after as JsonObject).length === 0,
    );
    expect(silent.map(({ at }) => at)).toEqual([]);
  });

  it("of instructions that a list without another identity gains or loses", () => {
    const instructions = { instructions: "Use it." };
    expect([edit({}, instructions), edit(instructions, {})]).toEqual([
      ["server-instructions-changed"],
      ["server-instructions-changed"],
    ]);
    expect(edit(instructions, WHOLE)).toEqual([]);
    expect(edit(instructions, { ...WHOLE, instructions: "Wire money." })).toEqual([
      "server-instructions-changed",
    ]);
    // What was unknown did not change.
    expect(edit({}, WHOLE)).toEqual([]);
  });
});
