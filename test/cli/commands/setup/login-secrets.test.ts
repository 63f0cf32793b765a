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
    await project.configure({ output: "generated", servers: { shop: { url: shop.url } } });
    const printed: string[] = [];
    const keep = ({ stdout, stderr }: { stdout: string; stderr: string }): void => {
      printed.push(stdout, stderr);
    };
    const runAll = async (): Promise<void> => {
      const lines = ["pull --verbose", "check --json", "check --format sarif", "list --live --json"];
      for (const line of [...lines, "call list_orders --json", "login --list --json"])
        keep(await project.run(line, env));
    };
    keep(await logIn());
    await runAll();
    await expireToken();
    for (const echoes of ["http", "rpc", "list"] as const) {
      shop.echoes = echoes;
      await runAll();
    }
    expect(printed.join("")).toContain("***");
    shop.echoes = undefined;
    shop.refusesAll = true;
    await runAll();
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

  it("replaces configured credentials, and is asked once more when the server refuses the token", async () => {
    const shop = await startProtected();
    const tokens = ["old-token-1234", await issue(shop)];
    let calls = 0;
    const tools = connect(shop.url, () => Promise.resolve(tokens[Math.min(calls++, 1)] ?? ""));
    expect(await tools.listOrders.safe({})).toMatchObject({ ok: true });
    expect(shop.received.filter((token) => token === "old-token-1234")).toHaveLength(1);
    expect(new Set(shop.received)).toEqual(new Set(tokens));
    // An error does not have a token that is refused again.
    calls = 0;
    const others = connect(shop.url, () => Promise.resolve(`refused-token-${++calls}`));
    const result = await others.listOrders.safe({});
    expect(result).toMatchObject({ ok: false, error: { code: "TOOL_UNAVAILABLE", retryable: false } });
    expect(JSON.stringify(result)).not.toContain("refused-token");
    expect(calls).toBe(2);
  });

  it("that returns no token, or fails, is an error with its reason", async () => {
    const shop = await startProtected();
    const failed = 'The auth provider of "shop" failed: The vault is sealed.';
    const sealed = new Error("The vault is sealed");
    for (const [auth, message] of [
      [() => Promise.resolve(""), "did not return a token"],
      [() => Promise.resolve("a\r\nb"), "did not return a token"],
      [() => Promise.reject(sealed), failed],
      [(): never => { throw sealed; }, failed], // prettier-ignore
    ] as const)
      expect(await connect(shop.url, auth).listOrders.safe({})).toMatchObject({
        error: { code: "TOOL_UNAVAILABLE", message: containing(message) },
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
  it("gets an error that names one, and uses client credentials of the configuration", async () => {
    const { url, issuer } = await startProtected();
    const refused = JSON.stringify(await connectShop({ url }).listOrders.safe({}));
    expect(refused).toContain("Pass connect({ auth }) a function");
    const auth = { type: "oauth", clientId: "robot", clientSecret: "${SECRET}", issuer } as const;
    const shop = connectShop({ url, auth }, { variables: () => "robot-secret-marker" });
    expect(await shop.listOrders.safe({})).toMatchObject({ ok: true });
  });
});
