import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { listenForAnswer } from "../../src/cli/commands/setup/login.js";
import { servePage } from "../../src/cli/commands/tools/page.js";
import { defineStaticTool } from "../../src/agent/index.js";
import { createRegistry } from "../../src/agent/registry/create-registry.js";
import { createDiscoveryHandler, nodeListener, serveHttp } from "../../src/serve/index.js";
import { saying, stubToolset } from "../serve/stub-toolset.js";

const STATE = "the-state";
const TOKEN = "0123456789abcdef";

/** The HTTP servers, and the request that each answers with 200 or 202. */
const SERVERS: Readonly<Record<string, () => Promise<{ readonly url: string; readonly good: string }>>> = {
  "the callback of login": async () => {
    const listener = await listenForAnswer(STATE);
    onTestFinished(() => {
      listener.close();
    });
    return { url: listener.url, good: `/callback?state=${STATE}&code=c` };
  },
  "page --serve": async () => {
    const page = await servePage("<p>Tools", 0);
    onTestFinished(() => page.close());
    return { url: page.url, good: "/" };
  },
  "serve --http": async () => {
    const toolset = stubToolset(() => Promise.resolve(saying({})));
    const serving = await serveHttp(toolset, { port: 0, token: TOKEN });
    onTestFinished(() => serving.close());
    return { url: serving.url, good: "/mcp" };
  },
  "the discovery handler": async () => {
    const clock = defineStaticTool({ name: "clock", input: z.object({}), execute: () => 12 });
    const registry = createRegistry({ servers: [], static: [clock] });
    const server = createServer(nodeListener(createDiscoveryHandler(registry, { token: TOKEN })));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    return { url: `http://127.0.0.1:${port}/`, good: "/status" };
  },
};

const LINES = [
  "GET // HTTP/1.1", "GET //x:y HTTP/1.1", "GET ///// HTTP/1.1", "GET /\\ HTTP/1.1", "GET //[ HTTP/1.1", "GET http:// HTTP/1.1",
  "GET http://[::1 HTTP/1.1", "GET http://x:99999/ HTTP/1.1", "GET * HTTP/1.1", "OPTIONS * HTTP/1.1", "CONNECT x:443 HTTP/1.1",
  "GET /callback HTTP/1.1", "GET /callback?state HTTP/1.1", "GET /callback?state=%E0%A4%A&state=%00 HTTP/1.1", "GET /mcp?%zz HTTP/1.1",
  "POST /mcp?// HTTP/1.1", "GET /mcp# HTTP/1.1", "GET /events// HTTP/1.1", "GET ?a HTTP/1.1", "GET /\u00e4 HTTP/1.1", "GET / HTTP/9.9",
  "GET", "",
]; // prettier-ignore

/** Sends a request line with valid headers, and returns the start of the answer; empty if the connection was closed. */
function send(url: string, line: string, token: string): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), "127.0.0.1");
    let text = "";
    const end = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.on("data", (piece) => {
      text += piece.toString("latin1");
      // A stream of events stays open.
      if (text.includes("\r\n\r\n")) end();
    });
    socket.on("error", end);
    socket.on("close", end);
    const headers = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`, "Connection: close"];
    socket.write([line, ...headers, "Content-Length: 0", "", ""].join("\r\n"));
  });
}

describe.each(Object.entries(SERVERS))("%s", (_name, start) => {
  it("survives every request line", async () => {
    const { url, good } = await start();
    for (const line of LINES) {
      const answer = await send(url, line, TOKEN);
      if (answer !== "") expect([line, answer]).toEqual([line, expect.stringMatching(/^HTTP\/1\.1 \d{3} /)]);
      expect([line, answer]).not.toEqual([line, expect.stringMatching(/^HTTP\/1\.1 5/)]);
    }
    expect(await send(url, `GET ${good} HTTP/1.1`, TOKEN)).toMatch(/^HTTP\/1\.1 [24]0\d /);
  });

  it("survives random targets", async () => {
    const { url, good } = await start();
    const part = fc.constantFrom(..."/ // \\ ? # % %00 [ ] : @ http: mcp".split(" "));
    const target = fc.array(fc.oneof(part, fc.string({ maxLength: 3 })), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("GET", "POST", "HEAD", "PUT"), target, async (method, pieces) => {
        const answer = await send(url, `${method} ${pieces.join("")} HTTP/1.1`, TOKEN);
        expect(answer).not.toMatch(/^HTTP\/1\.1 5/);
      }),
      { numRuns: 150 },
    );
    expect(await send(url, `GET ${good} HTTP/1.1`, TOKEN)).toMatch(/^HTTP\/1\.1 [24]0\d /);
  });
});

it("the callback of login answers wrong states, and waits for the right one", async () => {
  const listener = await listenForAnswer(STATE);
  const answer = listener.wait(20_000, undefined);
  for (const query of [
    "state=other&code=evil",
    "state=&code=evil",
    `state=${STATE}x`,
    "state=a&state=the-state",
  ]) {
    const response = await fetch(`${listener.url}?${query}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("another login");
  }
  expect((await fetch(`${listener.url}?state=${STATE}&code=good`)).status).toBe(200);
  expect(Object.fromEntries(await answer)).toEqual({ state: STATE, code: "good" });
  listener.close();
});
