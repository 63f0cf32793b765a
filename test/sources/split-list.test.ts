import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findOwn } from "../../src/core/json.js";
import type { ServerSnapshot } from "../../src/core/snapshot.js";
import { type DiffOperand, openOperands } from "../../src/sources/open-operand.js";

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "mcp-codegen-lists-"));
  await Promise.all(["before", "after"].map((folder) => mkdir(join(cwd, folder))));
});
afterAll(() => rm(cwd, { recursive: true }));

async function open(before: string, after: string): Promise<readonly ServerSnapshot[]> {
  await writeFile(join(cwd, "before/list.json"), before);
  await writeFile(join(cwd, "after/list.json"), after);
  const operands = await openOperands("before/list.json", "after/list.json", {
    cwd,
    lookup: () => undefined,
  });
  return [operands.before, operands.after].map(snapshotOf);
}

function snapshotOf(operand: DiffOperand): ServerSnapshot {
  if (operand.kind !== "server") throw new Error("Not a saved list.");
  return operand.snapshot;
}

const tool = (name: string, rest = ""): string =>
  `{"name":"${name}","description":"Of ${name}: \\"[{,]}\\" é ${"x".repeat(60)}"${rest},"inputSchema":{"type":"object"}}`;
const list = (...tools: readonly string[]): string => `{"tools":[${tools.join(",")}]}`;
const [a, b, c] = [tool("a"), tool("b"), tool("c")];

const LISTS: readonly string[] = [
  list(a, b, c),
  list(a, tool("b", ',"title":"B"'), c),
  list(c, a, tool("d")),
  list(a, a, b),
  list(a, tool("a", ',"title":"A"'), b),
  list(),
  `[${a}, ${b}]`,
  `{ "tools": [\n  ${a},\n  ${c}\n], "serverInfo": { "name": "x", "version": "1" } }`,
  `{"jsonrpc":"2.0","id":1,"result":${list(a, b)}}`,
  // The last of two keys counts.
  `{"tools":[${a},${b}],"tools":[${c},${a}]}`,
  `{"tools":[${a},${b}],"\\u0074ools":[${c},${a}]}`,
  list('{"name":"a","inputSchema":{},"name":"b"}', '{"name":"b","inputSchema":{"title":"B"},"name":"a"}'),
  // No tools, and tools with findings.
  list("null", "1", '"a,b"', a, '{"name":"b","inputSchema":true}', '{"name":"c"}', "{}", "[]"),
  list(a, '{"name":"n","inputSchema":{"enum":[12345678901234567890]}}', tool("c", ',"outputSchema":null')),
  `[{"name":"x","label":"X","description":"An ability.","category":"y"}]`,
];

describe("a saved list", () => {
  test.each(LISTS)("equals the list alone as the second of two: %s", async (after) => {
    const [alone] = await open(after, after);
    for (const before of LISTS) expect((await open(before, after))[1]).toEqual(alone);
  });

  test("shares the tools of an equal list before", async () => {
    const [before, after] = await open(list(a, b, c), list(c, tool("b", ',"title":"B"'), a));
    expect(after?.tools.map((each, at) => each === before?.tools[at])).toEqual([true, false, true]);
    expect(before?.tools).toHaveLength(3);
  });

  test("has equal definitions once, also between other definitions", async () => {
    const withDefinitions = (name: string, ...definitions: readonly string[]): string =>
      `{"name":"${name}","inputSchema":{"type":"object","$defs":{${definitions.join(",")}}}}`;
    const [shared, own] = ['"A":{"enum":["\\u0061",-0.5]},"__proto__":{"type":"null"}', '"B":true'];
    const texts = [
      withDefinitions("a", shared),
      withDefinitions("b", shared),
      withDefinitions("c", own, shared),
    ];
    const [{ tools } = { tools: [] }] = await open(list(...texts), list());
    expect(tools.map((each) => JSON.stringify(each))).toEqual(
      texts.map((text) => JSON.stringify(JSON.parse(text))),
    );
    const [one, two, three] = tools.map(({ inputSchema }) => findOwn(inputSchema, "$defs"));
    expect(two).toBe(one);
    expect(findOwn(three, "A")).toBe(findOwn(one, "A"));
  });

  test.each([`{"tools":[${a},${b}`, `{"tools":[${a},,${b}]}`, `{"tools":[${a} ${b}]}`, `{"tools":[${a}],}`])(
    "has the same error as alone: %s",
    async (after) => {
      const messageOf = (opened: Promise<unknown>): Promise<string> => opened.then(() => "", String);
      const alone = await messageOf(open(after, list()));
      expect(alone).toMatch(/is not JSON at line 1, column \d+/);
      expect(await messageOf(open(list(a, b), after))).toBe(alone.replace("before/", "after/"));
    },
  );
});
