import { describe, expect, test } from "vitest";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import type { ServerInput } from "../../../src/agent/registry/registry.js";
import { type ServerDefinition, defineServer } from "../../../src/runtime/index.js";
import { connectTools } from "../../../src/codegen.js";
import { isProduction } from "../../../src/agent/registry/server-source.js";
import { lockedTool } from "./fake-server.js";
import { fixtureCommand } from "../../servers/start-fixture.js";

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

/** A server that lists one tool more than is locked. */
function shopIn(environments: ServerDefinition["environments"]) {
  const server = defineServer({
    name: "shop",
    contract: "1.0.0",
    ...fixtureCommand("drifted", "--drift", "tool-added"),
    ...(environments && { environments }),
  });
  const [findOrders, cancelOrder] = ["find-orders", "cancel-order"].map((name) => lockedTool(server, name));
  return { server, findOrders, cancelOrder };
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

describe("an environment that no server has", () => {
  const shop = shopIn({ production: {}, sandbox: {} });

  test("is refused at once, with those that there are", () => {
    expect(() => createRegistry({ servers: [shop], environment: "prodution" })).toThrow(
      expect.objectContaining({
        code: "SERVER_UNKNOWN",
        message: 'No server has an environment "prodution".',
        hint: 'Known: "production", "sandbox".',
      }),
    );
  });

  test("is not refused where one server has it, or where no server has any", () => {
    const files = shopIn(undefined);
    for (const environment of ["default", "production", undefined])
      expect(() => createRegistry({ servers: [shop], ...(environment && { environment }) })).not.toThrow();
    expect(() => createRegistry({ servers: [files], environment: "anything" })).not.toThrow();
    expect(() => createRegistry({ environment: "anything" })).not.toThrow();
  });

  test("is warned about where another server has it, or none has any: calls go to the server's own settings", () => {
    const warningsOf = (environment: string, ...servers: readonly ServerInput[]): readonly string[] => {
      const warnings: string[] = [];
      createRegistry({ servers, environment, onWarning: (message) => warnings.push(message) });
      return warnings;
    };
    const files = shopIn(undefined);
    const other = defineServer({ name: "files", contract: "1.0.0", command: "none" });
    const message = (name: string): string =>
      `Server "${name}" has no environment "sandbox", so its calls go to its own settings.`;
    expect(warningsOf("sandbox", files)).toEqual([message("shop")]);
    expect(warningsOf("sandbox", shop, other)).toEqual([message("files")]);
    expect(warningsOf("sandbox", shop)).toEqual([]);
    expect(warningsOf("default", files)).toEqual([]);
  });
});
