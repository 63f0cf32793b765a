import { describe, expect, it } from "vitest";
import { connectTools, defineTool } from "../../../../src/codegen.js";
import type { ConnectOptions } from "../../../../src/core/call.js";
import type { ServerDefinition, Tool } from "../../../../src/core/tool.js";
import { defineServer } from "../../../../src/runtime/tool.js";
import { type ProtectedServer, startProtected } from "../../../servers/start-protected.js";
import { containing, makeWorld } from "./make-world.js";

/** Returns what the authorization server sent and was sent that must stay secret. */
function secretsOf({ tokenRequests, received }: ProtectedServer): readonly string[] {
  const sent = tokenRequests.flatMap((form) =>
    ["code", "code_verifier", "refresh_token"].flatMap((key) => form.get(key) ?? []),
  );
  return [...new Set([...sent, ...received])];
}

/** A tool of the server, and its connection. */
function connectShop(settings: Partial<ServerDefinition>, options: ConnectOptions = {}): Shop {
  const server = defineServer({ name: "shop", ...settings });
  const input = {
    "~standard": { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value }) },
  };
  const inputSchema = (): object => ({ type: "object" });
  const listOrders = defineTool({ server, name: "list_orders", input, inputSchema });
  return connectTools(server, { listOrders }, options);
}

interface Shop {
  readonly listOrders: Tool<unknown>;
}

describe("tokens", () => {
  it("are in no lock, code, report, log, JSON or error", async () => {
    const world = await makeWorld();
    const { shop, project, env, run, logIn, expireToken } = world;
    await project.write(
      "mcp-codegen.config.json",
      JSON.stringify({ output: "generated", servers: { shop: { url: shop.url } } }),
    );
    const printed: string[] = [];
    const keep = ({ stdout, stderr }: { stdout: string; stderr: string }): void => {
      printed.push(stdout, stderr);
    };
    keep(await logIn());
    const commands = [
      ["pull", "--verbose"],
      ["check", "--json"],
      ["check", "--format", "sarif"],
      ["list", "--live", "--json"],
      ["call", "list_orders", "--json"],
      ["login", "--list", "--json"],
    ];
    for (const argv of commands) keep(await project.run(argv, env));
    await expireToken();
    for (const echoes of ["http", "rpc", "list"] as const) {
      shop.echoes = echoes;
      for (const argv of commands) keep(await project.run(argv, env));
    }
    expect(printed.join("")).toContain("***");
    shop.echoes = undefined;
    shop.refusesAll = true;
    for (const argv of commands) keep(await project.run(argv, env));
    await run("login", "--out", "shop");
    const tokens = secretsOf(shop);
    expect(tokens.length).toBeGreaterThan(3);
    const everything = [...printed, ...Object.values(await project.files())].join("\n");
    expect(tokens.filter((token) => everything.includes(token))).toEqual([]);
  });
});

describe("an auth provider", () => {
  const connect = (url: string, auth: () => Promise<string>): Shop =>
    connectShop({ url, auth: { bearer: "${UNSET}" } }, { auth });
  const issue = async (shop: ProtectedServer): Promise<string> => {
    const client = await shop.provider.Client.find("robot");
    if (client === undefined) throw new Error("There is no client.");
    const token = new shop.provider.ClientCredentials({ client, scope: "tools:read" });
    Object.assign(token, { aud: shop.url });
    return token.save();
  };

  it("replaces configured credentials, and is asked for each request", async () => {
    const shop = await startProtected();
    const token = await issue(shop);
    const tools = connect(shop.url, () => Promise.resolve(token));
    expect(await tools.listOrders.safe({})).toMatchObject({ ok: true });
    expect(new Set(shop.received)).toEqual(new Set([token]));
  });

  it("is asked once more when the server refuses the token", async () => {
    const shop = await startProtected();
    const tokens = ["old-token-1234", await issue(shop)];
    let calls = 0;
    const tools = connect(shop.url, () => Promise.resolve(tokens[Math.min(calls++, 1)] ?? ""));
    expect(await tools.listOrders.safe({})).toMatchObject({ ok: true });
    expect(shop.received.filter((token) => token === "old-token-1234")).toHaveLength(1);
  });

  it("ends in an error without the token when the server refuses every token", async () => {
    const shop = await startProtected();
    let calls = 0;
    const tools = connect(shop.url, () => Promise.resolve(`refused-token-${++calls}`));
    const result = await tools.listOrders.safe({});
    expect(result).toMatchObject({ ok: false, error: { code: "TOOL_UNAVAILABLE", retryable: false } });
    expect(JSON.stringify(result)).not.toContain("refused-token");
    expect(calls).toBe(2);
  });

  it.each([
    ["nothing", ""],
    ["a token with a line end", "a\r\nb"],
  ])("that returns %s is an error", async (_what, token) => {
    const shop = await startProtected();
    const result = await connect(shop.url, () => Promise.resolve(token)).listOrders.safe({});
    expect(JSON.stringify(result)).toContain("did not return a token");
    expect(shop.requests).toBe(0);
  });

  it("that fails is an error with its reason", async () => {
    const shop = await startProtected();
    for (const auth of [
      () => Promise.reject(new Error("The vault is sealed")),
      (): never => {
        throw new Error("The vault is sealed");
      },
    ])
      expect(await connect(shop.url, auth).listOrders.safe({})).toMatchObject({
        error: {
          code: "TOOL_UNAVAILABLE",
          message: containing('The auth provider of "shop" failed: The vault is sealed.'),
        },
      });
    expect(shop.requests).toBe(0);
  });

  it("of one user does not serve the calls of another", async () => {
    const shop = await startProtected();
    const [one, two] = [await issue(shop), await issue(shop)];
    const tools = connect(shop.url, () => Promise.resolve(one));
    await tools.listOrders({}, { auth: () => Promise.resolve(one) });
    await tools.listOrders({}, { auth: () => Promise.resolve(two) });
    expect(new Set(shop.received)).toEqual(new Set([one, two]));
  });
});

describe("a program without an auth provider", () => {
  it("gets an error that names one", async () => {
    const { url } = await startProtected();
    expect(JSON.stringify(await connectShop({ url }).listOrders.safe({}))).toContain(
      "Pass connect({ auth }) a function",
    );
  });

  it("uses client credentials of the configuration", async () => {
    const { url, issuer } = await startProtected();
    const auth = { type: "oauth", clientId: "robot", clientSecret: "${SECRET}", issuer } as const;
    const shop = connectShop({ url, auth }, { variables: () => "robot-secret-marker" });
    expect(await shop.listOrders.safe({})).toMatchObject({ ok: true });
  });
});
