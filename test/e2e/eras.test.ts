import { expect, onTestFinished, test } from "vitest";
import { startFixture } from "../servers/start-fixture.js";
import { makeProject } from "./make-project.js";

const MODERN = "2026-07-28";

test("a server that begins to speak the modern era causes no drift, and its tools keep their digests", async () => {
  const fixture = await startFixture("paged", { args: ["--era", "both"] });
  onTestFinished(() => fixture.close());
  const project = await makeProject({ servers: { shop: { url: fixture.url, protocol: "2025-06-18" } } });
  await project.prints("pull", 0);
  const before = await project.locked("shop");
  expect(before.identity.protocolVersion).toBe("2025-06-18");
  expect(before.listing).not.toHaveProperty("cacheScope");

  await project.configure({ servers: { shop: { url: fixture.url } } });
  // Only the settings in generated code change.
  await project.prints("generate", 0);
  await project.reports("check", {
    exitCode: 0,
    changes: [{ rule: "server-protocol-changed", class: "safe" }],
  });
  await project.prints("pull", 0, "the server marks its list as private");
  expect((await project.run("pull")).stdout).not.toContain("private");
  const after = await project.locked("shop");
  expect(after).toMatchObject({ contract: before.contract, identity: { protocolVersion: MODERN } });
  expect(after.listing.cacheScope).toBe("private");
  expect(after.tools).toEqual(before.tools);
});

const servers = { shop: { command: "node", args: ["server.js"] } };

test("the output of a tool may be any JSON value", async () => {
  const project = await makeProject({ servers });
  await project.write("server.js", ANY_OUTPUT);
  await project.prints("pull", 0);
  expect(await project.read("generated/shop/list.ts")).toContain("export type ListOutput = number[];");
  const values = { list: [1, 2], empty: [], text: "hi", number: 4, nothing: null };
  for (const [tool, value] of Object.entries(values)) {
    const { document } = await project.runJson(["call", `shop__${tool}`]);
    expect([tool, document["result"]]).toEqual([tool, value]);
  }
  await project.reports("call shop__wrong", { exitCode: 1, error: { code: "TOOL_INVALID_OUTPUT" } });
});

/** A server with outputs that are not objects. */
const ANY_OUTPUT = `
  import { plainTool, serve } from ${JSON.stringify(new URL("../servers/raw-server.js", import.meta.url).href)};
  const integers = { type: "array", items: { type: "integer" } };
  const outputs = {
    list: [integers, [1, 2]],
    empty: [integers, []],
    text: [{ type: "string" }, "hi"],
    number: [{ type: "integer" }, 4],
    nothing: [{ type: "null" }, null],
    wrong: [integers, ["a"]],
  };
  const more = { inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
  serve({
    name: "shop",
    era: "modern",
    list: () => ({
      tools: Object.entries(outputs).map(([name, [outputSchema]]) => plainTool(name, { ...more, outputSchema })),
    }),
    call: ({ name }) => ({ content: [{ type: "text", text: "Done." }], structuredContent: outputs[name][1] }),
  }, {});
`;
