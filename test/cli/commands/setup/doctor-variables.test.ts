import { expect, it } from "vitest";
import { makeProject } from "../../../e2e/make-project.js";

it("doctor examines all else where no server can be asked, since variables are not set", async () => {
  const servers = { shop: { url: "${SHOP_URL}/mcp" } };
  const project = await makeProject({ output: false, servers });
  const examine = async (): Promise<readonly string[]> => {
    const { exitCode, stdout } = await project.run(["doctor"]);
    expect(exitCode).toBe(1);
    return stdout.split("\n").filter((line) => /^(?:ok|failed) /.test(line));
  };
  const unset = 'failed     Variable "SHOP_URL" has no value, and servers.shop.url needs it.';
  expect(await examine()).toEqual(
    expect.arrayContaining([unset, expect.stringMatching(/^failed +There is no /)]),
  );
  await project.write("tools.json", '{ "tools": [{ "name": "a", "inputSchema": { "type": "object" } }] }');
  await project.configure({ output: false, servers: { shop: { file: "tools.json" } } });
  await project.prints("pull", 0);
  await project.configure({ output: false, servers });
  const locked = "ok         The lock has every configured server.";
  expect(await examine()).toEqual(expect.arrayContaining([unset, locked]));
});
