import { describe, expect, it } from "vitest";
import type { Config } from "../../src/config/config.js";
import { policyOf } from "../../src/report/render-report.js";

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
