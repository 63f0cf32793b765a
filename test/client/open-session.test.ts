import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ConnectionSettings } from "../../src/core/connection-settings.js";
import { explainError, McpCodegenError } from "../../src/core/errors.js";
import { openSession, type SessionOptions } from "../../src/client/open-session.js";
import { type Session } from "../../src/client/session.js";
import { useProcesses } from "../servers/in-process.js";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { endpointOf } from "./endpoint.js";
import { respondRpc, startHttp } from "./start-http.js";

useProcesses();

async function failureOf(
  settings: ConnectionSettings,
  variables: { readonly [name: string]: string } = {},
  options: SessionOptions = {},
): Promise<McpCodegenError> {
  try {
    const session = await openSession(endpointOf(settings, variables), options);
    try {
      await session.request("tools/list", {});
    } finally {
      await session.close();
    }
  } catch (error) {
    if (error instanceof McpCodegenError) return error;
    throw error;
  }
  throw new Error("nothing failed");
}

async function withFixture<T>(
  name: string,
  args: string[],
  use: (url: string) => Promise<T>,
  transport: "http" | "sse" = "http",
): Promise<T> {
  const fixture = await startFixture(name, { args, transport });
  try {
    return await use(fixture.url);
  } finally {
    await fixture.close();
  }
}

describe("answers that are not MCP", () => {
  test.each([
    ["unauthorized", "SERVER_REFUSED", "requires credentials (HTTP 401): "],
    ["forbidden", "SERVER_REFUSED", "requires credentials (HTTP 403)"],
    ["oauth-required", "SERVER_REFUSED", "requires credentials (HTTP 401)"],
    ["not-found", "SERVER_REFUSED", `has no MCP endpoint at this path (HTTP 404): "No route was found."`],
    ["login-page", "PROTOCOL_INVALID", "answered with a login page (HTTP 200)"],
    ["redirect", "PROTOCOL_INVALID", "answered with a login page (HTTP 302)"],
    ["error-500", "SERVER_UNREACHABLE", "failed (HTTP 500)"],
    ["error-503", "PROTOCOL_INVALID", "Briefly unavailable for scheduled maintenance."],
    ["php-error", "PROTOCOL_INVALID", "Fatal error"],
    ["garbage", "PROTOCOL_INVALID", "not an MCP message"],
    ["empty", "PROTOCOL_INVALID", "sent an empty answer"],
    ["json-rpc-error", "SERVER_REFUSED", "The plugin is not active (-32603)"],
  ])("%s", async (how, code, words) => {
    await withFixture("refuses", ["--how", how], async (url) => {
      const error = await failureOf({ url });
      expect(error).toMatchObject({ code, exitCode: 3 });
      expect(error.message).toContain(words);
      expect(error.message).not.toMatch(/[<>\n]/);
    });
  });

  test("wrong credentials", async () => {
    await withFixture("paged", ["--basic", "admin:right"], async (url) => {
      const auth = { basic: { username: "admin", password: "${PW}" } };
      const error = await failureOf({ url, auth }, { PW: "wrong-pass" });
      expect(error.message).toContain("refused the credentials (HTTP 401)");
      expect(error.hint).toContain("auth");
      const session = await openSession(endpointOf({ url, auth }, { PW: "right" }));
      await session.close();
    });
  });

  test("garbage over stdio", async () => {
    const error = await failureOf(
      fixtureCommand("refuses", "--how", "garbage"),
      {},
      { connectTimeout: 2_000 },
    );
    expect(error.code).toBe("PROTOCOL_INVALID");
    expect(error.message).toContain('It wrote "]{ not json", which is not an MCP message.');
  });

  test("an unknown protocol version", async () => {
    const result = { protocolVersion: "1999-01-01", capabilities: {}, serverInfo: {} };
    const error = await failureOf({
      url: await startHttp(({ id }, _request, response) => {
        respondRpc(response, id, { result });
      }),
    });
    expect(error.code).toBe("PROTOCOL_INVALID");
    expect(error.message).toContain('speaks protocol version "1999-01-01"');
  });
});

