import { expect, test } from "vitest";
import { parseLockfile } from "../../src/contract/lockfile-text.js";
import { startFixture } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject } from "./make-project.js";

const MODERN = "2026-07-28";

test("a server that begins to speak the modern era is no drift, and its tools keep their digests", async () => {
  const fixture = await startFixture("paged", { args: ["--era", "both"] });
  try {
    const project = await makeProject({ servers: { shop: { url: fixture.url, protocol: "2025-06-18" } } });
    expect((await project.run(["pull"])).exitCode).toBe(0);
    const before = parseLockfile(await project.read(LOCKFILE_NAME)).servers["shop"];
    expect(before?.identity.protocolVersion).toBe("2025-06-18");
    expect(before?.listing).not.toHaveProperty("cacheScope");

    await project.write(
      "mcp-codegen.config.json",
      JSON.stringify({ servers: { shop: { url: fixture.url } } }),
    );
    // Only the settings in generated code change.
    expect((await project.run(["generate"])).exitCode).toBe(0);
    const checked = await project.runJson(["check"]);
    expect([checked.exitCode, checked.document["changes"]]).toEqual([
      0,
      [expect.objectContaining({ rule: "server-protocol-changed", class: "safe" })],
    ]);
    const pulled = await project.run(["pull"]);
    expect(pulled).toMatchObject({ exitCode: 0 });
    expect(pulled.stdout).toContain("the server marks its list as private");
    expect((await project.run(["pull"])).stdout).not.toContain("private");
    const after = parseLockfile(await project.read(LOCKFILE_NAME)).servers["shop"];
    expect(after?.identity.protocolVersion).toBe(MODERN);
    expect(after?.listing.cacheScope).toBe("private");
    expect(after?.contract).toBe(before?.contract);
    expect(after?.tools).toEqual(before?.tools);
  } finally {
    await fixture.close();
  }
});
