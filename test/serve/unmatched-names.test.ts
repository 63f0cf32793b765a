import { expect, it, onTestFinished } from "vitest";
import { openToolset } from "../../src/serve/open-toolset.js";
import { offerDirectly } from "../../src/serve/offer-directly.js";
import { makeProject } from "../e2e/make-project.js";

const ROLES = { guest: { deny: [{ names: ["get_*", "delete_*"] }] } };

async function warningsOf(servers?: readonly string[]): Promise<readonly string[]> {
  const project = await makeProject({
    output: false,
    servers: { shop: { file: "shop.json" }, blog: { file: "blog.json" } },
    policy: { roles: ROLES },
  });
  for (const server of ["shop", "blog"]) {
    const tools = [{ name: "get_it", inputSchema: { type: "object" } }];
    await project.write(`${server}.json`, JSON.stringify({ tools }));
  }
  expect((await project.run(["pull"])).exitCode).toBe(0);
  const warnings: string[] = [];
  const toolset = await openToolset({
    ...{ cwd: project.dir, variables: {}, role: "guest", servers },
    onWarning: (message) => warnings.push(message),
  });
  onTestFinished(() => toolset.close());
  await toolset.answer("search_tools", { query: "it" });
  await offerDirectly(toolset.direct.source, toolset.direct.options).list([]);
  return warnings;
}

it("a denied name that no tool has is reported once, however the tools are served", async () => {
  expect(await warningsOf()).toEqual(['No tool matches "delete_*", which role "guest" denies.']);
});

it("a denied name may be for a server that is not served", async () => {
  expect(await warningsOf(["shop"])).toEqual([]);
});
