import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, it } from "vitest";
import { createCode, createShop, linesOf, readAnswer } from "./shop-tools.js";

const shop = createShop();
const code = createCode(shop);

/** Scripts, with a part of the message about them. */
const WRONG: readonly (readonly [string, string, RegExp])[] = [
  ["a misspelt function", `await shop.getPst({ id: 1 });`, /Did you mean 'getPost'/],
  ["a name of the protocol", `await shop.get_post({ id: 1 });`, /Did you mean 'getPost'/],
  ["a key in brackets", `return await shop["list-posts"]({});`, /Did you mean 'listPosts'/],
  ["a misspelt server", `await shp.getPost({ id: 1 });`, /Did you mean 'shop'/],
  ["an unknown server", `await warehouse.stock({});`, /There is no 'warehouse' here/],
  ["a misspelt argument", `await shop.listPosts({ per_pge: 2 });`, /'per_page'/],
  ["an unknown argument", `await shop.getPost({ id: 1, embed: true });`, /'embed' does not exist/],
  ["a wrong type", `await shop.getPost({ id: "1" });`, /'string' is not assignable to type 'number'/],
  ["a wrong item", `await shop.listPosts({ tags: [1] });`, /'number' is not assignable to type 'string'/],
  ["a wrong word", `await shop.listPosts({ status: "published" });`, /Did you mean '"publish"'/],
  ["a missing argument", `await shop.createPost({});`, /'title' is missing/],
  ["no arguments", `await shop.getPost();`, /Expected 1 arguments, but got 0/],
  ["a value for an object", `await shop.getPost(1);`, /not assignable/],
  ["an argument too many", `await shop.getPost({ id: 1 }, true);`, /Expected 1 arguments, but got 2/],
  ["a wrong property", `const p = await shop.getPost({ id: 1 }); return p.name;`, /'name' does not exist/],
  ["a wrong envelope", `const p = await shop.listPosts({}); return p.data.posts;`, /'data' does not exist/],
  ["a list that is an object", `for (const p of await shop.listPosts({})) console.log(p);`, /iterator/],
  ["a possible null", `const p = await shop.findPost({ id: 1 }); return p.title;`, /possibly 'null'/],
  ["a possible absence", `const p = await shop.getPost({ id: 1 }); return p.author.length;`, /possibly 'undefined'/],
  ["an unknown result", `const r = await shop.readRaw({}); return r.rows;`, /'r' is of type 'unknown'.*parse/],
  ["an unknown result as a list", `const r = await shop.readRaw({}); return r.map(String);`, /unknown/],
  ["a missing await before a property", `return shop.getPost({ id: 1 }).title;`, /forget await/],
  ["a missing await in a condition", `if (shop.findPost({ id: 1 })) return 1;`, /always return true/],
  ["a missing await of a write", `shop.createPost({ title: "a" });\nreturn 1;`, /not awaited/],
  ["a void promise", `void shop.deletePost({ id: 1 });`, /not awaited/],
  ["a chain that is not awaited", `shop.getPost({ id: 1 }).then((p) => console.log(p.title));`, /not awaited/],
  ["forEach with async", `[1, 2].forEach(async (id) => { await shop.deletePost({ id }); });`, /Promise\.all/],
  ["map without Promise.all", `[1, 2].map((id) => shop.deletePost({ id }));`, /not awaited/],
  ["await of a list", `const all = await [1].map((id) => shop.getPost({ id }));\nreturn all;`, /Promise\.all/],
  ["a returned list of promises", `return [1].map((id) => shop.getPost({ id }));`, /Promise\.all/],
  ["a variable", `const a = shop.createPost({ title: "a" });\nreturn 1;`, /line 1:.*not awaited/],
  ["a variable that is looked at", `const a = shop.getPost({ id: 1 });\nreturn typeof a;`, /not awaited/],
  ["an assigned variable", `let a;\na = shop.getPost({ id: 1 });`, /line 2:.*not awaited/],
  ["a variable of a variable", `const a = shop.getPost({ id: 1 });\nconst b = a;`, /line 2:.*not awaited/],
  ["a taken length", `const { length } = [shop.getPost({ id: 1 })];\nreturn length;`, /Promise\.all/],
  ["a thrown promise", `throw shop.getPost({ id: 1 });`, /not awaited/],
  ["a variable of any type", `const a: any = shop.getPost({ id: 1 }) as any;`, /not awaited/],
  ["a promise in a text", `const p = shop.getPost({ id: 1 });\nreturn \`\${p}\`;`, /line 2:.*not awaited/],
  ["a promise added to a text", `return "a" + shop.getPost({ id: 1 });`, /not awaited/],
  ["a list of promises", `const all = [1].map((id) => shop.getPost({ id }));\nreturn all.length;`, /Promise\.all/],
  ["a length of promises", `return [1].map((id) => shop.getPost({ id })).length;`, /Promise\.all/],
  ["a filled list", `const all = [];\nfor (const id of [1]) all.push(shop.getPost({ id }));`, /line 2:.*not awaited/],
  ["a promise in an object", `return { title: shop.getPost({ id: 1 }) };`, /not awaited/],
  ["a short property", `const p = shop.getPost({ id: 1 });\nreturn { p };`, /line 2:.*not awaited/],
  ["a promise in a list", `return [shop.getPost({ id: 1 })];`, /Promise\.all/],
  ["a promise in a list of lists", `return [[shop.getPost({ id: 1 })]];`, /Promise\.all/],
  ["a logged promise", `console.log(shop.getPost({ id: 1 }));`, /not awaited/],
  ["a promise as JSON", `return JSON.stringify(shop.getPost({ id: 1 }));`, /not awaited/],
  ["an unread parameter", `const f = (p) => 1;\nreturn f(shop.getPost({ id: 1 }));`, /not awaited/],
  ["a loop over promises", `for (const p of [1].map((id) => shop.getPost({ id }))) console.log(1);`, /not awaited/],
  ["filter with a call", `return [1].filter((id) => shop.findPost({ id }));`, /Promise\.all/],
  ["forEach with a call", `[1].forEach((id) => shop.deletePost({ id }));`, /Promise\.all/],
  ["a named function in forEach", `const f = (id: number) => shop.deletePost({ id });\n[1].forEach(f);`, /Promise\.all/],
  ["a function of its own", `async () => { return await shop.listPosts({}); }`, /never called/],
  ["a main that is not called", `async function main() { await shop.listPosts({}); }`, /'main' is never called/],
  ["a constant function", `const run = async () => shop.listPosts({});`, /'run' is never called/],
  ["an import", `import fs from "node:fs";\nreturn fs;`, /no imports/],
  ["a dynamic import", `const fs = await import("node:fs"); return fs;`, /no modules/],
  ["require", `return require("fs");`, /There is no 'require' here/],
  ["process", `return process.env;`, /There is no 'process' here/],
  ["fetch", `return await fetch("https://example.com");`, /There is no 'fetch' here/],
  ["a timer", `setTimeout(() => {}, 1);`, /There is no 'setTimeout' here/],
  ["a syntax error", `const p = await shop.getPost({ id: 1 );`, /',' expected|'}' expected/],
  ["unbalanced braces", `}); (async () => {`, /not balanced/],
  ["an ignored line", `// @ts-ignore\nawait shop.getPst({});`, /Remove "@ts-ignore"/],
  ["an unknown error property", `try { await shop.getPost({ id: 1 }); } catch (e) { if (e instanceof ToolError) return e.status; }`, /'status' does not exist/],
  ["an empty script", ` \n `, /empty/],
  // What hides calls from the check.
  ["a value of any type", `const a = parse(1) as any;\nreturn a;`, /'as any' hides mistakes.*parse/],
  ["an argument of any type", `return shop.getPost({ id: "1" as any });`, /'as any' hides/],
  ["any type in angle brackets", `return (<any>shop).drop();`, /'as any' hides/],
  ["items of any type", `return shop.listPosts({ tags: [1] as any[] });`, /'as any\[\]' hides/],
  ["members of any type", `return (parse(1) as Record<string, any>)["a"];`, /'as Record<string, any>' hides/],
  ["a name for any type", `type T = any;\nreturn shop.getPost({ id: "1" as T });`, /'as T' hides/],
  ["arguments of no type", `return shop.getPost({ id: "1" } as never);`, /'as never' hides/],
  ["two assertions", `return shop.getPost({ id: "1" as unknown as number });`, /Two assertions/],
  ["two assertions in brackets", `return shop.getPost((({ id: "1" } as unknown)) as { id: number });`, /Two assertions/],
  ["two assertions of a name", `return shop["getPst" as string as "getPost"]({ id: 1 });`, /Two assertions|names/],
  ["a server of any type", `const s: any = shop;\nawait s.drop();`, /'shop' is passed on/],
  ["a server as any", `await (shop as any).drop();`, /'shop' is passed on|'as any' hides/],
  ["a server as an object", `return Object.values(shop).length;`, /'shop' is passed on/],
  ["a server through parse", `await parse(shop).drop();`, /'shop' is passed on/],
  ["a server in an object", `const o: any = { shop };\nawait o.shop.drop();`, /'shop' is passed on/],
  ["a server in a list", `const [s]: any[] = [shop];\nawait s.drop();`, /'shop' is passed on/],
  ["a server that is spread", `const s: any = { ...shop };\nawait s.drop();`, /'shop' is passed on/],
  ["a server for an untyped parameter", `const f = (s) => s.drop();\nawait f(shop);`, /'shop' is passed on/],
  ["the rest of a server", `const { getPost, ...rest } = shop;\nreturn getPost({ id: 1 });`, /'shop' is passed on/],
  ["a computed name", `const k: "getPost" = parse("deletePost");\nreturn shop[k]({ id: 1 });`, /'shop' is passed on/],
  ["Reflect", `await Reflect.get(shop, "drop")();`, /'shop' is passed on/],
  ["a proxy of a server", `const s: any = new Proxy(shop, {});\nawait s.drop();`, /'shop' is passed on/],
  ["the global object", `const g: any = globalThis;\nawait g.shop.drop();`, /'globalThis' is passed on/],
  ["a name of the global object", `return globalThis["sh" + "op"];`, /implicitly|passed on/],
  ["a server of the global object", `const s: any = globalThis.shop;\nawait s.drop();`, /'globalThis.shop' is passed on/],
  ["a function of any type", `const f: any = shop.getPost;\nreturn f("x");`, /'shop.getPost' is passed on.*\(args\) =>/],
  ["a function for an untyped parameter", `const f = (g) => g("x");\nreturn f(shop.getPost);`, /'shop.getPost' is passed on/],
  ["a function in an object", `const o: any = { f: shop.getPost };\nreturn o.f("x");`, /'shop.getPost' is passed on/],
  ["a taken function", `const { getPost } = shop;\nconst f: any = getPost;\nreturn f("x");`, /line 2:\d+: 'getPost' is passed on/],
  ["a renamed function", `const { getPost: g } = shop;\nreturn parse(g)("x");`, /'g' is passed on/],
  ["a bound function", `const f: any = shop.getPost.bind(null);\nreturn f("x");`, /'shop.getPost' is passed on/],
  ["a function as Function", `return (shop.getPost as Function)("x");`, /'shop.getPost' is passed on/],
  ["a name without end", `return ${"a".repeat(30_000)};`, /name of over 500 letters/],
  ["a key without end", `return parse(1)["${"a".repeat(30_000)}"];`, /name of over 500 letters/],
  ["members without end", `return a${".a".repeat(1_000)};`, /nested too deep/],
  ["a promise of a long type", `const a = "${"a".repeat(20_000)}" as const;\nreturn a.b;`, /'b' does not exist/],
  ["eval", `return eval("shop.drop()");`, /Code in a text/],
  ["eval as a value", `return [eval].map((f) => f("1"));`, /Code in a text/],
  ["eval of the global object", `return globalThis.eval("1");`, /Code in a text/],
  ["eval by its name", `return globalThis["eval"]("1");`, /Code in a text/],
  ["a taken eval", `const { eval: e } = globalThis;\nreturn e("1");`, /Code in a text/],
  ["new Function", `return new Function("return 1")();`, /Code in a text/],
  ["Function as a function", `return Function("return 1")();`, /Code in a text/],
  ["Function as a value", `const F = Function;\nreturn new F("return 1")();`, /Code in a text/],
  ["the constructor of a function", `return (() => 1).constructor("return 1")();`, /Code in a text/],
  ["the constructor of an async function", `return await (async () => 1).constructor("return 1")();`, /Code in a text/],
  ["a constructor of any type", `return ("".constructor as any)("return 1")();`, /Code in a text/],
  ["the constructor of a constructor", `return new ("".constructor.constructor as FunctionConstructor)("return 1")();`, /Code in a text/],
]; // prettier-ignore

