import { expect, test } from "vitest";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import { type ServerDefinition, defineServer } from "../../../src/runtime/index.js";
import { connectTools } from "../../../src/codegen.js";
import { isProduction } from "../../../src/agent/registry/server-source.js";
import { lockedTool } from "./fake-server.js";

test.each([
  ["production", true],
  ["prod", true],
  ["Live", true],
  ["shop-prod", true],
  ["prodEu", true],
  ["test-prod", true],
  ["pre-production", true],
  // Names that say nothing.
  ["eu", true],
  ["acme", true],
  ["contest", true],
  ["", true],
  ["default", false],
  ["local", false],
  ["localhost", false],
  ["dev", false],
  ["dev2", false],
  ["shopStaging", false],
  ["shop_staging_eu", false],
  ["SANDBOX", false],
  ["qa", false],
  ["preview-123", false],
  ["e2e", false],
])("an environment called %j is production: %j", (name, expected) => {
  expect(isProduction(name)).toBe(expected);
  const marked = { environments: { [name]: { production: !expected } } };
  expect(isProduction(name, marked)).toBe(!expected);
});

function shopIn(environments: ServerDefinition["environments"]) {
  const settings = { contract: "1.0.0", command: "none", ...(environments && { environments }) };
  const server = defineServer({ name: "shop", ...settings });
  return { server, findOrders: lockedTool(server, "find-orders") };
}

test("a connection with its own client is in the environment that it names, and else in all", () => {
  const { server } = shopIn({ production: {}, sandbox: {} });
  const client = { callTool: () => Promise.resolve({ content: [] }) };
  const serversIn = (environment: string | undefined): readonly string[] => {
    const servers = [connectTools(server, {}, { client, environment })];
    const registry = createRegistry({ servers, environment: "sandbox" });
    return registry.for("production").servers.map(({ name }) => name);
  };
  expect(serversIn("sandbox")).toEqual([]);
  expect(serversIn(undefined)).toEqual(["shop"]);
});

test("an environment that no server has is refused at once, with those that there are", () => {
  const shop = shopIn({ production: {}, sandbox: {} });
  expect(() => createRegistry({ servers: [shop], environment: "prodution" })).toThrow(
    expect.objectContaining({
      code: "SERVER_UNKNOWN",
      message: 'No server has an environment "prodution".',
      hint: 'Known: "production", "sandbox".',
    }),
  );
});

test("an environment is a warning where another server has it, or none has any", () => {
  const shop = shopIn({ production: {}, sandbox: {} });
  const files = shopIn(undefined);
  const other = defineServer({ name: "files", contract: "1.0.0", command: "none" });
  const warningOf = (name: string): string =>
    `Server "${name}" has no environment "sandbox", so its calls go to its own settings.`;
  for (const [environment, servers, expected] of [
    ["sandbox", [files], [warningOf("shop")]],
    ["sandbox", [shop, other], [warningOf("files")]],
    ["sandbox", [shop], []],
    ["default", [files], []],
    ["default", [shop], []],
    ["sandbox", [], []],
  ] as const) {
    const warnings: string[] = [];
    createRegistry({ servers, environment, onWarning: (message) => warnings.push(message) });
    expect(warnings).toEqual(expected);
  }
});
