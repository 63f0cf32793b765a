import { beforeEach, describe, expect, it } from "vitest";
import { systemPrompt, toAiSdkTools } from "../../src/agent/index.js";
import type { ApprovalRequest } from "../../src/agent/index.js";
import { parseExactly } from "../../src/core/exact-json.js";
import { findOwn } from "../../src/core/json.js";
import { createCode, createShop, linesOf, readAnswer, uncheck } from "./shop-tools.js";
import type { CodeExecutor } from "mcp-codegen/agent/code";

let answer: (tool: string) => unknown = () => undefined;
const shop = createShop((tool) => answer(tool));
const code = createCode(shop);

beforeEach(() => {
  shop.made.length = 0;
  answer = () => undefined;
});

async function run(script: string, options: Parameters<typeof code.run>[1] = {}): Promise<unknown> {
  return readAnswer(await code.run(script, options));
}

describe("a script", () => {
  it("calls tools, logs and returns", async () => {
    const script = `const { posts } = await shop.listPosts({ per_page: 2 });
      console.log("found", posts.length, { a: [1] });
      const all = await Promise.all(posts.map(({ id }) => shop.getPost({ id })));
      return all.map(({ title }) => title);`;
    expect(await run(script)).toEqual({
      result: ["Post 1", "Post 2", "Post 3"],
      logs: ['found 3 {"a":[1]}'],
    });
    expect(shop.made.map(({ tool, line }) => `${tool} ${String(line)}`)).toEqual([
      "list-posts 1",
      ...Array<string>(3).fill("get_post 3"),
    ]);
  });

  const CAUGHT = `try { await shop.getPost({ id: 10 }); } catch (e) { if (e instanceof ToolError) return [e.code, e.message, e.tool]; }`;
  const RESULTS: readonly (readonly [what: string, script: string, answer: object])[] = [
    ["the answer without an output schema", `const raw = await shop.readRaw(); return [raw, parse(raw).rows];`, { result: ['{"rows":[1,2]}', [1, 2]] }],
    ["null without a value", `await shop.listPosts();`, { result: null }],
    ["a caught failure of a call", CAUGHT, { result: ["TOOL_EXECUTION_FAILED", "There is no post 10.", "shop.getPost"] }],
  ]; // prettier-ignore

  it.each(RESULTS)("returns %s", async (_what, script, expected) => {
    expect(await run(script)).toEqual(expected);
  });

  it("fails with the line, and with the calls that may not be repeated", async () => {
    const script = `type Title = string;
// A comment
const title: Title = "a";
interface Unused { a: 1 }
await shop.createPost({ title });
const text = \`
\`;
await shop.getPost({ id: 10 + text.length });`;
    expect(await run(script)).toMatchObject({
      ...{ error: "SCRIPT_FAILED", cause: "TOOL_EXECUTION_FAILED", made: ["line 5: shop.createPost"] },
      message: "line 8: There is no post 11.",
      suggestion: expect.stringContaining('Do not repeat the calls in "made".') as unknown,
    });
    const thrown = `const x: any = null;\n\n\nreturn x.y;`;
    expect(await run(thrown)).toMatchObject({
      message: "line 4: TypeError: cannot read property 'y' of null",
    });
    expect(await run(`throw null;`)).toMatchObject({ error: "SCRIPT_FAILED", message: "null" });
  });

  it("is validated at run time where types were silenced", async () => {
    const script = `const args: any = { id: "1" };\nreturn await shop.getPost(args);`;
    const message = `The arguments of tool "shop.getPost" are invalid: id: Invalid input: expected number, received string`;
    expect(await run(script)).toMatchObject({ cause: "VALIDATION_ERROR", message: `line 2: ${message}` });
    const caught = `try { return await shop.getPost(parse({ id: "1" })); } catch (e) { return String(e); }`;
    expect(await run(caught)).toEqual({ result: `ToolError: ${message}` });
    const many = `const args: any = { per_page: 0 };
      for (let n = 0; n < 30; n += 1) args["k".repeat(300) + n] = n;\nreturn await shop.listPosts(args);`;
    const { message: bounded } = (await run(many)) as { readonly message: string };
    expect(bounded).toContain("Unrecognized keys");
    expect(bounded.length).toBeLessThan(1_100);
    expect(await run(`const args: any = [1]; return await shop.getPost(args);`)).toMatchObject({
      message: "line 1: The argument of shop.getPost is not an object.",
    });
    expect(shop.made).toEqual([]);
  });

  /** Scripts whose types hide a call that nothing awaits. */
  const UNAWAITED: readonly (readonly [script: string, message: RegExp])[] = [
    [`const s: any = shop;\ns.createPost({ title: "a" });\nreturn 1;`, /^line 2: shop\.createPost .*not awaited/],
    [`const s: any = shop;\ns.getPost({ id: 1 });\nreturn 1;`, /^line 2: shop\.getPost .*not awaited/],
    [`const s: any = shop;\ns.getPost({ id: 10 });\nawait shop.listPosts();\nawait shop.listPosts();`, /^line 2: shop\.getPost .*There is no post 10/],
    [`const s: any = shop;\ns.getPost({ id: 10 }).then((p) => p.title);\nawait shop.listPosts();\nawait shop.listPosts();`, /^line 2: shop.* no post 10/],
    [`const s: any = shop;\nconst f: any = async () => { await s.createPost({ title: "a" }); };\nf();`, /^line 2: shop\.createPost .*not awaited/],
    [`try { await Promise.all([shop.getPost({ id: 10 }),\nshop.createPost({ title: "a" })]); } catch { return 1; }`, /^line 2: shop\.createPost .*not awaited/],
  ]; // prettier-ignore

  it.each(UNAWAITED)("%s fails", async (script, message) => {
    answer = (tool) =>
      tool === "create_post" ? new Promise((resolve) => setTimeout(resolve, 150)) : undefined;
    const { code: harmless, executor } = uncheck(script);
    const answered = script.includes(": any")
      ? readAnswer(await createCode(shop, { executor }).run(harmless))
      : await run(script);
    expect(answered).toMatchObject({
      error: "SCRIPT_FAILED",
      message: expect.stringMatching(message) as unknown,
    });
    const made = script.includes("createPost") ? [expect.stringContaining("shop.createPost")] : undefined;
    expect((answered as { made?: unknown }).made).toEqual(made);
  });

  it("may leave a slower read behind, and read an error late", async () => {
    answer = (tool) =>
      tool === "list-posts" ? new Promise((resolve) => setTimeout(resolve, 30)) : undefined;
    const script = `const p = shop.getPost({ id: 10 });
      const first = await Promise.race([shop.getPost({ id: 1 }), shop.listPosts()]);
      await shop.getPost({ id: 2 });
      return [first, await p.catch((e) => e.code), p instanceof Promise];`;
    expect(await run(script)).toMatchObject({ result: [{ id: 1 }, "TOOL_EXECUTION_FAILED", true] });
  });

  it("that waits for nothing ends", async () => {
    expect(await run(`await new Promise(() => {});`)).toMatchObject({ message: /never settles/ });
  });

  it("meets a tool that has vanished", async () => {
    const tools = [...shop.tools];
    const source = {
      environments: [],
      getTools: () => Promise.resolve(tools),
      getTool: () => Promise.resolve(undefined),
    };
    const { createCodeTools } = await import("mcp-codegen/agent/code");
    const changing = createCodeTools(source);
    answer = () => {
      source.getTools = () => Promise.resolve([]);
    };
    const script = `await shop.listPosts();\nawait shop.getPost({ id: 1 });`;
    expect(readAnswer(await changing.run(script))).toMatchObject({
      ...{ error: "SCRIPT_FAILED", cause: "TOOL_NOT_FOUND" },
      message: 'line 2: There is no tool "shop.getPost".',
    });
  });

  it("stops when its caller does, and lists what it has made", async () => {
    const stop = new AbortController();
    answer = (tool) => {
      if (tool === "get_post") stop.abort();
    };
    const script = `await shop.createPost({ title: "a" });\nawait shop.getPost({ id: 1 });\nfor (;;) {}`;
    expect(await run(script, { signal: stop.signal })).toMatchObject({
      ...{ error: "SCRIPT_STOPPED", limit: "cancelled", made: ["line 1: shop.createPost"] },
    });
  });
});

