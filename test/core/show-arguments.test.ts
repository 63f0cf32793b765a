import { describe, expect, it } from "vitest";
import { joinMembers, showArguments } from "../../src/core/show-arguments.js";

const SEED = Number(process.env["SEED"] ?? 2026);
const long = "harmless text ".repeat(300);
const shown = (args: unknown, most = 2_000): string => `{${joinMembers(showArguments(args, most))}}`;

describe("the arguments of a call", () => {
  it.each([
    ["short ones", { id: 3, a: [1, null, true], b: { c: "d" } }, '{"id":3,"a":[1,null,true],"b":{"c":"d"}}'],
    ["none", {}, "{}"],
    ["what is not an object", "a", '{"a"}'],
  ])("are shown as they are: %s", (_, args, text) => {
    expect(shown(args)).toBe(text);
  });

  it.each<readonly [string, unknown, readonly string[]]>([
    ["behind a long text", { content: long, status: "publish", id: 3 }, ['"status":"publish","id":3', "(4,200 characters)"]],
    ["between long texts", { a: long, id: 3, b: long, c: long }, ['"id":3', '"a":"harm', '"b":"harm', '"c":"harm']],
    ["in an object behind a long text", { content: long, post: { text: long, status: "publish" } }, ['"status":"publish"', '"text":"harm']],
    ["behind an object of long texts", { post: { a: long, b: { c: long } }, status: "publish" }, ['"status":"publish"', '"c":"harm']],
    ["behind a long list", { tags: Array.from({ length: 5_000 }, (_, n) => n), id: 3 }, ['"id":3', ',…] (5,000 items)', "[0,1,2,"]],
    ["in a list behind a long text", { edits: [{ text: long, id: 1 }, { text: long, status: "publish" }] }, ['"status":"publish"', '"id":1']],
    ["behind a deep list", { a: JSON.parse("[".repeat(3_000) + "]".repeat(3_000)) as unknown, id: 3 }, ['"id":3', "(1 item)"]],
    ["behind an object of many names", { a: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`a${n}`, n])), id: 3 }, ['"id":3', '"a299":299']],
    ["behind texts that are written longer", { a: "\u202e".repeat(3_000), b: "\n".repeat(3_000), id: 3 }, ['"id":3', "(3,000 characters)"]],
    ["in a long text at its end", { command: `${long}; rm -rf /` }, ["; rm -rf /", "(4,210 characters)"]],
    ["named __proto__", JSON.parse(`{"a":${JSON.stringify(long)},"__proto__":{"status":"publish"}}`), ['"__proto__":{"status":"publish"}']],
  ])("are named: %s", (_, args, parts) => {
    const text = shown(args);
    for (const part of parts) expect(text).toContain(part);
    expect(text.length).toBeLessThan(4_500);
    expect(text).not.toMatch(/[\u202e\n]/);
  }); // prettier-ignore

  it("are refused where there are too many to name", () => {
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`argument${n}`, n]));
    for (const args of [many, { a: many }, { a: { b: many } }, { ["k".repeat(10_000)]: 1 }])
      expect(() => shown(args)).toThrow("The call has more arguments than a question can show.");
  });

  it("are shown in a time that grows with their length alone", () => {
    const deep = JSON.parse(
      `${'{"a":'.repeat(700)}${JSON.stringify(long.repeat(500))}${"}".repeat(700)}`,
    ) as unknown;
    const wide = Array.from({ length: 100_000 }, (_, n) => ({ id: n, text: "x".repeat(20) }));
    expect(shown({ deep, wide, id: 3 }).length).toBeLessThan(9_000);
  });

  it(`name each argument, whatever they are (seed ${SEED})`, () => {
    let seed = SEED;
    const random = (below: number): number => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed % below;
    };
    const make = (depth: number): unknown => {
      const kind = random(depth > 3 ? 3 : 6);
      if (kind < 2) return 'ab\u202e"\\é😀'[random(7)]?.repeat(random(kind === 0 ? 20 : 20_000));
      if (kind === 2) return random(1_000_000);
      if (kind === 3) return Array.from({ length: random(depth === 0 ? 100 : 6) }, () => make(depth + 1));
      return Object.fromEntries(
        Array.from({ length: random(6) }, () => [`k${random(1_000)}`, make(depth + 1)]),
      );
    };
    for (let run = 0; run < 100; run += 1) {
      const args = Object.fromEntries(
        Array.from({ length: random(12) }, () => [`k${random(1_000)}`, make(0)]),
      );
      const members = showArguments(args, 2_000);
      expect(members.map(([name]) => name)).toEqual(Object.keys(args).map((key) => `"${key}"`));
      expect(joinMembers(members).length, `run ${run}`).toBeLessThan(4_500);
      for (const [index, value] of Object.values(args).entries())
        if (typeof value === "number") expect(members[index]?.[1]).toBe(String(value));
    }
  });
});
