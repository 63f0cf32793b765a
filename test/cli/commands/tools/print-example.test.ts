import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { readLiveSchema } from "../../../../src/schema/interpret/live-schema.js";
import { ArgumentSchema } from "../../../../src/cli/commands/call/flags/argument-schema.js";
import { readFlags } from "../../../../src/cli/commands/call/flags/read-flags.js";
import { printExample } from "../../../../src/cli/commands/tools/describe.js";
import type { JsonObject, JsonValue } from "../../../../src/core/json.js";
import { readPart } from "../../../../src/schema/sample/schema-part.js";
import { describeIssues, findIssues } from "../../../../src/schema/validation/schema.js";
import { readToolLists } from "../../../schema/support/data.js";

async function exampleOf(raw: JsonValue, name = "tool"): Promise<string | undefined> {
  const schema = new ArgumentSchema([readPart(raw)]);
  const tool = {
    name,
    isLocked: true,
    input: readLiveSchema(raw, undefined),
    inputSchema: () => raw as JsonObject,
  };
  const call = (): Promise<never> => Promise.reject(new Error("Not called."));
  return printExample({ ...tool, call }, schema, { name, serverWords: [] });
}

/** Returns the words of command lines as a real shell splits them. */
function readByShell(lines: readonly string[]): readonly (readonly string[])[] {
  const script = lines.map((line) => `set -- ${line}; printf '%s\\0' "$@"; printf '\\n\\0'`).join("\n");
  const { stdout } = spawnSync("sh", { input: script, encoding: "utf8", maxBuffer: 1e8 });
  return stdout
    .split("\n\0")
    .slice(0, -1)
    .map((words) => words.split("\0").slice(0, -1));
}

/** Returns what is wrong with the arguments of a command line that calls a tool; empty if the tool accepts them. */
async function faultOf(words: readonly string[], raw: JsonValue): Promise<string> {
  const [, , , ...rest] = words;
  const hasInput = rest[0] === "--input";
  const base = hasInput ? (JSON.parse(rest[1] ?? "") as JsonObject) : {};
  const args = readFlags(rest.slice(hasInput ? 3 : 1), new ArgumentSchema([readPart(raw)]), base);
  return describeIssues(await findIssues(readLiveSchema(raw, undefined), args));
}

const object = (property: JsonValue): JsonValue => ({
  type: "object",
  properties: { in: property, other: { type: "string" } },
  required: ["in", "other"],
});

describe("the example in the help of a tool", () => {
  it.each([
    [{ type: "string" }, "in="],
    [{ type: "string", examples: ["cut"] }, "in=cut"],
    [{ type: "string", default: "raw" }, "in=raw"],
    [{ type: ["null", "string"], default: "raw" }, "in=raw"],
    [{ type: "string", format: "email" }, "@example.com"],
    [{ type: "string", pattern: "^#[0-9a-f]{6}$" }, "in=#"],
    [{ type: "string", minLength: 3 }, "in="],
    [{ type: "integer", minimum: 10, maximum: 20 }, "in=1"],
    [{ type: "array", items: { type: "integer" }, minItems: 2 }, "in=["],
    [{ enum: ["it's", "b"] }, "in="],
    [{ anyOf: [{ type: "object", properties: { k: { const: "a" }, n: { type: "number" } }, required: ["k", "n"] }, { type: "object", properties: { k: { const: "b" } }, required: ["k"], additionalProperties: false }] }, "in={"],
  ])("is valid if a property is %j", async (property, part) => {
    const raw = object(property);
    const line = (await exampleOf(raw)) ?? "";
    expect(line.replaceAll("'", "")).toContain(part);
    expect(line).toContain(" other=");
    const [words = []] = readByShell([line]);
    expect(await faultOf(words, raw)).toBe("");
  }); // prettier-ignore

  it("is omitted if none was found or if it cannot be copied", async () => {
    expect(await exampleOf(object({ not: {} }))).toBeUndefined();
    expect(await exampleOf(object({ const: "a\u202eb" }))).toBeUndefined();
    expect(await exampleOf(object({ const: "x".repeat(10_000) }))).toBeUndefined();
  });
});

describe("the examples of published tools", () => {
  it("are valid", async () => {
    const tools = readToolLists();
    const lines = await Promise.all(tools.map(({ input }) => exampleOf(input)));
    const printed = tools.flatMap((tool, at) => {
      const line = lines[at];
      return line === undefined ? [] : [{ ...tool, line }];
    });
    const words = readByShell(printed.map(({ line }) => line));
    const faults = await Promise.all(
      printed.map(async ({ label, input }, at) => ({ label, fault: await faultOf(words[at] ?? [], input) })),
    );
    expect(words).toHaveLength(printed.length);
    expect(faults.filter(({ fault }) => fault !== "")).toEqual([]);
    const without = tools.filter((_, at) => lines[at] === undefined).map(({ label }) => label);
    expect(without, "tools without an example").toEqual([]);
  });
});
