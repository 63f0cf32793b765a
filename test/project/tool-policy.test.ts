import { describe, expect, test } from "vitest";
import type { Config, PolicyConfig } from "../../src/config/config.js";
import { explainWrites, toolPolicyOf } from "../../src/project/tool-policy.js";
import { decide, type PolicyTool } from "../../src/core/decide.js";
import { layersOf } from "../../src/core/policy.js";
const files = { command: "npx", args: ["files"] };
const wordpress = { url: "https://blog.example/mcp" };

function config(policy?: PolicyConfig): Config {
  return { servers: { files, wordpress }, ...(policy && { policy }) };
}

function writesOf(policy: PolicyConfig | undefined, variable: string | undefined): unknown {
  const lookup = (name: string): string | undefined =>
    name === "MCP_CODEGEN_ENABLE_WRITES" ? variable : undefined;
  return toolPolicyOf(config(policy), lookup).writes;
}

describe("writes", () => {
  const ROWS: [what: string, policy: PolicyConfig | undefined, variable: string | undefined, writes: unknown][] = [
    ["are off", undefined, undefined, false],
    ["are off for an empty variable", undefined, " ", false],
    ["are on with the variable", undefined, "1", true],
    ["are on with the variable in words", {}, "true", true],
    ["are on for the servers it names", {}, "files, static", { files: true, wordpress: false, static: true }],
    ["are on by configuration", { writes: true }, undefined, true],
    ["are on by configuration for a server", { writes: { wordpress: true } }, undefined, { files: false, wordpress: true, static: false }],
    ["are on for what either says", { writes: { wordpress: true } }, "files", { files: true, wordpress: true, static: false }],
    ["are never on where the configuration says so", { writes: false }, "1", false],
    ["are never on for a server where the configuration says so", { writes: { wordpress: false } }, "1", { files: true, wordpress: false, static: true }],
    ["are never on for a server that the variable names", { writes: { wordpress: false } }, "wordpress", false],
    ["are off with the variable, whatever the configuration says", { writes: true }, "0", false],
    ["are off with the variable in words", { writes: { wordpress: true } }, "false", false],
  ]; // prettier-ignore

  test.each(ROWS)("%s", (_what, policy, variable, writes) => {
    expect(writesOf(policy, variable)).toEqual(writes);
  });

  test.each(["yes", "files,wordpres", "1,files", "constructor", ","])("%j names no server", (variable) => {
    expect(() => writesOf({}, variable)).toThrow(
      expect.objectContaining({
        code: "CONFIG_INVALID",
        message: expect.stringMatching(/^MCP_CODEGEN_ENABLE_WRITES names no server: ".*"\.$/u) as unknown,
        hint: 'Use 1 for all, 0 for none, or some of "files", "wordpress", "static", with commas between.',
      }),
    );
  });
});

test("tools do what the configuration asserts of them, on the server that it says it of", () => {
  const policy = toolPolicyOf(
    {
      servers: {
        files: {
          ...files,
          tools: {
            annotations: {
              "{read,list}_*": { readOnlyHint: true },
              "list_secret?": { readOnlyHint: false },
              wordpress__get: { readOnlyHint: true },
            },
          },
        },
        wordpress,
      },
    },
    () => undefined,
  );
  const isAllowed = (server: string, name: string, more: Partial<PolicyTool> = {}): boolean =>
    decide({ name: `${server}__${name}`, server, isLocked: true, ...more }, policy).isAllowed;
  expect(isAllowed("files", "read_file")).toBe(true);
  expect(isAllowed("files", "list_secrets")).toBe(false);
  expect(isAllowed("files", "write_file")).toBe(false);
  expect(isAllowed("wordpress", "read_file")).toBe(false);
  expect(isAllowed("files", "wordpress__get")).toBe(true);
  expect(isAllowed("wordpress", "get")).toBe(false);
  // A server may give any tool a name that the pattern expects: in production that is not enough.
  expect(isAllowed("files", "read_file", { isLocked: false })).toBe(true);
  expect(isAllowed("files", "read_file", { isLocked: false, isProduction: true })).toBe(false);
});

test("focus mode and role are those of the configuration", () => {
  const policy = toolPolicyOf(
    config({
      focusMode: "shop",
      focusModes: { shop: { allow: [{ categories: ["commerce"] }] } },
      role: "guest",
      roles: { guest: { deny: [{ names: ["*-refund"] }] } },
      writes: true,
    }),
    () => undefined,
  );
  expect(layersOf(policy).map(({ kind, name }) => [kind, name])).toEqual([
    ["focus mode", "shop"],
    ["role", "guest"],
  ]);
  const sell = { name: "wordpress__sell", server: "wordpress", category: "commerce", isLocked: true };
  expect(decide(sell, policy).isAllowed).toBe(true);
  expect(decide({ ...sell, name: "wordpress__sell-refund" }, policy).isVisible).toBe(false);
  expect(decide({ ...sell, category: "users" }, policy).isVisible).toBe(false);
});

test.each([
  [undefined, undefined, "files", "Set MCP_CODEGEN_ENABLE_WRITES=1, or MCP_CODEGEN_ENABLE_WRITES=files for this server alone."], // prettier-ignore
  [undefined, "0", "files", "MCP_CODEGEN_ENABLE_WRITES switches writes off: set it to 1, or to files for this server alone."], // prettier-ignore
  [{ files: false }, "1", "files", "The configuration switches writes off: set policy.writes.files to true, or remove it."], // prettier-ignore
  [{ files: false }, undefined, "wordpress", "Set MCP_CODEGEN_ENABLE_WRITES=1, or MCP_CODEGEN_ENABLE_WRITES=wordpress for this server alone."], // prettier-ignore
  [
    false,
    undefined,
    "files",
    "The configuration switches writes off: set policy.writes to true, or remove it.",
  ],
] as const)(
  "with writes %j and the variable %j, the hint for %s is the setting that counts",
  (writes, variable, server, hint) => {
    const servers = { files: { command: "files" }, wordpress: { command: "wp" } };
    const config = { servers, ...(writes !== undefined && { policy: { writes } }) };
    expect(
      explainWrites(config, (name) => (name === "MCP_CODEGEN_ENABLE_WRITES" ? variable : undefined), server),
    ).toBe(hint);
  },
);
