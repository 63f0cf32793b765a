import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCode, createShop } from "../code-mode/shop-tools.js";
import { makeProject, makePulled } from "../e2e/make-project.js";
import { CLIENTS, connectTo, serveTools } from "./clients.js";
import type { JsonObject } from "../../src/core/json.js";
import { complaints } from "../report/schemas.js";
import { runBuilt, runProgram, withoutPackages } from "../e2e/run-built.js";
import { BIN, startServeProgram } from "./start-serve.js";

const ANSWERS = fileURLToPath(new URL("../servers/answers.js", import.meta.url));
describe.each(Object.keys(CLIENTS))("code mode through the client of %s", (name) => {
  it("asks for each call that destroys, and runs the script once", async () => {
    const shop = createShop();
    const serving = await serveTools(createCode(shop));
    const seen: string[] = [];
    const client = await connectTo(name, serving.url, (message) => {
      seen.push(message);
      return { action: "accept", content: { run: !message.includes('{"id":2}') } };
    });
    expect(await client.listTools()).toEqual(["search_api", "run_code"]);
    const code = `await shop.createPost({ title: "a" });
const said = await Promise.allSettled([1, 2].map((id) => shop.deletePost({ id })));
await shop.deletePost({ id: 3 });
return said.map(({ status }) => status);`;
    const { structuredContent } = await client.call("run_code", { code });
    expect(structuredContent).toEqual({ result: ["fulfilled", "rejected"] });
    expect(seen.map((message) => /line \d of the script\? Arguments: .*/.exec(message)?.[0])).toEqual([
      'line 2 of the script? Arguments: {"id":1}',
      'line 2 of the script? Arguments: {"id":2}',
      'line 3 of the script? Arguments: {"id":3}',
    ]);
    expect(shop.made.map(({ tool, args }) => [tool, args])).toEqual([
      ["create_post", { title: "a" }],
      ["delete_post", { id: 1 }],
      ["delete_post", { id: 3 }],
    ]);
  });
});

const SHOP = { servers: { shop: { command: process.execPath, args: [BIN, "example-server"] } } };

