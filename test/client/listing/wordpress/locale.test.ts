import { describe, expect, it } from "vitest";
import { lockServer } from "../../../../src/core/lock-server.js";
import { diffServer } from "../../../../src/drift/diff-server.js";
import { snapshotFixture } from "./snapshot-fixture.js";

const options = { contract: "1.0.0", categoryOf: () => undefined };
const [english, german] = await Promise.all([snapshotFixture([]), snapshotFixture(["--locale", "de_DE"])]);
const locked = lockServer(english, undefined, options);

describe("the same PHP code in another language", () => {
  it("is not drift, and leaves the lock unchanged", () => {
    expect(german.listing.locale).toBe("de_DE");
    expect(JSON.stringify(german.tools)).toContain("Holt einen Beitrag.");
    const changes = diffServer("wordpress", locked, german);
    expect(changes).toEqual([]);
    expect(lockServer(german, locked, { ...options, changes })).toEqual(locked);
  });

  it("is drift when a text hides characters", () => {
    const [first, ...others] = german.tools;
    const poisoned = { ...first, name: first?.name ?? "", description: "Holt.\u202e" };
    const changes = diffServer("wordpress", locked, { ...german, tools: [poisoned, ...others] });
    expect(changes.map(({ rule }) => rule)).toEqual(["poison-bidi"]);
  });
});