describe("servers that are not there", () => {
  // No program that asks for any port gets this one.
  const url = "http://127.0.0.1:65533/mcp";
  test.each<[what: string, settings: ConnectionSettings, error: object]>([
    ["a command that does not exist", { command: "no-such-command" }, { message: 'Command "no-such-command" was not found.' }],
    ["a command line in place of a command", { command: "no-such-command server.js  --fast" }, { hint: 'Write command: "no-such-command", args: ["server.js", "--fast"].' }],
    ["a port that refuses connections", { url }, { message: `The server at "${url}" refuses connections (ECONNREFUSED).` }],
    ["a host that does not resolve", { url: "http://no-such-host.invalid/mcp" }, {}],
  ])("%s", async (_what, settings, error) => {
    expect(await failureOf(settings)).toMatchObject({ code: "SERVER_UNREACHABLE", ...error });
  }); // prettier-ignore

  test.each(["start", "initialize"])("a program that ends at %s", async (step) => {
    const error = await failureOf(fixtureCommand("dies-midway", "--at", step));
    expect(error.code).toBe("SERVER_UNREACHABLE");
    expect(error.message).toContain("exited with code 7");
    expect(error.stderr).toEqual([`dies-midway: giving up at ${step}`]);
  });

  test("a program that fails with an error: its message is shown, not its stack", async () => {
    const missing = await failureOf({ command: process.execPath, args: ["no-such-file.cjs"] });
    expect(missing.stderr).toEqual([
      expect.stringMatching(/^Error: Cannot find module '.*no-such-file\.cjs'$/),
    ]);
    const script = "console.error('Starting.'); Object.assign(Object, {}).no.way";
    const thrown = await failureOf({ command: process.execPath, args: ["-e", script] });
    expect(thrown.stderr).toEqual([
      expect.stringMatching(/^TypeError: Cannot read properties of .*'way'\)$/),
    ]);
    const words = "console.error('Error: tried again\\nThe licence\\nhas run out.'); process.exit(3)";
    const told = await failureOf({ command: process.execPath, args: ["-e", words] });
    expect(told.stderr).toEqual(["Error: tried again", "The licence", "has run out."]);
    expect(explainError(told)).toMatch(/ It wrote: Error: tried again The licence has run out\.$/);
  });

  test("a package that npx does not find: its name is shown, not where the log is", async () => {
    const lines = [
      "code E404",
      "404 Not Found - GET https://example.com/shop-mcp",
      "A complete log is elsewhere",
    ];
    const script = `console.error(${JSON.stringify(lines.map((line) => `npm error ${line}`).join("\n"))}); process.exit(1)`;
    const error = await failureOf({ command: process.execPath, args: ["-e", script] });
    expect(explainError(error)).toMatch(/ It wrote: npm error code E404 404 Not Found - GET \S+\/shop-mcp /);
  });

  test.each([
    ["APP_TEST_TOKEN", { APP_TEST_TOKEN: "set" }, {}, 'Add env: { APP_TEST_TOKEN: "${APP_TEST_TOKEN}" }.'],
    ["APP_TEST_TOKEN", {}, {}, undefined],
    ["APP_TEST_TOKEN", { APP_TEST_TOKEN: "set" }, { APP_TEST_TOKEN: "wrong" }, undefined],
    ["PATH", {}, {}, undefined],
  ])(
    "a program that exits for want of %s, with %j here and %j in its settings",
    async (name, here, env, hint) => {
      for (const [key, value] of Object.entries(here)) vi.stubEnv(key, value);
      onTestFinished(() => void vi.unstubAllEnvs());
      const program = `console.error("Error: ${name} is required"); process.exit(1)`;
      const error = await failureOf({ command: process.execPath, args: ["-e", program], env });
      expect(error.message).toContain("exited with code 1");
      expect(error.stderr).toEqual([`Error: ${name} is required`]);
      if (hint === undefined) expect(error.hint).toBeUndefined();
      else expect(error.hint).toContain(hint);
    },
  );

  test("a command that may still install its package", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mcp-codegen-npx-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const npx = join(folder, "npx");
    await writeFile(npx, `#!${process.execPath}\nsetTimeout(() => undefined, 60_000);\n`, { mode: 0o755 });
    const settings = { command: npx, args: ["-y", "@acme/mcp"] };
    const error = await failureOf(settings, {}, { connectTimeout: 300 });
    expect(error).toMatchObject({
      code: "SERVER_TIMEOUT",
      hint: "Try again: the files fetched so far are kept.",
    });
    expect(error.message).toMatch(/did not connect within 300 ms: npx may still be installing @acme\/mcp\.$/);
  });

  test("a program that waits for a login prints its address before the time-out", async () => {
    const url = `https://login.example.com/authorize?state=${"x".repeat(300)}`;
    const command = fixtureCommand("talkative", "--say", `Please visit:\n<${url}>`, "--then", "hang");
    const lines: string[] = [];
    const onStderr = (line: string): void => void lines.push(line);
    const error = await failureOf(command, {}, { connectTimeout: 2_000, onStderr });
    expect(error).toMatchObject({ code: "SERVER_TIMEOUT", stderr: ["Please visit:", `<${url}>`] });
    expect(lines).toEqual(error.stderr);
  });

  test.each([["stdio"], ["http"], ["sse"]] as const)("a server that is silent over %s", async (transport) => {
    const fail = (settings: ConnectionSettings) => failureOf(settings, {}, { connectTimeout: 300 });
    const error =
      transport === "stdio"
        ? await fail(fixtureCommand("refuses", "--how", "silence"))
        : await withFixture("refuses", ["--how", "silence"], (url) => fail({ url }), transport);
    expect(error).toMatchObject({
      code: "SERVER_TIMEOUT",
      hint: expect.stringContaining("timeouts.connect") as unknown,
    });
  });

  test("a call that takes too long", async () => {
    const error = await failureOf(
      fixtureCommand("slow", "--at", "list", "--delay", "60000"),
      {},
      { callTimeout: 100 },
    );
    expect(error).toMatchObject({ code: "SERVER_TIMEOUT" });
    expect(error.message).toContain("did not answer tools/list within 100 ms");
  });
});

