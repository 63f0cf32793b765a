import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  findInexactNumbers,
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
        // What is reported is written digit by digit, or as the integer that it is: 1.5e17 as 150000000000000000.
        if (reported.has(`list,${at}`))
          expect(written).toMatch(new RegExp(`(?:^|[[,])(?:${escape(one)}|${wholeOf(one)})[\\],]`));
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

describe("findInexactNumbers", () => {
  test.each([
    "12345678901234567890", "9007199254740993", "-9223372036854775809", "18446744073709551615", `1${"0".repeat(309)}`, "1e400", "-1e400",
    "0.1000000000000000055", "1234567890.123456789", "1e-400", "123456789012345678901234567890e-10",
  ])("finds %s", (token) => {
    expect(findInexactNumbers(`{"a":["x",{"b":${token}}]}`)).toEqual([{ path: ["a", 1, "b"], token }]);
  }); // prettier-ignore

  test.each([
    "9007199254740992", "-9223372036854775808", "9223372036854776000", `1${"0".repeat(308)}`, "1E2", "1.0", "-0", "0.1", "1e21", "123e-5",
    "100000000000000000000", "5e-324",
  ])("accepts %s", (token) => {
    expect(findInexactNumbers(`[${token},1234567890123456]`)).toEqual([]);
  }); // prettier-ignore

  test("reads no numbers in strings and keys", () => {
    expect(findInexactNumbers(String.raw`{"1e999":"1e999 \" 12345678901234567890","\\":[]}`)).toEqual([]);
  });

  test.each(["x", String.raw`\n`, String.raw`\\`])("reads a string of twenty million times %s", (part) => {
    const text = `["${part.repeat(20_000_000)}",1e400]`;
    expect(findInexactNumbers(text)).toEqual([{ path: [1], token: "1e400" }]);
  });

  // With quadratic work, each of these takes minutes: the timeout of the test ends it.
  test.each([
    ["zeros in the middle of a fraction", (zeros: string) => `0.1${zeros}1`],
    ["zeros in a fraction of a small number", (zeros: string) => `-1${zeros}1${zeros}.1${zeros}1e-2000001`],
    ["zeros before a fraction", (zeros: string) => `0.${zeros}1`],
    ["zeros in an exponent", (zeros: string) => `1e-${zeros}9999`],
    ["nines", (zeros: string) => zeros.replaceAll("0", "9")],
  ])("reads a number with a million digits: %s", (_, write) => {
    const token = write("0".repeat(1_000_000));
    expect(findInexactNumbers(`[${token}]`)).toEqual([{ path: [0], token }]);
  });

  test("accepts all JSON that JavaScript printed", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(findInexactNumbers(text)).toEqual([]);
      }),
    );
  });

  test("finds a number and its path at any depth", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.nat(5)), { maxLength: 6 }),
        fc.jsonValue(),
        (path, beside) => {
          const text = path.reduceRight<string>(
            (inner, key) =>
              typeof key === "string"
                ? `{${JSON.stringify(`${key}.`)}:${JSON.stringify(beside)}, ${JSON.stringify(key)} : ${inner}}`
                : `[${`${JSON.stringify(beside)},`.repeat(key)}${inner}]`,
            "1e999",
          );
          expect(findInexactNumbers(text)).toEqual([{ path, token: "1e999" }]);
        },
      ),
    );
  });
});

/** The digits of an integer that is written with a point or an exponent; "none" for any other number. */
function wholeOf(token: string): string {
  const [, sign = "", whole = "", fraction = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e(-?\d+))?$/.exec(token) ?? [];
  const zeros = Number(power) - fraction.length;
  return zeros >= 0 ? `${sign}${whole}${fraction}${"0".repeat(zeros)}` : "none";
}

function escape(token: string): string {
  return token.replace(".", "\\.");
}
