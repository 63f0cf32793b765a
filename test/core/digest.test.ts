import { expect, test } from "vitest";
import { confirmedCalls, digestOf, digestOfPrelude, digestOfTool } from "../../src/core/digest.js";

const definition = { name: "get", inputSchema: { type: "object" } };
const ability = { definition: { name: "acme/get", label: "Get", description: "Gets.", category: "content" } };

test("the digest of a tool is that of its definition, and with each other locked part another", () => {
  expect(digestOfTool({ definition })).toBe(digestOf(definition));
  const others = [
    digestOfTool({ definition, ability }),
    digestOfTool({ definition, repeated: [definition] }),
    digestOfTool({ definition, differs: { other: definition } }),
    digestOfTool({ definition, ability, repeated: [definition] }),
  ];
  expect(new Set([digestOf(definition), ...others]).size).toBe(5);
});

test("the digest of a tool leaves out the file that registers its ability", () => {
  expect(digestOfTool({ definition, ability: { ...ability, file: "a.php" } })).toBe(
    digestOfTool({ definition, ability }),
  );
});

test("a call without arguments has the digest of one with none", () => {
  expect(digestOfPrelude([{ tool: "login" }])).toBe(digestOfPrelude([{ tool: "login", arguments: {} }]));
  expect(digestOfPrelude([{ tool: "login" }])).not.toBe(digestOfPrelude([{ tool: "log" }]));
});

test("calls before the list are confirmed for a server and each of its variants alone", () => {
  const prelude = [{ tool: "login" }];
  const listing = { clientCapabilities: {}, pages: 1 };
  const confirmed = { ...listing, prelude: digestOfPrelude(prelude) };
  const settings = { prelude, variants: { admin: { prelude }, guest: { prelude: [{ tool: "enter" }] } } };
  expect(confirmedCalls(settings, undefined)).toEqual({
    prelude: undefined,
    variants: { admin: {}, guest: {} },
  });
  expect(confirmedCalls(settings, { listing: confirmed, variants: { guest: confirmed } })).toEqual({
    prelude,
    variants: { admin: {}, guest: {} },
  });
  expect(confirmedCalls(settings, { listing, variants: { admin: confirmed } })).toEqual({
    prelude: undefined,
    variants: { admin: { prelude }, guest: {} },
  });
});
