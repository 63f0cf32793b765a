/** A locked server without the server: its list, its recorded answers, and a change that comes later. */
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { type CallOptions, defineServer } from "../../src/runtime/index.js";
import { parseLockfile } from "../../src/core/lockfile-text.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import { definePrompt, defineResource, defineResourceTemplate } from "../../src/runtime/define-entry.js";
import { serveHttp } from "../../src/serve/index.js";
import { mockLockedServer, type LockedMock } from "../../src/testing/mock-locked-server.js";
import { listTools, lockList } from "./lock-tools.js";
import { LOCKFILE_NAME, makeProject } from "../e2e/make-project.js";
import { postRaw } from "../serve/clients.js";
import { startFixture } from "../servers/start-fixture.js";

const lockTools = (...tools: readonly ToolSnapshot[]) => lockList(listTools(tools));

async function connectTo(
  mock: LockedMock,
  mode: "legacy" | "auto",
): Promise<{ client: Client; url: string }> {
  const serving = await serveHttp(mock, { port: 0, token: false });
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  onTestFinished(async () => {
    await client.close();
    await serving.close();
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(serving.url)));
  return { client, url: serving.url };
}

test("has each definition byte for byte", async () => {
  const odd: ToolSnapshot = {
    zeta: { kept: [1, null] },
    name: "odd",
    outputSchema: { type: "object", properties: { b: {}, a: { "x-own": true } }, additionalProperties: {} },
    description: "Zeilen\n und \u2028 Zeichen",
    inputSchema: { $schema: "http://json-schema.org/draft-07/schema#", type: "object", required: [] },
    _meta: { "example.com/key": { deep: [[]] } },
  };
  const { url } = await connectTo(mockLockedServer("shop", { locked: lockTools(odd) }), "auto");
  const response = await postRaw(url, "tools/list", {});
  expect(await response.text()).toContain(`"tools":[${JSON.stringify(odd)}]`);
});

test("lists no tool that cannot be called, since clients would refuse the whole list", () => {
  const list = listTools([{ name: "good", inputSchema: { type: "object" } }, { name: "bad" }]);
  const mock = mockLockedServer("shop", {
    locked: lockList({ ...list, unusable: { bad: "The tool has no input schema." } }),
  });
  expect(mock.tools()).toEqual([list.tools[0]]);
});

test("an answer is refused with the reason if there is no output schema", async () => {
  const locked = lockTools({ name: "ping", inputSchema: { type: "object" } });
  expect(await mockLockedServer("shop", { locked }).call("ping", {})).toEqual({
    isError: true,
    content: [
      {
        type: "text",
        text: 'The mock has no answer: no output schema of tool "ping" is declared, stated or learned, and no such call is recorded.',
      },
    ],
  });
});

describe("prompts and resources", () => {
  const definitionsOf = (url: string) => {
    const server = defineServer({ name: "demo", url });
    return {
      review: definePrompt<{ code: string }>({
        server,
        name: "code_review",
        arguments: [{ name: "code", isRequired: true }],
      }),
      readme: defineResource({ server, uri: "demo://readme" }),
      issue: defineResourceTemplate<{ id: string; page?: string }>({
        ...{ server, name: "issue", uriTemplate: "demo://issues/{id}{?labels*,page}" },
        arguments: [{ name: "id" }, { name: "labels", isList: true }, { name: "page" }],
      }),
    };
  };

  test("have their recorded answers", async () => {
    const fixture = await startFixture("prompts-and-resources");
    onTestFinished(() => fixture.close());
    const project = await makeProject({
      servers: { demo: { url: fixture.url, include: ["tools", "prompts", "resources"] } },
    });
    expect((await project.run(["pull"])).exitCode).toBe(0);
    const locked = parseLockfile(await project.read(LOCKFILE_NAME)).servers["demo"];
    if (locked === undefined) throw new Error("The server is not locked.");
    const cassette = join(project.dir, "cassette");
    const read = async (url: string, options: CallOptions = {}): Promise<readonly unknown[]> => {
      const { review, readme, issue } = definitionsOf(url);
      return [
        await review({ code: "let x" }, options),
        await readme(options),
        await issue({ id: "7", page: "2" }, options),
      ];
    };
    const recorded = await read(fixture.url, { record: cassette });
    const mock = mockLockedServer("demo", { locked }, { cassette });
    for (const mode of ["legacy", "auto"] as const) {
      const { client, url } = await connectTo(mock, mode);
      expect(await read(url)).toEqual(recorded);
      await expect(client.getPrompt({ name: "nothing" })).rejects.toThrow("Unknown prompt: nothing");
      await expect(client.getPrompt({ name: "code_review" })).rejects.toThrow(
        'Prompt "code_review" requires the argument "code".',
      );
      await expect(client.getPrompt({ name: "greeting" })).rejects.toThrow(
        'The mock has no answer: prompt "greeting" with these arguments is not recorded.',
      );
      await expect(client.readResource({ uri: "demo://issues/8" })).rejects.toThrow(
        'The mock has no answer: resource "demo://issues/8" is not recorded.',
      );
    }
    const bare = { ...locked, resourceTemplates: {} };
    const request = { method: "resources/read", uri: "demo://x" } as const;
    await expect(mockLockedServer("demo", { locked: bare }).read(request)).rejects.toThrow(
      "Resource not found",
    );
  });
});

describe("a rehearsed change", () => {
  const before = lockTools({
    name: "find",
    inputSchema: { type: "object" },
    outputSchema: { type: "object" },
  });
  const after = lockTools({ name: "find", inputSchema: { type: "object", required: ["query"] } });

  test.each(["legacy", "auto"] as const)("comes after some calls with a notification (%s)", async (mode) => {
    const mock = mockLockedServer(
      "shop",
      { locked: before },
      { next: { source: { locked: after }, afterCalls: 2 } },
    );
    const { client } = await connectTo(mock, mode);
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler("notifications/tools/list_changed", () => {
        resolve();
      });
    });
    expect(await client.callTool({ name: "find", arguments: {} })).not.toHaveProperty("isError");
    if (mode === "legacy") {
      await client.callTool({ name: "find", arguments: {} });
      await changed;
    } else await client.callTool({ name: "find", arguments: {} });
    expect(mock.tools()).toEqual([after.tools["find"]?.definition]);
    await expect(client.callTool({ name: "find", arguments: {} })).rejects.toThrow("query");
  });
});
