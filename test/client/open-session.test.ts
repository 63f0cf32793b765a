import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ConnectionSettings } from "../../src/core/connection-settings.js";
import { explainError } from "../../src/core/errors.js";
import { openFixture } from "../runtime/open-fixture.js";
import { useProcesses } from "../servers/in-process.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeFolder } from "../temporary-folder.js";
import { failureOf, listTools, open } from "./session.js";
import { INITIALIZED, respondRpc, startHttp } from "./start-http.js";

useProcesses();

/** Returns the error of a server that is asked for its tools. */
const failing = (...given: Parameters<typeof listTools>) => failureOf(listTools(...given));
/** Returns the error of a program with this code, that ends. */
const failingCode = (code: string, settings: ConnectionSettings = {}, options = {}) =>
  failing({ command: process.execPath, args: ["-e", code], ...settings }, options);
const containing = (words: string): string => expect.stringContaining(words) as string;

type Transport = "stdio" | "http" | "sse";
/** Starts a fixture, and returns its settings. */
async function serve(
  transport: Transport,
  name: string,
  ...args: readonly string[]
): Promise<ConnectionSettings> {
  if (transport === "stdio") return fixtureCommand(name, ...args);
  return { url: (await openFixture(name, { args, transport })).url };
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
    const error = await failing(await serve("http", "refuses", "--how", how));
    expect(error).toMatchObject({ code, exitCode: 3, message: containing(words) });
    expect(error.message).not.toMatch(/[<>\n]/);
  });

  test("wrong credentials", async () => {
    const auth = { basic: { username: "admin", password: "${PW}" } };
    const settings = { ...(await serve("http", "paged", "--basic", "admin:right")), auth };
    expect(await failing(settings, { variables: { PW: "wrong-pass" } })).toMatchObject({
      message: containing("refused the credentials (HTTP 401)"),
      hint: containing("auth"),
    });
    await open(settings, { variables: { PW: "right" } });
  });

  test("garbage over stdio", async () => {
    const settings = await serve("stdio", "refuses", "--how", "garbage");
    expect(await failing(settings, { connectTimeout: 2_000 })).toMatchObject({
      code: "PROTOCOL_INVALID",
      message: containing('It wrote "]{ not json", which is not an MCP message.'),
    });
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
    expect(await failing(settings)).toMatchObject({ code: "SERVER_UNREACHABLE", ...error });
  }); // prettier-ignore

  test.each(["start", "initialize"])("a program that ends at %s", async (step) => {
    expect(await failing(fixtureCommand("dies-midway", "--at", step))).toMatchObject({
      ...{ code: "SERVER_UNREACHABLE", message: containing("exited with code 7") },
      stderr: [`dies-midway: giving up at ${step}`],
    });
  });

  const tried = ["Error: tried again", "The licence", "has run out."];
  const npm = [
    "code E404",
    "404 Not Found - GET https://example.com/shop-mcp",
    "A complete log is elsewhere",
  ];
  const npmError = npm.map((line) => `npm error ${line}`);
  const words = (lines: readonly string[]): string =>
    `console.error(${JSON.stringify(lines.join("\n"))}); process.exit(1)`;
  const missing = /^Error: Cannot find module '.*no-such-file\.cjs'$/;
  test.each<[what: string, args: string[], stderr: readonly (RegExp | string)[], told: string]>([
    ["its message, not its stack", ["no-such-file.cjs"], [missing], "no-such-file.cjs'"],
    [
      "the error that it throws",
      ["-e", "console.error(1); ({}).no.way"],
      [/^TypeError: .*'way'\)$/],
      "TypeError",
    ],
    ["three lines", ["-e", words(tried)], tried, "Error: tried again The licence has run out."],
    ["npm's error, not where its log is", ["-e", words(npmError)], npmError, npm.slice(0, 2).join(" ")],
  ])("a program that fails: %s", async (_what, args, stderr, told) => {
    const error = await failing({ command: process.execPath, args });
    expect(error.stderr).toEqual(stderr.map((line) => expect.stringMatching(line) as string));
    expect(explainError(error).split(" It wrote: ")[1]).toContain(told);
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
      const error = await failingCode(words([`Error: ${name} is required`]), { env });
      expect(error.message).toContain("exited with code 1");
      expect(error.stderr).toEqual([`Error: ${name} is required`]);
      expect(error.hint).toEqual(hint && containing(hint));
    },
  );

  test("a command that may still install its package", async () => {
    const command = join(await makeFolder(), "npx");
    await writeFile(command, `#!${process.execPath}\nsetTimeout(() => undefined, 60_000);\n`, {
      mode: 0o755,
    });
    expect(await failing({ command, args: ["-y", "@acme/mcp"] }, { connectTimeout: 300 })).toMatchObject({
      ...{ code: "SERVER_TIMEOUT", hint: "Try again: the files fetched so far are kept." },
      message: containing("did not connect within 300 ms: npx may still be installing @acme/mcp."),
    });
  });

  test("a program that waits for a login prints its address before the time-out", async () => {
    const url = `https://login.example.com/authorize?state=${"x".repeat(300)}`;
    const command = fixtureCommand("talkative", "--say", `Please visit:\n<${url}>`, "--then", "hang");
    const lines: string[] = [];
    const onStderr = (line: string): void => void lines.push(line);
    const error = await failing(command, { connectTimeout: 2_000, onStderr });
    expect(error).toMatchObject({ code: "SERVER_TIMEOUT", stderr: ["Please visit:", `<${url}>`] });
    expect(lines).toEqual(error.stderr);
  });

  test.each(["stdio", "http", "sse"] as const)("a server that is silent over %s", async (transport) => {
    const silent = await serve(transport, "refuses", "--how", "silence");
    const error = { code: "SERVER_TIMEOUT", hint: containing("timeouts.connect") };
    expect(await failing(silent, { connectTimeout: 300 })).toMatchObject(error);
  });

  test("a call that takes too long", async () => {
    const slow = fixtureCommand("slow", "--at", "list", "--delay", "60000");
    const error = { code: "SERVER_TIMEOUT", message: containing("did not answer tools/list within 100 ms") };
    expect(await failing(slow, { callTimeout: 100 })).toMatchObject(error);
  });
});