it.each(WRONG)("%s is refused before a call", async (_, script, message) => {
  const answer = readAnswer(await code.run(script));
  expect(answer).toMatchObject({
    error: "SCRIPT_INVALID",
    message: expect.stringContaining("No tool was called") as unknown,
  });
  expect(linesOf(answer, "issues")).toMatch(message);
  expect(linesOf(answer, "issues")).toMatch(/^line 1:|^line 2:/);
  expect(shop.made).toEqual([]);
  expect(encode(JSON.stringify(answer)).length).toBeLessThan(200);
});

it("an import is refused once", async () => {
  const issues = await code.check(`import { x } from "./x.js";\nreturn x;`);
  expect(issues.map(({ line, column }) => [line, column])).toEqual([[1, 1]]);
});

it("an error about the whole text is in line 1", async () => {
  const [issue] = await code.check("\u0000\uFFFD\uFFFD\u0001(");
  expect(issue).toMatchObject({ line: 1, column: 1 });
});

it("a message has the signature concerned where it suggests nothing", async () => {
  const answer = readAnswer(await code.run(`await shop.createPost({});`));
  expect(linesOf(answer, "signatures")).toContain("shop.createPost(args: ");
  expect(readAnswer(await code.run(`await shop.getPst({});`))["signatures"]).toBeUndefined();
});

