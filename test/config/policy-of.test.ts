import { describe, expect, it } from "vitest";
import type { Config } from "../../src/config/config.js";
import { policyOf } from "../../src/report/render-report.js";
import { validateConfig } from "../../src/config/validate-config.js";

const config: Config = {
  servers: {
    site: { url: "http://localhost/mcp" },
    search: {
      url: "https://search.example.com/mcp",
      check: { failOn: "breaking", preset: "wire", rules: { "tool-added": "dangerous" } },
    },
  },
  check: { failOn: "dangerous", rules: { "tool-added": "breaking", "icons-changed": "dangerous" } },
};

describe("the policy of a server", () => {
  it("is that of the server, then that of the configuration, then every drift", () => {
    expect(policyOf({ servers: {} }, "site")).toEqual({ failOn: "any", preset: "strict", rules: {} });
    expect(policyOf(config, "site")).toEqual({
      failOn: "dangerous",
      preset: "strict",
      rules: { "tool-added": "breaking", "icons-changed": "dangerous" },
    });
    expect(policyOf(config, "search")).toEqual({
      failOn: "breaking",
      preset: "wire",
      rules: { "tool-added": "dangerous", "icons-changed": "dangerous" },
    });
  });

  it("is overridden by the command line", () => {
    expect(policyOf(config, "search", { failOn: "any" }).failOn).toBe("any");
  });

  it("is not read from a prototype", () => {
    expect(policyOf(config, "constructor").failOn).toBe("dangerous");
  });
});

describe("check in the configuration", () => {
  const validate = (check: unknown): Promise<unknown> =>
    validateConfig({ servers: { site: { url: "http://localhost/mcp", check } } }, "c.json");

  it("accepts every documented key", async () => {
    await expect(
      validate({ failOn: "never", preset: "model", rules: { "tool-added": "safe" } }),
    ).resolves.toBeDefined();
  });

  it.each([
    [{ rules: { "tool-addd": "safe" } }, 'unknown rule "tool-addd", did you mean "tool-added"?'],
    [{ rules: { "something-else-altogether": "safe" } }, '"npx mcp-codegen explain" lists them'],
    [{ rules: { "tool-added": "unknown" } }, 'expected "breaking", "dangerous" or "safe"'],
    [{ preset: "wires" }, 'expected "wire", "types", "model" or "strict"'],
  ])("rejects %j", async (check, message) => {
    await expect(validate(check)).rejects.toThrow(message);
  });

  it("reports the place of an unknown rule", async () => {
    await expect(validate({ rules: { nope: "safe" } })).rejects.toThrow(
      '"c.json": servers.site.check.rules: unknown rule "nope"',
    );
    await expect(validateConfig({ servers: {}, check: { rules: { nope: "safe" } } }, "c")).rejects.toThrow(
      "check.rules: unknown rule",
    );
  });
});