describe("secrets", () => {
  const settings = { env: { SECRET_A: "${A}" }, headers: { "x-secret": "${A}" }, auth: { bearer: "${B}" } };
  const variables = { A: 'al"pha secret', B: "bravo-secret" };

  test("are removed from what a program writes to stderr, in one chunk or in several", async () => {
    const key = "-----BEGIN KEY-----\nMIIBOgIBAAJBAKj34GkxFhD9\n-----END KEY-----";
    const script = `const { K } = process.env;
      process.stderr.write("key " + K.slice(0, 30));
      setTimeout(() => { process.stderr.write(K.slice(30) + "\\nunfinished " + K); process.exit(1); }, 50);`;
    const lines: string[] = [];
    const error = await failureOf(
      { command: process.execPath, args: ["-e", script], env: { K: "${K}" } },
      { K: key },
      { onStderr: (line) => void lines.push(line) },
    );
    expect(inspect([error, lines])).not.toMatch(/MIIBOg|BEGIN KEY/);
    expect(error.stderr).toEqual(["key ***", "***", "***", "unfinished ***", "***", "***"]);
  });

  test.each(["initialize", "list"])("are removed from errors over stdio at %s", async (step) => {
    const { env } = settings;
    const error = await failureOf({ ...fixtureCommand("secret-echo", "--at", step), env }, variables);
    expect(error.message).toContain("refused");
    expect(inspect(error)).not.toMatch(/pha secret|bravo/);
  });

  test.each(["--at initialize", "--at list", ...["401", "500", "200"].map((status) => `--status ${status}`)])(
    "are in no error over HTTP %s",
    async (flags) => {
      await withFixture("secret-echo", flags.split(" "), async (url) => {
        const { headers, auth } = settings;
        const error = await failureOf({ url, headers, auth }, variables);
        expect(inspect(error)).not.toMatch(/pha secret|bravo/);
      });
    },
  );

  test("do not follow a redirect to another origin", async () => {
    const seen: (string | undefined)[] = [];
    const location = await startHttp((_message, { headers }, response) => {
      seen.push(headers.authorization);
      response.writeHead(200).end();
    });
    const url = await startHttp((_message, _request, response) =>
      response.writeHead(307, { location }).end(),
    );
    const error = await failureOf({ url, auth: { bearer: "${B}" } }, variables);
    expect(error).toMatchObject({ code: "SERVER_REFUSED" });
    expect(error.message).toContain("redirects");
    expect(seen).toEqual([]);
  });

  test("in our environment are not inherited", async () => {
    process.env["SECRET_OURS"] = "ours-not-theirs";
    try {
      const session = await openSession(endpointOf(fixtureCommand("secret-echo", "--at", "never")));
      const result = await session.request("tools/call", { name: "leak" });
      expect(JSON.stringify(result)).not.toContain("ours-not-theirs");
      await session.close();
    } finally {
      delete process.env["SECRET_OURS"];
    }
  });
});

