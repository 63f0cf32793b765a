import { describe, expect, test } from "vitest";
import { LEGACY_VERSIONS } from "../../src/core/connection.js";
import type { ConnectionSettings } from "../../src/core/connection-settings.js";
import { openSession } from "../../src/client/open-session.js";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { endpointOf } from "./endpoint.js";

const MODERN = "2026-07-28";
const TRANSPORTS = ["stdio", "http"] as const;

/** Connects to the server "paged" and returns the agreed version and the names of its first page. */
async function connect(
  transport: (typeof TRANSPORTS)[number] | "sse",
  args: readonly string[],
  settings: ConnectionSettings = {},
): Promise<{ readonly version: string; readonly name: unknown; readonly tools: number }> {
  if (transport === "stdio") return read({ ...settings, ...fixtureCommand("paged", ...args) });
  const fixture = await startFixture("paged", { transport, args: [...args] });
  try {
    return await read({ ...settings, url: fixture.url });
  } finally {
    await fixture.close();
  }
}

async function read(settings: ConnectionSettings): ReturnType<typeof connect> {
  const session = await openSession(endpointOf(settings));
  try {
    const { tools } = await session.request("tools/list", {});
    const { protocolVersion, serverInfo } = session.identity;
    return {
      version: protocolVersion,
      name: serverInfo["name"],
      tools: Array.isArray(tools) ? tools.length : -1,
    };
  } finally {
    await session.close();
  }
}

describe.each(TRANSPORTS)("over %s", (transport) => {
  test.each([
    ["legacy", "2025-11-25"],
    // Over stdio, a server that knows both is asked for a session first.
    ["both", transport === "stdio" ? "2025-11-25" : MODERN],
    ["modern", MODERN],
  ])("a server of the era %s speaks %s", async (era, version) => {
    expect(await connect(transport, ["--era", era])).toEqual({
      version,
      name: "paged",
      tools: expect.any(Number) as number,
    });
  });

  test.each([MODERN, ...LEGACY_VERSIONS.slice(0, 4)])("is pinned to %s", async (protocol) => {
    expect(await connect(transport, ["--era", "both"], { protocol })).toMatchObject({ version: protocol });
  });

  test.each([
    ["legacy", MODERN, `does not support the configured protocol version "${MODERN}"`],
    ["legacy", "2024-10-07", `version "2024-10-07"; it supports "2025-11-25".`],
  ])("a server of the era %s rejects %s", async (era, protocol, message) => {
    const refused = connect(transport, ["--era", era], { protocol });
    await expect(refused).rejects.not.toHaveProperty("message", expect.stringContaining(".)"));
    await expect(refused).rejects.toMatchObject({
      code: "PROTOCOL_UNSUPPORTED",
      message: expect.stringContaining(message) as string,
      hint: expect.stringContaining("Remove protocol") as string,
    });
  });
});

test("SSE speaks the legacy era only", async () => {
  expect(await connect("sse", [])).toMatchObject({ version: "2025-11-25" });
  expect(await connect("sse", [], { protocol: "2024-11-05" })).toMatchObject({ version: "2024-11-05" });
  expect(() => endpointOf({ url: "http://a.test/", transport: "sse", protocol: MODERN })).toThrow(
    /the transport "sse" does not support/,
  );
});
