import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { defineStaticTool, createRegistry, type Registry } from "../../src/agent/index.js";
import { createDiscoveryHandler } from "../../src/serve/discovery-handler.js";
import { createServeHandler, nodeListener } from "../../src/serve/index.js";
import { defineServer } from "../../src/runtime/tool.js";
import { openFixture } from "../runtime/open-fixture.js";
import { openClient, TOKEN } from "./clients.js";

const token = "discovery-token-of-this-test";
const clock = defineStaticTool({
  name: "clock",
  category: "time",
  input: z.object({}),
  output: z.object({ hour: z.number() }),
  execute: () => ({ hour: 12 }),
});

let url = "";
beforeEach(async () => {
  ({ url } = await openFixture("drifted"));
});

/** Up in the sandbox, down in production. */
function shopRegistry(): Registry {
  const server = defineServer({
    name: "shop",
    contract: "1.0.0",
    url,
    environments: { sandbox: {}, production: { url: "http://127.0.0.1:9/mcp" } },
  });
  return createRegistry({ servers: [server], static: [clock], environment: "sandbox" });
}

type Handler = ReturnType<typeof createDiscoveryHandler>;

async function ask(handler: Handler, method: string, path: string, authorization = `Bearer ${token}`) {
  const headers: Record<string, string> = authorization === "" ? {} : { authorization };
  const response = await handler(new Request(`http://localhost${path}`, { method, headers }));
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe("the discovery handler", () => {
  test("returns the state of every environment, with counts by category", async () => {
    const now = (): number => Date.UTC(2026, 6, 28);
    const handler = createDiscoveryHandler(shopRegistry(), { token, now });
    const { status, body, headers } = await ask(handler, "GET", "/api/tools/status");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual({
      success: true,
      timestamp: "2026-07-28T00:00:00.000Z",
      environments: {
        sandbox: {
          connected: true,
          count: 3,
          unlocked: 2,
          categories: { time: 1, commerce: 2 },
          servers: { shop: { toolCount: 2, listedAt: expect.stringMatching(/^2\d{3}-.*Z$/) as string } },
        },
        production: {
          connected: false,
          errors: { shop: expect.stringContaining("could not be listed") as string },
          count: 1,
          unlocked: 0,
          categories: { time: 1 },
          servers: { shop: { toolCount: 0 } },
        },
      },
    });
  });

  test("returns the tools of one environment", async () => {
    const handler = createDiscoveryHandler(shopRegistry(), { token });
    const { status, body } = await ask(handler, "GET", "/sandbox");
    const schemas = { hasInputSchema: true, hasOutputSchema: true };
    expect([status, body]).toEqual([
      200,
      {
        ...{ success: true, timestamp: expect.any(String) as string, environment: "sandbox", count: 3 },
        servers: { shop: { toolCount: 2, listedAt: expect.any(String) as string } },
        tools: [
          { name: "clock", category: "time", isLocked: true, ...schemas },
          expect.objectContaining({ name: "shop__cancel-order", isLocked: false }),
          {
            ...{
              name: "shop__find-orders",
              server: "shop",
              category: "commerce",
              isLocked: false,
              ...schemas,
            },
            ...{ title: "Find orders", description: "Finds orders by their state." },
          },
        ],
      },
    ]);
  });

  test("asks anew once an environment is invalidated, and at once when told to refresh", async () => {
    const registry = shopRegistry();
    const handler = createDiscoveryHandler(registry, { token });
    const post = async (path: string) => ({
      ...(await ask(handler, "POST", `/base/${path}`)),
      isStale: registry.isStale("shop"),
    });
    await registry.getTools();
    expect(registry.isStale("shop")).toBe(false);
    const sandbox = { success: true, environment: "sandbox" };
    const fresh = { ok: true, added: [], removed: [] };
    const environments = { sandbox: fresh, production: { ok: false } };
    const answers = [await post("sandbox/invalidate"), await post("refresh")];
    expect(answers).toMatchObject([
      { status: 200, body: sandbox, isStale: true },
      { status: 200, body: { success: true, environments }, isStale: false },
    ]);
    registry.invalidate();
    const body = { ...sandbox, count: 3, ...fresh };
    expect(await post("sandbox")).toMatchObject({ status: 200, body, isStale: false });
  });

  test.each([
    ["GET", "/moon", 400, { error: "Unknown environment.", environments: ["sandbox", "production"] }],
    ["POST", "/moon/invalidate", 400, {}],
    ["POST", "/invalidate", 400, {}],
    ["GET", "/%E0%A4%A", 404, {}],
    ["GET", "/", 404, {}],
    ["GET", "/__proto__", 400, {}],
    ["GET", "/production", 502, { errors: { shop: expect.any(String) as string } }],
    ["GET", "/refresh", 405, { error: "Use POST here." }],
    ["POST", "/production", 502, { errors: { shop: expect.any(String) as string } }],
    ["POST", "/moon", 400, {}],
    ["DELETE", "/sandbox", 405, { error: "Use GET or POST here." }],
    ["POST", "/status", 405, { error: "Use GET here." }],
  ])("answers %s %s with %i", async (method, path, status, body) => {
    const handler = createDiscoveryHandler(shopRegistry(), { token });
    const answer = await ask(handler, method, path);
    expect(answer).toMatchObject({ status, body: { success: false, ...body } });
    const { error } = answer.body as { readonly error: string };
    if (status === 405)
      expect(`Use ${String(answer.headers.get("allow")).replace(", ", " or ")} here.`).toBe(error);
  });

  test("answers a refresh with 502 when no server answers", async () => {
    const registry = createRegistry({
      servers: [defineServer({ name: "shop", url: "http://127.0.0.1:9/" })],
    });
    const handler = createDiscoveryHandler(registry, { token });
    expect(await ask(handler, "POST", "/refresh")).toMatchObject({
      status: 502,
      body: { success: false, environments: { default: { ok: false } } },
    });
  });

  test("refuses requests without the token", async () => {
    const registry = createRegistry({ static: [clock] });
    const handler = createDiscoveryHandler(registry, { token });
    const wrong = [token, `bearer ${token}`, `Bearer ${token}x`, `Bearer ${token.slice(1)}`, "", "Bearer "];
    for (const given of [...wrong, `Bearer ${token.slice(0, -1)}`, `Bearer ${token.slice(0, -1)}_`]) {
      const { status, headers, body } = await ask(handler, "GET", "/status", given);
      expect([given, status]).toEqual([given, 401]);
      expect(headers.get("www-authenticate")).toBe("Bearer");
      expect(JSON.stringify(body)).not.toContain(token);
    }
    expect((await ask(handler, "GET", "/status")).status).toBe(200);
  });

  test("is open only where that is configured", async () => {
    const registry = createRegistry({ static: [clock] });
    for (const missing of [undefined, ""]) {
      expect(() => createDiscoveryHandler(registry, { token: missing })).toThrow(
        /The bearer token is (?:missing|empty)/,
      );
    }
    const handler = createDiscoveryHandler(registry, { token: false });
    expect((await ask(handler, "GET", "/default", "")).status).toBe(200);
  });

  test("holds no secret in any answer, whatever the server repeats", async () => {
    vi.stubEnv("REGISTRY_TEST_SECRET", "s3cr3t-of-the-shop");
    onTestFinished(() => void vi.unstubAllEnvs());
    const auth = { bearer: "${REGISTRY_TEST_SECRET}" };
    // It repeats the headers that it was sent.
    const echo = defineServer({ name: "echo", url: (await openFixture("secret-echo")).url, auth });
    const away = defineServer({ name: "away", url: "http://${REGISTRY_TEST_SECRET}.invalid/mcp", auth });
    const events: unknown[] = [];
    const logger = (...event: readonly unknown[]): unknown => events.push(event);
    const handler = createDiscoveryHandler(createRegistry({ servers: [echo, away], logger }), { token });
    const texts: string[] = [];
    for (const [method, path] of [
      ["GET", "/status"],
      ["GET", "/default"],
      ["POST", "/refresh"],
    ] as const)
      texts.push(JSON.stringify((await ask(handler, method, path)).body));
    expect(texts.join()).toMatch(/refused.*away/);
    expect(texts.join() + JSON.stringify(events)).not.toContain("s3cr3t");
  });
});

/** Serves a handler by node:http until the test ends, and returns its port. */
async function listen(handler: Parameters<typeof nodeListener>[0]): Promise<number> {
  const server = createServer(nodeListener(handler)).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  return (server.address() as AddressInfo).port;
}

describe("it is mounted", () => {
  test("in node:http beside the MCP server of the same registry", async () => {
    const serve = await createServeHandler(shopRegistry(), { token: TOKEN });
    const client = await openClient(`http://127.0.0.1:${await listen(serve)}/mcp`);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("clock");
    await client.close();
    await serve.close();
  });

  test("in node:http", async () => {
    const handler = createDiscoveryHandler(shopRegistry(), { token });
    const url = `http://127.0.0.1:${await listen(handler)}`;
    const at = (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(url + path, { headers: { Authorization: `Bearer ${token}` }, ...init });
    expect((await at("/tools/sandbox?x=1")).status).toBe(200);
    expect(await (await at("/tools/sandbox/invalidate", { method: "POST" })).json()).toEqual({
      success: true,
      timestamp: expect.stringMatching(/^2\d{3}-.*Z$/) as string,
      environment: "sandbox",
    });
    expect((await fetch(`${url}/status`)).status).toBe(401);
  });

  test("as a route of Next.js or a handler of Hono, whose types it has", () => {
    const handler = createDiscoveryHandler(createRegistry(), { token });
    const GET: (request: Request, context: { params: Promise<object> }) => Promise<Response> = handler;
    const mounted = (context: { req: { raw: Request } }): Promise<Response> => handler(context.req.raw);
    expect([GET, mounted]).toHaveLength(2);
  });
});
