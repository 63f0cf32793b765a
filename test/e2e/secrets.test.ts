import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject, makePulled, type Project } from "./make-project.js";

const SECRET = "tr0ub4dor-and-3-more-characters";

const echo = (at: string): object => ({
  ...fixtureCommand("secret-echo", "--at", at),
  env: { SECRET_TOKEN: "${SHOP_TOKEN}" },
});

/** An MCP server that repeats the address of each request, as Express does for a route that it lacks. */
async function respond(request: IncomingMessage, response: ServerResponse, mode: string): Promise<void> {
  const url = request.url ?? "";
  const all = `${url} ${url.toUpperCase()} ${Buffer.from(url).toString("hex")}`;
  const send = (status: number, type: string, body: string): void => {
    response.writeHead(status, { "content-type": type });
    response.end(body);
  };
  if (mode === "404") {
    send(404, "text/html", `<pre>Cannot POST ${all}</pre>`);
    return;
  }
  if (mode === "type") {
    send(200, `text/${url.replaceAll(/[^\w-]/g, "")}`, "?");
    return;
  }
  const message = (await json(request).catch(() => ({}))) as {
    readonly id?: number;
    readonly method?: string;
  };
  if (message.id === undefined) {
    send(request.method === "POST" ? 202 : 405, "text/plain", "");
    return;
  }
  const identity = {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "leaky", version: "1" },
    instructions: all,
  };
  const tool = { name: "t", description: `Endpoint ${all}`, inputSchema: { type: "object" } };
  const results: Readonly<Record<string, object>> = { initialize: identity, "tools/list": { tools: [tool] } };
  const result = mode === "error" ? undefined : results[message.method ?? ""];
  const answer = result === undefined ? { error: { code: -32_000, message: `No route ${all}` } } : { result };
  send(200, "application/json", JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer }));
}

/** Everything that a run wrote to its streams and to disk. */
async function leavings(project: Project, argv: readonly string[]): Promise<string> {
  const { stdout, stderr } = await project.run(argv, { SHOP_TOKEN: SECRET });
  return [stdout, stderr, ...Object.values(await project.files())].join("\n");
}

