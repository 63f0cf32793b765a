/** Who refused a request: the server, or a firewall, a proxy or a maintenance mode before it. */
import { describe, expect, test } from "vitest";
import { failureOf, open } from "./session.js";
import { INITIALIZED, respondRpc, startHttp } from "./start-http.js";

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Returns the errors of the handshake and of a request in a session at a server that answers so. */
async function failuresOf({ status, type, body }: Answer, headers = {}, method = "tools/list") {
  let isOpen = false;
  const url = await startHttp(({ id, method: asked }, request, response) => {
    if (id === undefined) response.writeHead(request.method === "POST" ? 202 : 405).end();
    else if (isOpen && asked === "initialize") respondRpc(response, id, { result: INITIALIZED });
    else response.writeHead(status, { "content-type": type }).end(body);
  });
  const settings = { url, headers, transport: "http" } as const;
  const ofHandshake = await failureOf(open(settings));
  isOpen = true;
  const session = await open({ ...settings, protocol: "2025-11-25" });
  return [ofHandshake, await failureOf(session.request(method, { name: "x" }))];
}

const html = (status: number, body: string): Answer => ({ status, type: "text/html; charset=UTF-8", body });
const page = (title: string): string =>
  `<!DOCTYPE html>\n<html><head><title>x</title></head><body><h1>${title}</h1></body></html>`;
const WORDPRESS = "Briefly unavailable for scheduled maintenance. Check back in a minute.";

describe("is not taken for missing credentials:", () => {
  test.each<[string, Answer, string]>([
    ["Cloudflare", html(403, page("Sorry, you have been blocked")), "have been blocked"],
    ["Cloudflare without a page", { status: 403, type: "text/plain", body: "error code: 1020" }, "1020"],
    ["nginx", html(403, page("403 Forbidden")), "403 Forbidden"],
    ["Wordfence", html(503, page("Your access to this site has been limited")), "has been limited"],
    ["a page without a type", { status: 403, type: "", body: page("Request Rejected") }, "Request Rejected"],
    ["a maintenance mode", html(503, page(WORDPRESS)), "Briefly unavailable"],
    ["a maintenance mode with 403", html(403, page("Under maintenance")), "Under maintenance"],
    ["a gateway", html(502, page("502 Bad Gateway")), "Bad Gateway"],
    ["a login page", html(403, page('<form id="loginform"></form>')), "answered with a login page"],
  ])("%s", async (_name, answer, words) => {
    for (const headers of [{}, { authorization: "Bearer secret-token" }])
      for (const { code, message, hint } of await failuresOf(answer, headers)) {
        expect([code, message]).toEqual(["PROTOCOL_INVALID", expect.stringContaining(words)]);
        expect(message).toContain(`(HTTP ${answer.status})`);
        expect(hint).not.toMatch(/\bauth\b|credentials/);
        expect(hint).toMatch(/firewall|Try again later|exempt the REST API/);
      }
  });
});

describe("is taken for missing credentials:", () => {
  test.each<[string, Answer]>([
    ["JSON", { status: 403, type: "application/json", body: '{"message":"Forbidden"}' }],
    ["a text", { status: 403, type: "text/plain", body: "Forbidden" }],
    ["an empty body", { status: 403, type: "text/plain", body: "" }],
    ["a page of HTTP 401", html(401, page("401 Authorization Required"))],
  ])("%s", async (_name, answer) => {
    for (const { code, hint } of await failuresOf(answer)) {
      expect(code).toBe("SERVER_REFUSED");
      expect(hint).toContain("Set auth or headers");
    }
  });
});

test("a PHP notice in front of an answer warns that the tool may have run", async () => {
  const body = '<br />\n<b>Warning</b>:  Undefined variable $post<br />\n{"jsonrpc":"2.0"}';
  const message = expect.stringContaining("sent a PHP notice in its answer (HTTP 200)") as string;
  const hints = [/^Fix the notice/, /^The tool may have run: look .*Fix the notice/];
  expect(await failuresOf(html(200, body), {}, "tools/call")).toMatchObject(
    hints.map((hint) => ({ message, hint: expect.stringMatching(hint) as string })),
  );
});

describe("may be sent again:", () => {
  const FORMS = [
    ["text/html", page("Slow down")],
    ["application/json", '{"error":"Slow down"}'],
    ["text/plain", '{"error":"Slow down"}'],
  ] as const;
  test.each(
    [
      [408, "did not receive the request in time"] as const,
      [425, "does not accept the request yet"] as const,
      [429, "received too many requests"] as const,
    ].flatMap(([status, words]) => FORMS.map(([type, body]) => ({ status, type, body, words }))),
  )("HTTP $status with $type", async ({ words, ...answer }) => {
    for (const { code, message } of await failuresOf(answer)) {
      expect(code).toBe("SERVER_UNREACHABLE");
      expect(message).toContain(`${words} (HTTP ${answer.status}): "`);
    }
  });
});
