import { expect, it } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeProject } from "./make-project.js";

it("a server with hyphens, as files of editors have it, is understood under this name by every command", async () => {
  const project = await makeProject({ servers: { "my-shop": fixtureCommand("drifted") } });
  await project.prints(["pull", "my-shop"], 0);
  const paths = await project.paths();
  expect(paths).toContain("generated/my_shop/index.ts");
  expect(paths.filter((path) => path.includes("my-shop"))).toEqual([]);
  for (const argv of [
    ["check", "my-shop"],
    ["check", "my_shop"],
    ["list", "my-shop"],
  ])
    expect([argv, (await project.run(argv)).exitCode]).toEqual([argv, 0]);
  const { document } = await project.runJson(["call", "my_shop__find-orders", '--input={"state":"open"}']);
  expect(document).toMatchObject({ server: "my_shop" });
});
