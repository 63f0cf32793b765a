import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { joinToolName, splitToolName } from "../../src/core/tool-name.js";
const word = fc.stringMatching(/^[a-z0-9]{1,4}$/);
const serverName = fc
  .tuple(fc.stringMatching(/^[a-z][a-z0-9]{0,3}$/), fc.array(word, { maxLength: 3 }))
  .map(([first, rest]) => [first, ...rest].join("_"));
const toolName = fc.oneof(fc.stringMatching(/^[_a-z]{1,8}$/), fc.string({ minLength: 1, maxLength: 12 }));

describe("the name of a server's tool", () => {
  test("is the server's and its own, split at the first __", () => {
    expect(joinToolName("wordpress", "create-post")).toBe("wordpress__create-post");
    expect(splitToolName("wordpress__create-post")).toEqual({ server: "wordpress", tool: "create-post" });
    expect(splitToolName("a__b__c")).toEqual({ server: "a", tool: "b__c" });
    expect(splitToolName("a____b")).toEqual({ server: "a", tool: "__b" });
  });

  test("comes apart into what it was made of, whatever that is", () => {
    fc.assert(
      fc.property(serverName, toolName, (server, tool) => {
        expect(splitToolName(joinToolName(server, tool))).toEqual({ server, tool });
      }),
    );
  });

  test("is one tool's alone: a__b cannot be a server beside a", () => {
    expect(joinToolName("a", "b__c")).toBe("a__b__c");
    expect(() => joinToolName("a__b", "c")).toThrow(/Invalid server name "a__b"/);
  });

  test.each([
    "", "A", "shop-eu", "1shop", "_shop", "shop_", "shöp", "a__b", "shop.eu", "shop\n", "__proto__",
  ])("does not begin with %j, which no name of a server has", (server) => {
    expect(() => joinToolName(server, "tool")).toThrow(
      expect.objectContaining({
        code: "CONFIG_INVALID",
        hint: expect.stringContaining("joined by single underscores") as string,
      }),
    );
  }); // prettier-ignore

  test("needs something on both sides", () => {
    expect(() => joinToolName("shop", "")).toThrow(/has no name/);
    for (const name of ["", "shop", "shop__", "__tool", "shop_tool", "Shop__tool", "shop___"]) {
      expect([name, splitToolName(name)]).toEqual([
        name,
        name === "shop___" ? { server: "shop", tool: "_" } : undefined,
      ]);
    }
  });
});
