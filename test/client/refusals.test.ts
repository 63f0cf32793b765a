/** Who refused a request: the server, or a firewall, a proxy or a maintenance mode before it. */
import { describe, expect, onTestFinished, test } from "vitest";
import { McpCodegenError } from "../../src/core/errors.js";
import { openSession } from "../../src/client/open-session.js";
import { endpointOf } from "./endpoint.js";
import { respondRpc, startHttp } from "./start-http.js";

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Returns the error of `tools/list` and of the handshake at a server that answers so. */
async function failuresOf(answer: Answer, headers = {}): Promise<readonly McpCodegenError[]> {
  let isOpen = false;
  const url = await startHttp(({ id, method }, request, response) => {
    if (id === undefined) response.writeHead(request.method === "POST" ? 202 : 405).end();
    else if (isOpen && method === "initialize") {
      const identity = { capabilities: {}, serverInfo: { name: "behind" } };
      respondRpc(response, id, { result: { protocolVersion: "2025-11-25", ...identity } });
    } else response.writeHead(answer.status, { "content-type": answer.type }).end(answer.body);
  });
  const errors: McpCodegenError[] = [];
  for (const protocol of ["auto", "2025-11-25"]) {
    isOpen = protocol !== "auto";
    try {
      const session = await openSession(
        endpointOf({ url, headers, transport: "http", ...(isOpen && { protocol }) }),
      );
      onTestFinished(() => session.close());
      await session.request("tools/list", {});
    } catch (error) {
      if (!(error instanceof McpCodegenError)) throw error;
      errors.push(error);
    }
  }
  expect(errors).toHaveLength(2);
  return errors;
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
        expect(code).toBe("PROTOCOL_INVALID");
        expect(message).toContain(words);
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

describe("may be sent again:", () => {
  const FORMS = ["text/html", "application/json", "text/plain"].map(
    (type) => [type, type === "text/html" ? page("Slow down") : '{"error":"Slow down"}'] as const,
  );
  test.each(
    [
      [408, "did not receive the request in time"],
      [425, "does not accept the request yet"],
      [429, "received too many requests"],
    ].flatMap(([status, words]) => FORMS.map(([type, body]) => [Number(status), type, body, words] as const)),
  )("HTTP %i with %s", async (status, type, body, words) => {
    for (const { code, message } of await failuresOf({ status, type, body })) {
      expect(code).toBe("SERVER_UNREACHABLE");
      expect(message).toContain(`${words} (HTTP ${status}): "`);
    }
  });
});
