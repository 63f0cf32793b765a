/** Several tools that became one, and one tool that became several: each is reported as one matter. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import type { ToolSnapshot } from "../../../src/core/snapshot.js";
import { diffTools } from "../../../src/drift/diff-tools.js";
import { explain } from "../../../src/drift/rules.js";
import { printChanges } from "../../../src/report/print-changes.js";
import { PLAIN } from "../../../src/report/layout.js";

const text = { type: "string" };

function tool(name: string, names: string, more: JsonObject = {}, annotations?: JsonObject): ToolSnapshot {
  const properties = Object.fromEntries(
    names.split(" ").flatMap((each) => (each === "" ? [] : [[each, text]])),
  );
  return {
    name,
    description: `Does what ${name.replaceAll("_", " ")} says.`,
    inputSchema: { type: "object", properties: { ...properties, ...more } },
    ...(annotations !== undefined && { annotations }),
  };
}

const action = (...values: readonly string[]): JsonObject => ({
  action: { enum: values, description: "What to do." },
});

const find = (before: readonly ToolSnapshot[], after: readonly ToolSnapshot[]): readonly string[] =>
  diffTools(before, after)
    .filter(({ rule }) => /^tool-(?:added|removed|renamed)$/.test(rule))
    .map(({ rule, tool: name = "", after: now }) =>
      [rule, name, ...(now === undefined ? [] : [JSON.stringify(now)])].join(" "),
    );

/** Parts and the whole tool that has their input. */
const WHOLES: readonly (readonly [string, readonly ToolSnapshot[], ToolSnapshot])[] = [
  ["by what selects it", [tool("get_user_by_email", "email"), tool("get_user_by_id", "id")], tool("get_user", "id email")],
  ["with a common property", [tool("set_post_body", "id body"), tool("set_post_title", "id title")], tool("set_post", "id title body")],
  ["with another verb of the same action", [tool("set_post_body", "id body"), tool("set_post_title", "id title")], tool("update_post", "id title body")],
  ["with the verb last", [tool("user_find_by_email", "email"), tool("user_find_by_id", "id")], tool("user_find", "id email")],
  ["of three parts", [tool("find_file_by_hash", "hash"), tool("find_file_by_name", "name"), tool("find_file_by_owner", "owner")],
    tool("find_file", "hash name owner")],
  ["by a property that chooses", [tool("create_order", "note"), tool("delete_order", "id reason")],
    tool("manage_order", "id note reason", action("create", "delete"))],
]; // prettier-ignore

const OTHERS = [tool("ping", "host"), tool("list_shops", "page")];

describe.each(WHOLES)("a tool and its parts, %s", (_what, parts, whole) => {
  const names = parts.map(({ name }) => name);

  it("is a merge of the parts", () => {
    expect(find([...parts, ...OTHERS], [whole, ...OTHERS])).toEqual(
      names.map((name) => `tool-renamed ${name} "${whole.name}"`),
    );
  });

  it("is split into the parts", () => {
    expect(find([whole, ...OTHERS], [...parts, ...OTHERS])).toEqual([
      `tool-renamed ${whole.name} ${JSON.stringify(names)}`,
    ]);
  });
});

/** Tools that are not parts of another, one way or the other. */
const APART: readonly (readonly [string, readonly ToolSnapshot[], ToolSnapshot])[] = [
  ["has the opposite effect", [tool("delete_user_by_email", "email"), tool("delete_user_by_id", "id")], tool("get_user", "id email")],
  ["is annotated with the opposite effect", [tool("user_by_email", "email", {}, { readOnlyHint: true }), tool("user_by_id", "id", {}, { readOnlyHint: true })],
    tool("user", "id email", {}, { destructiveHint: true })],
  ["has much that no part has", [tool("get_user_by_email", "email"), tool("get_user_by_id", "id")], tool("get_user", "id email shop role page limit sort")],
  ["is about another thing", [tool("get_user_by_email", "email"), tool("get_user_by_id", "id")], tool("get_order", "id email")],
  ["has a property of another type", [tool("get_user_by_email", "email"), tool("get_user_by_id", "", { id: { type: "integer" } })],
    tool("get_user", "id email")],
  ["has no input", [tool("get_user_name", ""), tool("get_user_age", "")], tool("get_user", "")],
]; // prettier-ignore

it.each(APART)("is neither a merge nor a split if the whole %s", (_what, parts, whole) => {
  const both = [
    ...find([...parts, ...OTHERS], [whole, ...OTHERS]),
    ...find([whole, ...OTHERS], [...parts, ...OTHERS]),
  ];
  const names = parts.map(({ name }) => name);
  const isOne = (finding: string): boolean =>
    finding.endsWith(JSON.stringify(names)) ||
    names.every((name) => both.includes(`tool-renamed ${name} "${whole.name}"`));
  expect(both.filter(isOne)).toEqual([]);
});

it("prefers a rename that keeps the whole input", () => {
  const parts = [tool("get_user_by_email", "email"), tool("get_user_by_id", "id")];
  const whole = { ...tool("get_user", "id email"), description: "Returns a user." };
  const found = find([whole, ...OTHERS], [{ ...whole, name: "fetch_user" }, ...parts, ...OTHERS]);
  expect(found).toEqual([
    'tool-renamed get_user "fetch_user"',
    "tool-added get_user_by_email",
    "tool-added get_user_by_id",
  ]);
});

it("reports the changes of a renamed tool beside the rename, and those of one matter together", () => {
  const before = [
    tool("a_first", ""),
    tool("cancel_order", "id reason"),
    tool("m_middle", ""),
    tool("x_user", "id email"),
  ];
  const after = [
    { ...tool("a_first", ""), title: "First" },
    { ...tool("order_cancel", "id reason note"), description: "Does what cancel order says." },
    { ...tool("m_middle", ""), title: "Middle" },
    tool("x_user_by_email", "email"),
    tool("x_user_by_id", "id"),
  ];
  const changes = diffTools(before, after).map((change) => ({ ...change, explanation: explain(change) }));
  expect(changes.map(({ rule, tool: name }) => `${rule} ${name ?? ""}`)).toEqual([
    "tool-title-changed a_first",
    "tool-title-changed m_middle",
    "tool-renamed cancel_order",
    "input-optional-property-added order_cancel",
    "tool-renamed x_user",
  ]);
  const { lines } = printChanges(changes, { paint: PLAIN, width: 120 });
  expect(lines.filter((line) => line.includes("order_cancel"))).toEqual([
    expect.stringContaining("cancel_order  renamed to `order_cancel`"),
    expect.stringMatching(/order_cancel .*\[input-optional-property-added\]/),
  ]);
});
