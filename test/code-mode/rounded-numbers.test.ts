import { expect, test } from "vitest";
import { parseExactly } from "../../src/core/exact-json.js";
import { createCode, createShop, readAnswer } from "./shop-tools.js";

test.each([
  [
    "an answer",
    "return (await shop.echo({})).id;",
    "echo",
    parseExactly('{"id":1234567890123456789}'),
    "/id",
  ],
  [
    "a text that a script parses",
    "return parse(await shop.readRaw()).ids;",
    "read_raw",
    '{"ids":[1234567890123456789]}',
    "/ids/*",
  ],
] as const)("the logs of a script name the rounded numbers of %s", async (_, script, tool, value, place) => {
  const code = createCode(createShop((called) => (called === tool ? value : undefined)));
  const path = tool === "echo" ? "shop.echo" : "shop.readRaw";
  expect(readAnswer(await code.run(script))).toMatchObject({
    logs: [`line 1: ${path} answers with rounded numbers at "${place}"`],
  });
});