describe("a secret", () => {
  it.each(
    ["initialize", "list", "call"].flatMap((at) =>
      [["pull"], ["pull", "--json"], ["check"], ["check", "--json"]].map((argv) => [at, argv] as const),
    ),
  )("that a server repeats at %s is not in the output or files of %j", async (at, argv) => {
    const project = await makeProject({ servers: { leaky: echo("call") } });
    if (argv[0] === "check") await project.run("pull", { SHOP_TOKEN: SECRET });
    await project.configure({ servers: { leaky: echo(at) } });
    const left = await leavings(project, argv);
    expect(left).not.toBe("");
    expect(left).not.toContain(SECRET);
  });

  it.each(["200", "404", "error", "type"])(
    "in an address that is a variable is not there when the server repeats the address: %s",
    async (mode) => {
      const parts = ["Kx7qP2mZ9vB4nT6w", "correct-horse-battery"];
      const server = createServer((request, response) => {
        void respond(request, response, mode);
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      onTestFinished(() => {
        server.close();
      });
      const { port } = server.address() as AddressInfo;
      const address = `http://127.0.0.1:${port}/s/${parts[0] ?? ""}/mcp?sig=${parts[1] ?? ""}`;
      const project = await makeProject({ servers: { leaky: { url: "${SHOP_URL}" } } });
      for (const argv of [["pull"], ["pull", "--json"], ["check"], ["call", "t"], ["list", "--live"]]) {
        const { stdout, stderr } = await project.run(argv, { SHOP_URL: address });
        const left = [stdout, stderr, ...Object.values(await project.files())].join("\n");
        for (const part of parts)
          for (const form of [part, part.toUpperCase(), Buffer.from(part).toString("hex")])
            expect([argv, left]).toEqual([argv, expect.not.stringContaining(form)]);
      }
    },
  );
});

describe("a tool that repeats a secret", () => {
  const forms = [SECRET, ...[0, 1, 2].map((at) => pieceAt(at))];
  const servers = (at: string): object => ({ servers: { leaky: echo(at) } });
  /** A project whose lock has both tools without the secret. */
  const makeLocked = async (): Promise<Project> => {
    const project = await makeProject(servers("tools"));
    const accept = ["--accept", "poison-repeated-secret", "--reason", "tested with a lock"];
    await project.withEnv({ SHOP_TOKEN: SECRET }).prints(["pull", ...accept], 0);
    return project;
  };
  const leaked = (text: string): readonly string[] => forms.filter((form) => text.includes(form));

  it("is held back and named, and the others are locked and generated", async () => {
    const project = await makeProject(servers("tools"));
    const { exitCode, document } = await project.runJson("pull", { SHOP_TOKEN: SECRET });
    expect(exitCode).toBe(1);
    const [server] = document["servers"] as [{ heldTools: unknown; unaccepted: { path: string }[] }];
    expect(server.heldTools).toEqual(["leak"]);
    expect(server.unaccepted.map(({ path }) => path)).toContain("/description");
    expect(Object.keys((await project.locked("leaky")).tools)).toEqual(["calm"]);
    const paths = await project.paths();
    expect(paths).toContain("generated/leaky/calm.ts");
    expect(paths).not.toContain("generated/leaky/leak.ts");
  });

  it.each([
    ["pull", "--accept", "poison-repeated-secret", "--reason", "tested here"],
    ["pull", "--verbose"],
    ["pull", "--dry-run", "--json"],
    ["check"],
    ["check", "--json"],
    ["check", "--format", "html"],
    ["check", "--format", "sarif"],
    ["check", "--format", "markdown"],
    ["list", "--live"],
    ["list", "--live", "--json"],
    ["list", "leaky", "--live", "--raw"],
    ["describe", "leak", "--live"],
    ["describe", "leak", "--live", "--json"],
    ["diff", "leaky", LOCKFILE_NAME],
    ["diff", LOCKFILE_NAME, "leaky", "--json"],
    ["page", "--out", "page.html"],
    ["call", "leak", "--id", "1"],
    ["call", "leak", "--help"],
  ])("is not in the output or files of %s %s %s %s %s", async (...argv) => {
    const project = await makeProject(servers("tools"));
    await project.run("pull", { SHOP_TOKEN: SECRET });
    const { stdout, stderr } = await project.run(argv, { SHOP_TOKEN: SECRET });
    expect(stdout + stderr).not.toBe("");
    expect(leaked([stdout, stderr, ...Object.values(await project.files())].join("\n"))).toEqual([]);
  });

  it("fails the check of a lock that has the tool without it", async () => {
    const project = await makeLocked();
    const accepted = await project.read(LOCKFILE_NAME);
    expect(leaked(accepted)).toEqual([]);
    await project.withEnv({ SHOP_TOKEN: SECRET }).prints("check", 0);
    await rm(join(project.dir, "mcp-codegen.waivers.json"));
    await project.withEnv({ SHOP_TOKEN: SECRET }).prints("check", 1, "poison-repeated-secret");
  });

  it("leaves a lock that an earlier version wrote", async () => {
    const open = { ...echo("tools"), env: { SECRET_TOKEN: { value: SECRET, public: true } } };
    const project = await makePulled({ servers: { leaky: open } });
    expect(leaked(await project.read(LOCKFILE_NAME))).not.toEqual([]);
    await project.configure(servers("tools"));
    const checked = await project.run("check --json", { SHOP_TOKEN: SECRET });
    expect(leaked(checked.stdout + checked.stderr)).toEqual([]);
    await project.withEnv({ SHOP_TOKEN: SECRET }).prints("pull", 1);
    expect(leaked(Object.values(await project.files()).join("\n"))).toEqual([]);
  });
});

/** The characters of Base64 that only the secret decides, after `offset` other bytes. */
function pieceAt(offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(SECRET)]).toString("base64url");
  return text.slice(4, -3);
}
