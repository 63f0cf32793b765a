import { describe, expect, test } from "vitest";
import { LEGACY_VERSIONS } from "../../src/core/connection.js";
import type { ConnectionSettings } from "../../src/core/connection-settings.js";
import { openFixture } from "../runtime/open-fixture.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { endpointOf } from "./endpoint.js";
import { failureOf, open } from "./session.js";

const MODERN = "2026-07-28";

/** Connects to the server "paged", and returns the agreed version. */
async function versionOf(
  transport: "stdio" | "http" | "sse",
  args: string[],
  settings: ConnectionSettings = {},
): Promise<string> {
  const target =
    transport === "stdio"
      ? fixtureCommand("paged", ...args)
      : { url: (await openFixture("paged", { transport, args })).url };
  const session = await open({ ...settings, ...target });
  expect(await session.request("tools/list", {})).toHaveProperty("tools");
  expect(session.identity.serverInfo).toMatchObject({ name: "paged" });
  return session.identity.protocolVersion;
}

describe.each(["stdio", "http"] as const)("over %s", (transport) => {
  test.each([
    ["legacy", "2025-11-25"],
    // Over stdio, a server that knows both is asked for a session first.
    ["both", transport === "stdio" ? "2025-11-25" : MODERN],
    ["modern", MODERN],
  ])("a server of the era %s speaks %s", async (era, version) => {
    expect(await versionOf(transport, ["--era", era])).toBe(version);
  });

  test.each([MODERN, ...LEGACY_VERSIONS.slice(0, 4)])("is pinned to %s", async (protocol) => {
    expect(await versionOf(transport, ["--era", "both"], { protocol })).toBe(protocol);
  });

  test.each([
    [MODERN, `does not support the configured protocol version "${MODERN}"`],
    ["2024-10-07", `version "2024-10-07"; it supports "2025-11-25".`],
  ])("a server of the legacy era rejects %s", async (protocol, words) => {
    const error = await failureOf(versionOf(transport, ["--era", "legacy"], { protocol }));
    expect(error).toMatchObject({
      code: "PROTOCOL_UNSUPPORTED",
      message: expect.stringContaining(words) as string,
      hint: expect.stringContaining("Remove protocol") as string,
    });
    expect(error.message).not.toContain(".)");
  });
});

test("SSE speaks the legacy era only", async () => {
  expect(await versionOf("sse", [])).toBe("2025-11-25");
  expect(await versionOf("sse", [], { protocol: "2024-11-05" })).toBe("2024-11-05");
  expect(() => endpointOf({ url: "http://a.test/", transport: "sse", protocol: MODERN })).toThrow(
    /the transport "sse" does not support/,
  );
});
