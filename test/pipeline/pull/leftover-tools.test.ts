import { expect, it } from "vitest";
import { makeProject } from "../../e2e/make-project.js";

it("leaves lock and code as they are where a server suddenly lists no tool of ours", async () => {
  const configure = (tools: object) => ({ servers: { shop: { file: "tools.json", tools } } });
  const project = await makeProject(configure({}));
  await project.write(
    "tools.json",
    JSON.stringify({
      tools: ["get_order", "list_orders"].map((name) => ({ name, inputSchema: { type: "object" } })),
    }),
  );
  await project.prints(["pull"], 0);
  const before = await project.paths();
  await project.write("mcp-codegen.config.json", JSON.stringify(configure({ include: ["get_ordr"] })));
  const { exitCode } = await project.run(["pull"]);
  expect(exitCode).not.toBe(0);
  expect(await project.paths()).toEqual(before);
});