it("what JavaScript allows without types is accepted", async () => {
  const script = `const ids = [];
    for (const post of (await shop.listPosts()).posts) ids.push(post.id);
    const twice = (x) => x * 2;
    let last = null;
    for (const id of ids) last = await shop.getPost({ id });
    const all = await Promise.all(ids.map(async (id) => (await shop.getPost({ id })).title));
    let unused = 1;
    return { ids: ids.map(twice), last, all };`;
  expect(await code.check(script)).toEqual([]);
  expect(shop.made).toEqual([]);
});

/** Scripts that wait for all their calls. */
const RIGHT: readonly string[] = [
  `await Promise.all([1].map((id) => shop.getPost({ id })));`,
  `return Promise.all([1].map(async (id) => shop.getPost({ id })));`,
  `return shop.getPost({ id: 1 });`,
  `const p = shop.getPost({ id: 1 }); const q = await shop.getPost({ id: 2 }); return [await p, q];`,
  `const all = [1].map((id) => shop.getPost({ id })); console.log(all.length); return Promise.all(all);`,
  `const all = []; for (const id of [1]) all.push(shop.getPost({ id })); return Promise.allSettled(all);`,
  `const all: Promise<unknown>[] = []; all.push(...[1].map((id) => shop.getPost({ id }))); await Promise.all([...all, shop.listPosts()]);`,
  `const [a, b] = await Promise.all([shop.getPost({ id: 1 }), shop.listPosts()]); return { a, b };`,
  `const [a, b] = [shop.getPost({ id: 1 }), shop.listPosts()]; return [await a, await b];`,
  `const p = shop.getPost({ id: 1 }).then((post) => post.title).catch(() => ""); return p;`,
  `for (const p of [1].map((id) => shop.getPost({ id }))) console.log((await p).title);`,
  `const all = []; for (const id of [1]) { const p = shop.getPost({ id }); all.push(p); } await Promise.all(all);`,
  `let p; if (1 > 2) p = shop.getPost({ id: 1 }); if (p) await p;`,
  `const get = (id: number) => shop.getPost({ id }); return (await get(1)).title;`,
  `const load = async (p) => (await p).title; return load(shop.getPost({ id: 1 }));`,
  `const retry = async (f) => { try { return await f(); } catch { return f(); } }; return retry(() => shop.getPost({ id: 1 }));`,
  `const a = [1].map((id) => shop.getPost({ id })); const b = a.map((p) => p.then((x) => x.title)); return Promise.all(b);`,
  `return { post: await shop.getPost({ id: 1 }), other: 1 > 2 ? null : await shop.findPost({ id: 2 }) };`,
  `return [1, 2].reduce(async (last, id) => { await last; return shop.getPost({ id }); }, Promise.resolve<unknown>(0));`,
  `const f = async () => { await shop.listPosts(); }; await f(); await (async () => { await f(); })();`,
  `const { getPost, listPosts: list } = shop; await list(); return (await getPost({ id: 1 })).title;`,
  `return (await globalThis.shop.getPost({ id: 1 })).title + (await shop["getPost"]({ id: 1 })).id + (await (shop).getPost({ id: 1 })).id;`,
  `const rows = (await shop.readRaw({})) as { id: number }[]; return rows.map(({ id }) => id);`,
  `const kinds = ["draft", "publish"] as const; return shop.listPosts({ status: kinds[0] });`,
  `const r: any = parse(await shop.readRaw({})); try { return r.rows.map((x: any) => x.id); } catch (e: any) { return e.message; }`,
  `const get = (args) => shop.getPost(args); return Promise.all([1].map((id) => get({ id })));`,
  `(Object.prototype as any).x = 1; return ({} as { x?: number }).x;`,
  `class A { constructor(readonly eval2: number) {} } return new A(1).constructor.name;`,
  `const p = 1 > 2 ? shop.getPost({ id: 1 }) : undefined; return (await p)?.title ?? (await Promise.race([shop.getPost({ id: 1 })])).title;`,
];

it.each(RIGHT)("%s is accepted", async (script) => {
  expect(await code.check(script)).toEqual([]);
});

it.each([
  ["const x = (", 1, 12],
  ["const y = 1;\nconst x = (\n\n", 2, 12],
  ["const t = `abc\n", 1, 15],
])("%j is wrong within its own text", async (script, line, column) => {
  expect((await code.check(script))[0]).toMatchObject({ line, column });
});
