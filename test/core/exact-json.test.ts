import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  findRounded,
  keepDigitsOf,
  parseExactly,
  spellNumbers,
  tryParseExactly,
  writeExactly,
} from "../../src/core/exact-json.js";
import { runs } from "../sample.js";

test.each([
  ["an integer beyond 2^53", '{"Id":1234567890123456789}', [["Id"]]],
  ["the first integer that JavaScript cannot hold", '{"Id":9007199254740993}', [["Id"]]],
  ["an integer that JavaScript holds and writes with other digits", '{"Id":1152921504606846976}', [["Id"]]],
  ["the largest safe integer", '{"Id":9007199254740991}', []],
  ["a negative one in a list", '{"a":[1,{"b":-1234567890123456789}]}', [["a", 1, "b"]]],
  ["a number that is infinite in JavaScript", "[1e400]", [[0]]],
  ["a number that is zero in JavaScript", "[1e-400]", [[0]]],
  ["a long decimal", "[0.1000000000000000055]", [[0]]],
  ["a decimal of 16 digits that no JavaScript number has", "[3.3333333333333333]", [[0]]],
  ["a decimal that a program wrote with 17 digits", "[0.10000000000000001]", []],
  ["an exponent", "[1e5,6.02e23]", []],
  ["zeros", "[-0,0.0,-0.0,100000000000000000000000]", []],
  ["a text with digits", '["1234567890123456789"]', []],
  ["a key like __proto__", '{"__proto__":{"x":1234567890123456789}}', [["__proto__", "x"]]],
  ["a key that repeats", '{"a":1234567890123456789,"a":1}', []],
] as const)("%s: %s", (_, text, paths) => {
  const value = parseExactly(text);
  expect(findRounded(value).map(({ path }) => path)).toEqual(paths);
  expect(value).toEqual(JSON.parse(text));
});

test("writes a value with the digits that were read, also with an indent, and after the value has moved", () => {
  const text =
    '{"Id":1234567890123456789,"list":[1e400,{"d":0.10000000000000001}],"s":"1234567890123456789"}';
  const value = parseExactly(text);
  expect(writeExactly(value)).toBe(text);
  expect(writeExactly({ in: [value] }, 2)).toContain('"Id": 1234567890123456789,');
  expect(writeExactly(keepDigitsOf(value, structuredClone(value)))).toBe(text);
  expect(JSON.stringify(spellNumbers(value))).toBe(
    '{"Id":"1234567890123456789","list":["1e400",{"d":"0.10000000000000001"}],"s":"1234567890123456789"}',
  );
  const changed = value as { Id: number };
  changed.Id = 5;
  expect(writeExactly(changed)).toContain('"Id":5');
});

test("takes an integer without known digits for rounded unless it is round", () => {
  const numbers = [
    2 ** 53,
    1234567890123456800,
    -(2 ** 63),
    1e18,
    123e17,
    1e21,
    1.5,
    2 ** 53 - 1,
    Infinity,
    NaN,
  ];
  expect(numbers.filter((number) => findRounded([number]).length > 0)).toEqual([
    2 ** 53,
    1234567890123456800,
    -(2 ** 63),
  ]);
  expect(findRounded([1234567890123456800])).toEqual([{ path: [0], token: undefined }]);
  expect(findRounded(1234567890123456800)).toEqual([{ path: [], token: undefined }]);
});

test("a value that cannot be read has no rounded numbers", () => {
  const value = {
    get broken(): number {
      throw new Error("no");
    },
  };
  expect(findRounded({ value, id: 2 ** 53 })).toEqual([{ path: ["id"], token: undefined }]);
});

test("a value that contains itself ends", () => {
  const ring: { self?: unknown; id: number } = { id: 1234567890123456800 };
  ring.self = ring;
  expect(findRounded(ring)).toHaveLength(1);
});

test("returns undefined for a text that is not JSON", () => {
  expect(tryParseExactly("{1234567890123456789")).toBeUndefined();
});

test("random numbers are written as they were read, or are not reported", () => {
  const digits = fc.stringMatching(/^[1-9]\d{0,29}$/);
  const number = fc
    .tuple(
      fc.constantFrom("", "-"),
      digits,
      fc.option(fc.stringMatching(/^\d{1,25}$/)),
      fc.option(fc.integer({ min: -330, max: 330 })),
    )
    .map(
      ([sign, whole, fraction, power]) =>
        `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${power === null ? "" : `e${power}`}`,
    );
  fc.assert(
    fc.property(fc.array(number, { minLength: 1, maxLength: 8 }), (numbers) => {
      const text = `{"list":[${numbers.join(",")}],"o":{${numbers.map((one, at) => `"k${at}":${one}`).join(",")}}}`;
      const value = parseExactly(text);
      const written = writeExactly(value);
      expect(JSON.parse(written)).toEqual(JSON.parse(text));
      const reported = new Set(findRounded(value).map(({ path }) => String(path)));
      numbers.forEach((one, at) => {
        const isSafe = Number.isSafeInteger(Number(one)) && /^-?\d+$/.test(one);
        expect(reported.has(`list,${at}`) && isSafe).toBe(false);
        // What is reported is written digit by digit.
        if (reported.has(`list,${at}`)) expect(written).toContain(one);
        if (isLossyInteger(one)) expect(written).toContain(one);
      });
    }),
    { numRuns: runs(1_000, 10) },
  );
});

function isLossyInteger(token: string): boolean {
  return /^-?\d+$/.test(token) && BigInt(token) !== BigInt(Number(token));
}

test("reads and writes texts of megabytes in linear time", () => {
  for (const text of [
    `["${"1e5 ".repeat(250_000)}"]`,
    `[${"1234567890123456789,".repeat(20_000)}1]`,
    `{"a":"${":-1.".repeat(250_000)}","b":1e400}`,
    `${"[".repeat(500)}1e400${"]".repeat(500)}`,
  ]) {
    const { user: start } = process.cpuUsage();
    expect(writeExactly(parseExactly(text))).toBe(text);
    // Processor time, in microseconds: other work shares the machine.
    expect(process.cpuUsage().user - start).toBeLessThan(6_000_000);
  }
});