describe("secrets", () => {
  const variables = { A: 'al"pha secret', B: "bravo-secret" };
  const settings = { headers: { "x-secret": "${A}" }, auth: { bearer: "${B}" } };

  test("are removed from what a program writes to stderr, in one chunk or in several", async () => {
    const key = "-----BEGIN KEY-----\nMIIBOgIBAAJBAKj34GkxFhD9\n-----END KEY-----";
    const script = `const { K } = process.env;
      process.stderr.write("key " + K.slice(0, 30));
      setTimeout(() => { process.stderr.write(K.slice(30) + "\\nunfinished " + K); process.exit(1); }, 50);`;
    const lines: string[] = [];
    const onStderr = (line: string): void => void lines.push(line);
    const error = await failingCode(script, { env: { K: "${K}" } }, { variables: { K: key }, onStderr });
    expect(inspect([error, lines])).not.toMatch(/MIIBOg|BEGIN KEY/);
    expect(error.stderr).toEqual(["key ***", "***", "***", "unfinished ***", "***", "***"]);
  });

  test.each<[Transport, flags: string, words: RegExp]>([
    ...["initialize", "list"].map((step): [Transport, string, RegExp] => [
      "stdio",
      `--at ${step}`,
      /refused/,
    ]),
    ...["--at initialize", "--at list"].map((flags): [Transport, string, RegExp] => ["http", flags, /./]),
    ...[401, 500, 200].map((status): [Transport, string, RegExp] => ["http", `--status ${status}`, /./]),
  ])("are in no error over %s %s", async (transport, flags, words) => {
    const more = transport === "stdio" ? { env: { SECRET_A: "${A}" } } : settings;
    const target = await serve(transport, "secret-echo", ...flags.split(" "));
    const error = await failing({ ...target, ...more }, { variables });
    expect(error.message).toMatch(words);
    expect(inspect(error)).not.toMatch(/pha secret|bravo/);
  });

  test("do not follow a redirect to another origin", async () => {
    const seen: (string | undefined)[] = [];
    const location = await startHttp((_message, { headers }, response) => {
      seen.push(headers.authorization);
      response.writeHead(200).end();
    });
    const url = await startHttp((_message, _request, response) =>
      response.writeHead(307, { location }).end(),
    );
    const error = await failing({ url, auth: { bearer: "${B}" } }, { variables });
    expect(error).toMatchObject({ code: "SERVER_REFUSED", message: containing("redirects") });
    expect(seen).toEqual([]);
  });

  test("in our environment are not inherited", async () => {
    vi.stubEnv("SECRET_OURS", "ours-not-theirs");
    onTestFinished(() => void vi.unstubAllEnvs());
    const session = await open(fixtureCommand("secret-echo", "--at", "never"));
    const result = await session.request("tools/call", { name: "leak" });
    expect(JSON.stringify(result)).not.toContain("ours-not-theirs");
  });
});

describe("a session", () => {
  test("notifies the server when a call is aborted", async () => {
    const methods: string[] = [];
    const url = await startHttp(({ id, method = "" }, _request, response) => {
      methods.push(method);
      if (method === "tools/list") return;
      if (id === undefined) response.writeHead(202).end();
      else respondRpc(response, id, { result: { ...INITIALIZED, protocolVersion: "2025-06-18" } });
    });
    const session = await open({ url });
    expect(session.identity.protocolVersion).toBe("2025-06-18");
    const stop = new AbortController();
    const call = session.request("tools/list", {}, { signal: stop.signal });
    setTimeout(() => {
      stop.abort(new Error("enough"));
    }, 50);
    await expect(call).rejects.toThrow("enough");
    await expect.poll(() => methods).toContain("notifications/cancelled");
  });

  test.each([
    ["stdio", []],
    ["http", ["--answer", "sse"]],
    ["sse", ["--answer", "sse"]],
  ] as const)("receives notifications and answers pings over %s", async (transport, flags) => {
    const session = await open(await serve(transport, "chatty", ...flags));
    const heard: string[] = [];
    session.onNotification = (method) => heard.push(method);
    await session.request("tools/list", {});
    expect(heard).toEqual(["notifications/message"]);
  });

  test("rejects the requests in flight when the server exits", async () => {
    const session = await open(fixtureCommand("dies-midway", "--at", "call"));
    await expect(session.request("tools/call", { name: "first" })).rejects.toMatchObject({
      code: "SERVER_UNREACHABLE",
      stderr: ["dies-midway: giving up at call"],
    });
    expect(session.isClosed).toBe(true);
    await expect(session.request("ping", {})).rejects.toMatchObject({ code: "SERVER_UNREACHABLE" });
  });

  test("sends our name and version", async () => {
    const { name, version } = JSON.parse(readFileSync("package.json", "utf8")) as Record<string, string>;
    let said: unknown;
    const url = await startHttp(({ params }, _request, response) => {
      said ??= params?.["clientInfo"];
      response.writeHead(500).end();
    });
    await failing({ url });
    expect(said).toEqual({ name, version });
  });
});