describe("a project", () => {
  it("is served with --code", async () => {
    const serving = await startServeProgram((await makePulled(SHOP)).dir, ["--code"]);
    onTestFinished(() => serving.stop().then(() => undefined));
    const client = await connectTo("version 2, revision 2026-07-28", serving.url);
    expect(await client.listTools()).toEqual(["search_api", "run_code"]);
    const code = `return (await shop.listPosts({ per_page: 1 })).posts.length;`;
    expect((await client.call("run_code", { code }))["structuredContent"]).toEqual({ result: 1 });
  });

  it("has the types of learned answers", async () => {
    const project = await makeProject({ servers: { shop: { command: "node", args: [ANSWERS] } } });
    for (const argv of [
      ["pull"],
      ["call", "--record", "shop__find-orders", "--id", "2"],
      ["generate", "--learn"],
    ])
      expect(await project.run(argv)).toMatchObject({ exitCode: 0 });
    await project.write("total.ts", `return (await shop.findOrders({ id: 2 })).total;`);
    expect(await runBuilt(project, ["run", "total.ts"])).toMatchObject({ exitCode: 0, stdout: "2\n" });
    await project.write("price.ts", `return (await shop.findOrders({ id: 2 })).price;`);
    const { stdout } = await runBuilt(project, ["run", "--check", "price.ts"]);
    expect(stdout).toContain("'price' does not exist");
  });

  it("checks a saved script, and runs it", async () => {
    const project = await makePulled(SHOP);
    const good = `console.log("hello");\nreturn (await shop.listPosts({ per_page: 1 })).posts.length;`;
    await project.write("good.ts", good);
    await project.write("bad.ts", `return 1;\nawait shop.listPost();`);
    await project.write("delete.ts", `await shop.deletePost({ id: 1 });`);
    const checked = await runBuilt(project, ["run", "--check", "bad.ts"]);
    expect(checked.stdout).toMatch(/^bad\.ts:2:\d+ .*Did you mean 'listPosts'/);
    expect(checked.exitCode).toBe(1);
    expect(await runBuilt(project, ["run", "good.ts"])).toEqual({
      exitCode: 0,
      stdout: "1\n",
      stderr: "hello\n",
    });
    const refused = await runBuilt(project, ["run", "delete.ts"], { MCP_CODEGEN_ENABLE_WRITES: "" });
    expect(refused.stderr).toMatch(
      /^delete\.ts: line 1: .*writes are switched off.*\n.*MCP_CODEGEN_ENABLE_WRITES/,
    );
    expect(refused.stderr).toMatch(/\nPass --yes, or set MCP_CODEGEN_ENABLE_WRITES.* not of the server\.\n$/);
    const yes = ["run", "--yes", "delete.ts"];
    expect(await runBuilt(project, yes, { MCP_CODEGEN_ENABLE_WRITES: undefined })).toMatchObject({
      exitCode: 0,
    });
    const off = await runBuilt(project, yes, { MCP_CODEGEN_ENABLE_WRITES: "0" });
    expect(off).toMatchObject({ exitCode: 1, stderr: /writes are switched off/ });
    const unasked = await runBuilt(project, ["run", "--json", "delete.ts"], {
      MCP_CODEGEN_ENABLE_WRITES: "1",
    });
    expect(JSON.parse(unasked.stdout)).toMatchObject({
      ...{ report: "run", exitCode: 1, script: "delete.ts" },
      error: { message: "line 1: The user could not be asked: there is no terminal; pass --yes." },
    });
    expect(complaints(JSON.parse(unasked.stdout) as JsonObject)).toEqual([]);
    expect(await runBuilt(project, ["run", "missing.ts"])).toMatchObject({ exitCode: 2 });
  });

  it("runs more calls than a model's script may make, and says which policy hides a tool", async () => {
    const deny = { focusMode: "m", focusModes: { m: { deny: [{ names: ["delete-post"] }] } } };
    const project = await makePulled({ ...SHOP, scripts: ["hidden.ts"], policy: deny });
    await project.write("many.ts", `let n = 0;\nfor (; n < 51; n++) await shop.listPosts({});\nreturn n;`);
    expect(await runBuilt(project, ["run", "many.ts"])).toMatchObject({ exitCode: 0, stdout: "51\n" });
    await project.write("hidden.ts", `await shop.deletePost({ id: 1 });`);
    const hidden = /1:\d+.*\s.*Tool "shop__delete-post" .* is not allowed by focus mode "m"/;
    for (const argv of [
      ["run", "--check", "hidden.ts"],
      ["run", "hidden.ts"],
      ["check", "--offline"],
    ]) {
      const { exitCode, stdout, stderr } = await runBuilt(project, argv);
      expect([exitCode, `${stdout}${stderr}`]).toEqual([1, expect.stringMatching(hidden)]);
    }
  });

  it("checks several saved scripts, and runs one", async () => {
    const project = await makePulled(SHOP);
    await project.write("good.ts", `return 1;`);
    await project.write("bad.ts", `return 1;\nawait shop.listPost();`);
    const all = await runBuilt(project, ["run", "--json", "--check", "good.ts", "b*.ts"]);
    const document = JSON.parse(all.stdout) as JsonObject;
    expect(complaints(document)).toEqual([]);
    expect(document).toMatchObject({
      scripts: ["good.ts", "bad.ts"],
      issues: [{ script: "bad.ts", line: 2 }],
    });
    const unmatched = await runBuilt(project, ["run", "--check", "typo/*.ts"]);
    expect(unmatched).toMatchObject({ exitCode: 2, stderr: 'error: No file matches "typo/*.ts".\n' });
    const several = await runBuilt(project, ["run", "good.ts", "bad.ts"]);
    expect(several).toMatchObject({ exitCode: 2, stdout: "" });
  });

  it("names the environment whose server drifted, once", async () => {
    const { command, args } = SHOP.servers.shop;
    const environments = { next: { args: [...args, "--next"] } };
    const project = await makePulled({ servers: { shop: { command, args, environments } } });
    await project.write("list.ts", `return (await shop.listPosts({ per_page: 1 })).pages;`);
    const { exitCode, stderr } = await runBuilt(project, ["run", "--env", "next", "list.ts"]);
    expect(stderr).toMatch(/^list\.ts: line 1: .*Run "npx mcp-codegen check shop --env next"\.\n$/);
    expect(exitCode).toBe(1);
    await project.write("caught.ts", `try { await shop.listPosts({}); } catch { return 1; }`);
    const caught = await runBuilt(project, ["run", "--env", "next", "caught.ts"]);
    expect(caught).toEqual({
      ...{ exitCode: 0, stdout: "1\n" },
      stderr: "1 call was refused because of drift: shop list-posts.\n",
    });
  });

  it("is neither run nor served without the packages, which are named", async () => {
    const project = await makePulled(SHOP);
    await project.write("one.ts", `return 1;`);
    const without = withoutPackages("quickjs-emscripten-core");
    for (const argv of [
      ["run", "one.ts"],
      ["serve", "--code"],
    ]) {
      const { exitCode, stderr } = await runProgram(project, argv, without);
      expect(exitCode).toBe(2);
      expect(stderr).toContain("npm install -D quickjs-emscripten-core@0");
      expect(stderr).not.toContain("run_code");
    }
    expect(await runProgram(project, ["run", "--check", "one.ts"], without)).toMatchObject({ exitCode: 0 });
  });
});
