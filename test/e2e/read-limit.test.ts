/** `servers.<name>.readLimit`: the maximum size of an answer or a saved list. */
import { describe, expect, it, onTestFinished } from "vitest";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { makeProject } from "./make-project.js";

const ARGUMENTS = ["--tools", "20", "--megabytes", "1"] as const;
const TOO_LITTLE = 100_000;

describe("readLimit", () => {
  it("bounds an answer over stdio", async () => {
    const huge = { ...fixtureCommand("huge-list", ...ARGUMENTS), readLimit: TOO_LITTLE };
    const { prints, configure } = await makeProject({ servers: { huge } });
    const pulled = await prints("pull", 3);
    expect(pulled.stdout + pulled.stderr).toContain("wrote a line of more than 100000 bytes");
    await configure({ servers: { huge: { ...huge, readLimit: 5_000_000 } } });
    await prints("pull", 0);
  });

  it("bounds an answer over HTTP", async () => {
    const fixture = await startFixture("huge-list", { args: ARGUMENTS });
    onTestFinished(() => fixture.close());
    const huge = { url: fixture.url, readLimit: TOO_LITTLE };
    const pulled = await (await makeProject({ servers: { huge } })).prints("pull", 3);
    expect(pulled.stdout + pulled.stderr).toContain("100000 bytes");
  });

  it("bounds a saved list", async () => {
    const { refuses, write } = await makeProject({
      servers: { shop: { file: "tools.json", readLimit: 50 } },
    });
    const tool = { name: "a", description: "A tool.", inputSchema: { type: "object" } };
    await write("tools.json", JSON.stringify({ tools: [tool] }));
    await refuses("pull", '"tools.json" holds more than 50 bytes');
  });
});