describe("a policy", () => {
  it("hides functions from search, check and suggestions", async () => {
    const policy = { writes: true, roles: { guest: { deny: [{ names: ["get_post"] }] } } };
    const guest = createCode(shop, { policy });
    const { code: harmless, executor } = uncheck(`const s: any = shop;\nreturn await s.getPost({ id: 1 });`);
    const options = { roles: ["guest"] };
    const found = await guest.answer("search_api", { query: "get a post", limit: 20 }, options);
    expect(found.content[0]?.text).not.toContain("getPost");
    expect((await guest.answer("search_api", { query: "get a post" })).content[0]?.text).toContain("getPost");
    const refused = readAnswer(await guest.run(`return await shop.getPst({ id: 1 });`, options));
    expect(linesOf(refused, "issues")).not.toContain("getPost");
    expect(readAnswer(await createCode(shop, { policy, executor }).run(harmless, options))).toMatchObject({
      error: "SCRIPT_FAILED",
      message: "line 2: TypeError: not a function",
    });
  });

  it("that is restricted refuses what a role forbids", async () => {
    const narrowed = createCode(shop, { policy: { writes: true } }).restrict("content-editor");
    const script = `await shop.listPosts();\nawait shop.deletePost({ id: 1 });`;
    expect(readAnswer(await narrowed.run(script))).toMatchObject({ error: "SCRIPT_INVALID" });
    expect(shop.made).toEqual([]);
  });

  it("refuses writes that are off", async () => {
    const reading = createCode(shop, { policy: {} });
    const answered = readAnswer(await reading.run(`await shop.createPost({ title: "a" });`));
    expect(answered).toMatchObject({ error: "SCRIPT_FAILED", cause: "WRITES_DISABLED" });
    expect(reading.metaTools[1]?.annotations).toEqual({ readOnlyHint: true });
    expect(shop.made).toEqual([]);
  });
});