describe("a session", () => {
  test("notifies the server when a call is aborted", async () => {
    const methods: string[] = [];
    const url = await startHttp(({ id, method = "" }, _request, response) => {
      methods.push(method);
      if (method === "tools/list") return;
      const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "s" } };
      if (id === undefined) response.writeHead(202).end();
      else respondRpc(response, id, { result });
    });
    const session = await openSession(endpointOf({ url }));
    expect(session.identity.protocolVersion).toBe("2025-06-18");
    const stop = new AbortController();
    const call = session.request("tools/list", {}, { signal: stop.signal });
    setTimeout(() => {
      stop.abort(new Error("enough"));
    }, 50);
    await expect(call).rejects.toThrow("enough");
    await expect.poll(() => methods).toContain("notifications/cancelled");
    await session.close();
  });

  test.each(["stdio", "http", "sse"] as const)(
    "receives notifications and answers pings over %s",
    async (transport) => {
      const hear = async (session: Session): Promise<string[]> => {
        const heard: string[] = [];
        session.onNotification = (method) => heard.push(method);
        await session.request("tools/list", {});
        await session.close();
        return heard;
      };
      const heard =
        transport === "stdio"
          ? await hear(await openSession(endpointOf(fixtureCommand("chatty"))))
          : await withFixture(
              "chatty",
              ["--answer", "sse"],
              async (url) => hear(await openSession(endpointOf({ url }))),
              transport,
            );
      expect(heard).toEqual(["notifications/message"]);
    },
  );

  test("rejects the requests in flight when the server exits", async () => {
    const session = await openSession(endpointOf(fixtureCommand("dies-midway", "--at", "call")));
    await expect(session.request("tools/call", { name: "first" })).rejects.toMatchObject({
      code: "SERVER_UNREACHABLE",
      stderr: ["dies-midway: giving up at call"],
    });
    expect(session.isClosed).toBe(true);
    await expect(session.request("ping", {})).rejects.toMatchObject({ code: "SERVER_UNREACHABLE" });
  });

  test("sends our name and version", async () => {
    const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { name: string; version: string };
    let said: unknown;
    await failureOf({
      url: await startHttp(({ params }, _request, response) => {
        said ??= params?.["clientInfo"];
        response.writeHead(500).end();
      }),
    });
    expect(said).toEqual({ name: manifest.name, version: manifest.version });
  });
});
