import { describe, expect, it } from "vitest";
import { lockServer } from "../../../../src/core/lock-server.js";
import type { LockedServer } from "../../../../src/core/lockfile.js";
import type { ServerSnapshot } from "../../../../src/core/snapshot.js";
import { diffServer } from "../../../../src/drift/diff-server.js";
import { snapshotFixture } from "./snapshot-fixture.js";

function lock(snapshot: ServerSnapshot, previous?: LockedServer): LockedServer {
  const changes = previous && diffServer("wordpress", previous, snapshot);
  return lockServer(snapshot, previous, {
    contract: "1.0.0",
    categoryOf: () => undefined,
    ...(changes && { changes }),
  });
}

const [english, german, unknown] = await Promise.all([
  snapshotFixture([]),
  snapshotFixture(["--locale", "de_DE"]),
  snapshotFixture(["--locale", "de_DE", "--rest", "closed"]),
]);
const rulesTo = (after: ServerSnapshot): readonly string[] =>
  diffServer("wordpress", lock(english), after).map(({ rule }) => rule);

describe("the same PHP code in another language", () => {
  it("is not drift, and leaves the lock unchanged", () => {
    expect(german.listing.locale).toBe("de_DE");
    expect(JSON.stringify(german.tools)).toContain("Holt einen Beitrag.");
    const locked = lock(english);
    expect(diffServer("wordpress", locked, german)).toEqual([]);
    expect(lock(german, locked)).toEqual(locked);
  });

  it("is drift when more than texts differ", () => {
    const inputSchema = { type: "object", required: ["slug"] };
    const tools = german.tools.map((tool) =>
      tool.name === "content-get-post" ? { ...tool, description: "Holt.\u202e", inputSchema } : tool,
    );
    const rules = rulesTo({ ...german, tools });
    expect(rules).toEqual(expect.arrayContaining(["poison-bidi", "input-property-removed"]));
    expect(rules).not.toContain("tool-description-changed");
  });

  it("is drift when a site does not report its language", () => {
    expect(rulesTo(unknown)).toContain("tool-description-changed");
  });
});