describe("consent", () => {
  it("is asked for in the middle of the script, one call at a time, with its line, while its time stands still", async () => {
    const seen: unknown[] = [];
    let isAsking = false;
    const patient = createCode(shop, { limits: { timeMs: 600 } });
    const script = `await shop.createPost({ title: "a" });
const said = await Promise.allSettled([1, 2, 3].map((id) => shop.deletePost({ id })));
let again = "";
try { await shop.deletePost({ id: 2 }); } catch (e) { again = e.code; }
return [said.map(({ status }) => status), again];`;
    const answered = await patient.run(script, {
      approve: async ({ tool, input, line }) => {
        expect(isAsking).toBe(false);
        isAsking = true;
        seen.push([tool.name, input, line]);
        await new Promise((resolve) => setTimeout(resolve, 400));
        isAsking = false;
        return findOwn(input, "id") !== 2;
      },
    });
    expect(readAnswer(answered)).toEqual({
      result: [["fulfilled", "rejected", "fulfilled"], "TOOL_NOT_ALLOWED"],
    });
    expect(seen).toEqual([1, 2, 3].map((id) => ["shop__delete_post", { id }, 2]));
    expect(shop.made.map(({ tool }) => tool)).toEqual(["create_post", "delete_post", "delete_post"]);
  });

  it("counts for the arguments that were shown", async () => {
    const shown: unknown[] = [];
    const script = `const args = { id: 1 };
const deleted = shop.deletePost(args);
args.id = 2;
return await deleted;`;
    const approve = ({ input }: ApprovalRequest): boolean => {
      shown.push(input);
      return true;
    };
    expect(await run(script, { approve })).toEqual({ result: "deleted" });
    expect([shown, shop.made.map(({ args }) => args)]).toEqual([[{ id: 1 }], [{ id: 1 }]]);
  });

  it("that is given after the caller has gone makes no call", async () => {
    const stop = new AbortController();
    let decide: (said: boolean) => void = () => undefined;
    const approve = (): Promise<boolean> => {
      stop.abort();
      return new Promise((resolve) => {
        decide = resolve;
      });
    };
    const script = `await shop.createPost({ title: "a" });\nawait shop.deletePost({ id: 1 });`;
    expect(await run(script, { approve, signal: stop.signal })).toMatchObject({
      ...{ limit: "cancelled", made: ["line 1: shop.createPost"] },
    });
    decide(true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(shop.made.map(({ tool }) => tool)).toEqual(["create_post"]);
  });

  it("waits in at most as many scripts as the limit says", async () => {
    const two = createCode(shop, { limits: { scripts: 2 } });
    const decisions: ((said: boolean) => void)[] = [];
    const approve = (): Promise<boolean> => new Promise((resolve) => decisions.push(resolve));
    const waiting = [1, 2].map((id) => two.run(`return await shop.deletePost({ id: ${id} });`, { approve }));
    await expect.poll(() => decisions.length, { timeout: 20_000 }).toBe(2);
    expect(readAnswer(await two.run(`return 1;`))).toMatchObject({
      limit: "scripts",
      suggestion: "No tool was called.",
    });
    for (const decide of decisions) decide(false);
    for (const one of waiting) expect(readAnswer(await one)).toMatchObject({ cause: "TOOL_NOT_ALLOWED" });
    expect(readAnswer(await two.run(`return 1;`))).toEqual({ result: 1 });
  });
});

describe("search_api", () => {
  const search = async (args: object): Promise<string> =>
    (await code.answer("search_api", args)).content[0]?.text ?? "";

  it("returns signatures in TypeScript, best first, the same each time", async () => {
    const found = await search({ query: "delete a post", limit: 2 });
    expect(found).toMatch(
      /^\/\*\* delete post: a tool of the shop\. \(May destroy: the user is asked\.\) \*\/\nshop\.deletePost\(args: \{/,
    );
    expect(found).toContain("): Promise<unknown>");
    expect(await search({ query: "delete a post", limit: 2 })).toBe(found);
  });

  it("searches every server, or one by either name", async () => {
    const own = shop.tools.map((tool) => ({
      ...tool,
      name: tool.name.replace("shop", "my_blog"),
      server: "my_blog",
    }));
    const both = createCode({ made: [], tools: [...shop.tools, ...own] });
    const find = async (server?: string): Promise<readonly string[]> => {
      const { content } = await both.answer("search_api", { query: "delete a post", limit: 2, server });
      return [...(content[0]?.text ?? "").matchAll(/^\w+\.\w+/gm)].map(([path]) => path);
    };
    expect(await find()).toEqual(["myBlog.deletePost", "shop.deletePost"]);
    expect((await find("shop"))[0]).toBe("shop.deletePost");
    for (const name of ["my_blog", "myBlog"]) expect((await find(name))[0]).toBe("myBlog.deletePost");
    expect(await both.check(`await myBlog.deletePost({ id: 1 }); await shop.getPost({ id: 1 });`)).toEqual(
      [],
    );
  });

  it("lists the names of a server, and the servers", async () => {
    expect(await search({})).toBe("shop: 7 functions");
    expect(await search({ server: "shop" })).toContain("shop.createPost\n");
    expect(await search({ server: "shp" })).toBe('There is no server "shp". Servers: shop.');
    expect(await search({ query: "zzzz qqqq" })).toContain("No function was found.");
  });
});

describe("adapters", () => {
  const script = { code: `return await shop.deletePost({ id: 1 });` };
  const options = { toolCallId: "1", messages: [] };

  it("ask before each script, unless the script asks", async () => {
    const unasked = await toAiSdkTools(code);
    expect(unasked["run_code"]?.needsApproval).toBe(true);
    await expect(unasked["run_code"]?.execute(script, options)).rejects.toThrow("needs approval");
    expect(shop.made).toEqual([]);
    const seen: unknown[] = [];
    const asking = createCode(shop, {
      approve: ({ tool, input, line }) => {
        seen.push([tool.name, input, line]);
        return true;
      },
    });
    const { run_code: asked } = await toAiSdkTools(asking);
    expect(asked?.needsApproval).toBeUndefined();
    expect(await asked?.execute(script, options)).toMatchObject({ structuredContent: { result: "deleted" } });
    expect(seen).toEqual([["shop__delete_post", { id: 1 }, 1]]);
  });
});

it("the system prompt mentions no categories, since it lists none", async () => {
  const prompt = await systemPrompt(code);
  expect(prompt).toContain("Find their signatures with search_api");
  expect(prompt).not.toMatch(/categor/i);
});

it("another executor receives the code, and its calls go the same way", async () => {
  const executor: CodeExecutor = {
    execute: async ({ code: text, functions, callTool, log }) => {
      log(`${String(text.includes("type"))} ${JSON.stringify(functions).slice(0, 9)}`);
      const read = await callTool("shop.getPost", '{"id":"x"}', "script.js:2");
      const made = await callTool("shop.nothing", "{}", "");
      return { ok: true, json: `[${read},${made}]` };
    },
  };
  const own = createCode(shop, { executor });
  const { result, logs } = readAnswer(await own.run(`type A = 1;\nreturn 1;`));
  expect(result).toMatchObject([
    { ok: false, error: { error: "VALIDATION_ERROR", tool: "shop.getPost" } },
    { ok: false, error: { error: "TOOL_NOT_FOUND" } },
  ]);
  expect(logs).toEqual(['false {"shop":[']);
});

it.each([
  ["an answer", "return (await shop.echo({})).id;", "echo", '{"id":1234567890123456789}', "/id"],
  ["a text", "return parse(await shop.readRaw()).ids;", "readRaw", '{"ids":[1234567890123456789]}', "/ids/*"],
] as const)("the logs of a script name the rounded numbers of %s", async (_, script, name, json, place) => {
  answer = () => (name === "echo" ? parseExactly(json) : json);
  const logs = [`line 1: shop.${name} answers with rounded numbers at "${place}"`];
  expect(await run(script)).toMatchObject({ logs });
});
