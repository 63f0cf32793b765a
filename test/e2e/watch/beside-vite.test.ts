import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createViteServer } from "vitest/node";
import { fixtureCommand } from "../../servers/start-fixture.js";
import { makeProject } from "../make-project.js";
import { linkPackages } from "../user-project.js";
import { startWatch } from "./start-watch.js";

/** Starts Vite's development server on loopback, and returns a function that gets a module as a browser would. */
async function startVite(root: string): Promise<(path: string) => Promise<string>> {
  const server = await createViteServer({
    root,
    configFile: false,
    logLevel: "silent",
    optimizeDeps: { noDiscovery: true },
    server: { host: "127.0.0.1", port: 0, strictPort: false, ws: false },
  });
  onTestFinished(() => server.close());
  await server.listen();
  const [origin = ""] = server.resolvedUrls?.local ?? [];
  return async (path) => (await fetch(new URL(path, origin))).text();
}

test("Vite serves the generated code of a change without a restart", async () => {
  const project = await makeProject();
  await linkPackages(project.dir);
  const tools = join(project.dir, "tools.json");
  const server = fixtureCommand("follows-file", "--file", tools, "--notify", "yes");
  await project.write("tools.json", `["one"]`);
  await project.configure({ servers: { shop: server } });
  const watch = startWatch(project.dir);
  await watch.see(/Watching/);
  const get = await startVite(project.dir);
  const index = "/generated/shop/index.ts";
  expect(await get(index)).toContain("/generated/shop/one.ts");
  await project.write("tools.json", `["one", "two"]`);
  await watch.see(/shop: 1 safe · 1 tool added \(two\)/);
  // Vite notices the files a moment later.
  while (!(await get(index)).includes("/generated/shop/two.ts")) await setTimeout(50);
  expect(await get("/generated/shop/two.ts")).toContain("const two = ");
});
