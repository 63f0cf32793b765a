import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CodeExecutor } from "mcp-codegen/agent/code";
import type { ToolAnswer } from "../../src/agent/toolset/toolset.js";
import { createCode, createShop, readAnswer, uncheck } from "./shop-tools.js";

const SECRET = "a-secret-of-the-host";
const TEN_MB = 10 * 1024 * 1024;
const LIMITS = {
  ...{ timeMs: 10_000, checkMs: 3_000, calls: 5, memoryBytes: 2 * TEN_MB, logBytes: 500, resultBytes: 2_000 },
  ...{ answerBytes: 20_000, nesting: 20, scriptBytes: 4_000 },
};

let poison: unknown;
const shop = createShop((tool) => (tool === "echo" ? poison : undefined));
const code = createCode(shop, { limits: LIMITS });
/** For scripts that would not end. */
const HASTY = { ...LIMITS, timeMs: 150 };
function runUnchecked(script: string, limits = LIMITS): Promise<ToolAnswer> {
  const { code: harmless, executor } = uncheck(script);
  return createCode(shop, { limits, executor }).run(harmless);
}
let written: string[] = [];
const keysOfHost = (): readonly unknown[] =>
  [Object, Array, Function, Promise, String, Error, Map].flatMap(({ prototype }) => [
    ...Reflect.ownKeys(prototype as object),
    Object.isFrozen(prototype),
  ]);
const before = keysOfHost();

beforeEach(() => {
  vi.stubEnv("HOST_SECRET", SECRET);
  poison = undefined;
  shop.made.length = 0;
  written = [];
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation((chunk) => {
      written.push(String(chunk));
      return true;
    });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** `failed`: an error in the script. A name: the limit that is hit. Otherwise the result. */
type Expected = "failed" | "refused" | readonly ["result", unknown] | readonly [limit: string];

const any = "const g: any = globalThis; const s: any = shop;";
const ATTACKS: readonly (readonly [name: string, script: string, ...expected: Expected[]])[] = [
  // Ways to the host.
  ["the constructor of a function", `return (parse as any).constructor("return typeof process")();`, "failed"],
  ["the constructor of a tool", `return await (shop.getPost as any).constructor("return typeof process")();`, "failed"],
  ["the constructor of console", `return (console.log as any).constructor("return typeof require")();`, "failed"],
  ["the constructor of a generator", `return [...(function* () {} as any).constructor("yield typeof process")()];`, "failed"],
  ["eval", `${any} return g.eval("typeof process + typeof require + typeof fetch + typeof setTimeout");`, "failed"],
  ["indirect eval of the environment", `${any} return (0, g.eval)("process.env.HOST_SECRET");`, "failed"],
  ["an import in eval", `${any} return await g.eval('import("node:fs")');`, "failed"],
  ["an import in a function", `return await (parse as any).constructor('return import("fs")')();`, "failed"],
  ["names of the engine", `${any} return ["std", "os", "scriptArgs", "print", "host", "finish", "gc"].filter((k) => k in g);`, ["result", []]],
  ["the stack of an error", `return [new Error("x").stack].map(String).filter((t) => t.includes("/"));`, ["result", []]],
  ["prepareStackTrace", `(Error as any).prepareStackTrace = (_: any, s: any) => s[0].getThis(); return typeof (new Error() as any).stack;`, ["result", "string"], ["result", "undefined"]],
  ["the caller of a function", `return (parse as any).caller ?? null;`, "failed", ["result", null]],
  ["a thrown value of a tool", `try { await shop.getPost({ id: 99 }); } catch (e: any) { return e.constructor.constructor("return typeof process")(); }`, "failed"],
  ["the result of a tool", `const p: any = await shop.getPost({ id: 1 }); return p.constructor.constructor("return typeof process")();`, "failed"],
  ["the global object by this", `return (function (this: any) { return typeof this; })();`, ["result", "undefined"]],
  ["Function through a descriptor", `return Object.getOwnPropertyDescriptor(Object.getPrototypeOf(async () => 1), "constructor")?.value("return 1")();`, "failed"],
  ["Function through the constructor of async functions", `return Object.getPrototypeOf(Object.getPrototypeOf(async () => 1).constructor)("return 1")();`, "failed"],
  ["Reflect.construct", `${any} return Reflect.construct(g["Fun" + "ction"], ["return 1"])();`, "failed"],
  ["another constructor of functions", `Object.defineProperty(Function.prototype, "constructor", { value: 1 }); return 1;`, "failed"],
  ["WebAssembly", `${any} return typeof g.WebAssembly;`, ["result", "undefined"]],
  ["a worker", `${any} return [typeof g.Worker, typeof g.postMessage];`, ["result", ["undefined", "undefined"]]],
  ["escaped names", `await sh\\u006fp.deletePost({ id: 1 });`, "refused", ["result", null]],
  // Prototypes across the border.
  ["__proto__ in arguments", `return await shop.echo(JSON.parse('{"__proto__":{"polluted":1}}'));`, ["result", JSON.parse('{"__proto__":{"polluted":1}}')]],
  ["constructor in arguments", `return await shop.echo({ constructor: { prototype: { polluted: 1 } } });`, ["result", { constructor: { prototype: { polluted: 1 } } }]],
  ["a polluted Object", `(Object.prototype as any).polluted = 1; return await shop.getPost({ id: 1 });`, ["result", { id: 1, title: "Post 1" }], "failed"],
  ["a toJSON for all", `(Object.prototype as any).toJSON = () => ({ id: 2 }); return await shop.getPost({ id: 1 });`, ["result", { id: 2 }]],
  ["another stringify", `JSON.stringify = () => "{}"; return await shop.getPost({ id: 1 });`, ["result", { id: 1, title: "Post 1" }]],
  ["another parse", `JSON.parse = () => ({ ok: true, value: 1 }); return (await shop.getPost({ id: 1 })).id;`, ["result", 1]],
  ["another then", `Promise.prototype.then = function (this: any, f: any) { f('{"ok":true,"value":{"id":3}}'); return this; } as any; return await shop.getPost({ id: 1 });`, "failed", ["timeMs"], ["result", { id: 1, title: "Post 1" }]],
  ["another map", `Array.prototype.map = (() => ["x"]) as any; return await shop.getPost({ id: 1 });`, ["result", { id: 1, title: "Post 1" }]],
  ["another freeze and entries", `Object.freeze = ((x: any) => x) as any; Object.entries = () => []; ${any} s.getPost = 1; return 1;`, "failed"],
  ["another function of a tool", `${any} s.getPost = async () => ({ id: 5 }); return 1;`, "failed"],
  ["another server", `${any} g.shop = { getPost: 1 }; return 1;`, "failed"],
  ["a redefined server", `Object.defineProperty(globalThis, "shop", { value: 1 }); return 1;`, "failed", ["result", 1]],
  ["another ToolError", `${any} g.ToolError = class {}; return 1;`, "failed"],
  ["another Error", `${any} g.Error = class { get stack() { return "script.js:99999"; } }; return await shop.getPost({ id: 1 });`, ["result", { id: 1, title: "Post 1" }]],
  // Getters, proxies and thenables.
  ["a getter in arguments", `const a: any = { get id() { throw new Error("got"); } }; return await shop.getPost(a);`, "failed"],
  ["a getter that never ends", `const a: any = { get id() { for (;;); } }; return await shop.getPost(a);`, ["timeMs"]],
  ["a proxy as arguments", `return await shop.getPost(new Proxy({ id: 1 }, { ownKeys: () => ["id"] }));`, ["result", { id: 1, title: "Post 1" }]],
  ["a proxy as result", `return new Proxy({}, { ownKeys() { throw 1; } });`, "failed"],
  ["a thenable", `return { then(r: any) { r(7); } } as any;`, ["result", 7]],
  ["a thenable that resolves with itself", `const t: any = { then(r: any) { r(t); } }; return t;`, ["timeMs"]],
  ["a thenable that never settles", `return { then() {} } as any;`, "failed"],
  ["a toString that throws", `throw { toString() { throw 1; } };`, "failed"],
  ["an error with hostile getters", `throw Object.defineProperty(new Error(), "message", { get() { throw 1; } });`, "failed"],
  ["a symbol thrown", `throw Symbol("x");`, "failed"],
  ["nothing thrown", `throw undefined;`, "failed"],
  // Storms and loops.
  ["a loop", `for (;;);`, ["timeMs"]],
  ["a loop that catches its end", `for (;;) { try { for (;;); } catch {} }`, ["timeMs"]],
  ["a loop in finally", `try { for (;;); } finally { for (;;); }`, ["timeMs"]],
  ["an async loop", `for (;;) await null;`, ["timeMs"]],
  ["a storm of promises", `const f = (): any => Promise.resolve().then(f); await f();`, ["timeMs"], ["memoryBytes"]],
  ["promises without end", `for (;;) void Promise.resolve().then(() => {});`, "refused"],
  ["two loops of promises", `const f = (): any => Promise.all([null, null]).then(f); await Promise.all([f(), f()]);`, ["timeMs"], ["memoryBytes"]],
  ["a deep recursion", `const f = (): number => f() + 1; return f();`, "failed"],
  ["a deep async recursion", `const f = async (): Promise<number> => (await f()) + 1; return await f();`, "failed", ["memoryBytes"], ["timeMs"]],
  ["a generator without end", `for (const x of (function* () { for (;;) yield 1; })()) String(x);`, ["timeMs"]],
  ["a comparison that never ends", `return [2, 1].sort(() => { for (;;); });`, ["timeMs"]],
  ["a wait for another thread", `${any} g.Atomics.wait(new Int32Array(new g.SharedArrayBuffer(4)), 0, 0); return 1;`, "failed", ["timeMs"]],
  ["a regular expression that backtracks", `return /^(a+)+$/.test("a".repeat(50) + "b");`, ["timeMs"], "failed"],
  ["a native loop", `return "x".repeat(3e6).split("").sort().reverse().join("").length;`, ["memoryBytes"], ["timeMs"], ["result", 3e6]],
  ["a large power", `return String(2n ** (2n ** 34n)).length;`, "failed", ["memoryBytes"], ["timeMs"]],
  // Memory.
  ["a growing text", `let t = "x"; for (;;) t += t;`, "failed", ["memoryBytes"]],
  ["a growing list", `const l: number[] = []; for (;;) l.push(1);`, ["memoryBytes"], ["timeMs"]],
  ["a growing list that catches its end", `const l: any[] = []; for (;;) { try { for (;;) l.push(new Array(1e4).fill(1)); } catch {} }`, ["timeMs"], ["memoryBytes"]],
  ["a list of long texts", `const l: string[] = []; for (;;) l.push("x".repeat(1e6));`, ["memoryBytes"]],
  ["a chain of objects", `let o: any = null; for (;;) o = { o };`, ["memoryBytes"]],
  ["a large list", `return new Array(1e9).fill(0).length;`, ["memoryBytes"], "failed", ["timeMs"]],
  ["a large buffer", `return new ArrayBuffer(2 ** 31).byteLength;`, ["memoryBytes"], "failed"],
  ["a long text", `return "x".repeat(2 ** 29).length;`, ["memoryBytes"], "failed"],
  ["replaceAll", `return "x".repeat(1e6).replaceAll("x", "y".repeat(1e4)).length;`, ["memoryBytes"], "failed", ["timeMs"]],
  ["a tree of shared lists as result", `let a: any = ["x"]; for (let i = 0; i < 40; i++) a = [a, a]; return a;`, ["memoryBytes"], ["timeMs"], "failed"],
  ["a tree of shared lists as arguments", `let a: any = ["x"]; for (let i = 0; i < 40; i++) a = [a, a]; return await shop.echo({ a });`, ["memoryBytes"], ["timeMs"], "failed"],
  ["a list of four billion holes", `const a: any = []; a.length = 4294967295; return a;`, ["memoryBytes"], ["timeMs"], "failed"],
  ["a circular result", `const a: any = {}; a.a = a; return a;`, "failed"],
  ["a BigInt", `return 1n;`, "failed"],
  // Borders.
  ["a deep result", `let a: any = 1; for (let i = 0; i < 30; i++) a = [a]; return a;`, ["nesting"]],
  ["a very deep result", `let a: any = 1; for (let i = 0; i < 1e5; i++) a = [a]; return a;`, "failed", ["nesting"], ["resultBytes"], ["memoryBytes"], ["timeMs"]],
  ["deep arguments", `let a: any = 1; for (let i = 0; i < 30; i++) a = [a]; return await shop.echo({ a });`, "failed"],
  ["a large result", `return "x".repeat(3_000);`, ["resultBytes"]],
  ["large arguments", `return await shop.echo({ a: "x".repeat(30_000) });`, "failed"],
  ["a large script", `return ${JSON.stringify("x".repeat(5_000))};`, ["scriptBytes"]],
  ["many calls", `for (;;) await shop.getPost({ id: 1 });`, ["calls"]],
  ["many calls at once", `return await Promise.all(Array.from({ length: 1000 }, () => shop.getPost({ id: 1 })));`, ["calls"]],
  ["many calls that are not awaited", `${any} const all: any[] = []; for (let i = 0; i < 1e5; i++) all.push(s.getPost({ id: 1 })); return 1;`, ["calls"]],
  ["a hidden path", `${any} return await s["delete_post"]({ id: 1 });`, "failed"],
  ["inherited paths", `${any} return [typeof s.constructor, typeof s.__proto__.call];`, ["result", ["function", "undefined"]]],
  ["a type that computes", `type L<N extends number, A extends 1[] = []> = A["length"] extends N ? A : L<N, [...A, 1]>; const x: L<999> = []; return x;`, "refused", ["checkMs"], ["checkBytes"]],
  ["a type that explodes", `type D = 0|1|2|3|4|5|6|7|8|9; type X = \`\${D}\${D}\${D}\${D}\${D}\${D}\`; const x: X = "1"; return x;`, "refused", ["checkMs"], ["checkBytes"]],
]; // prettier-ignore

describe("code mode", () => {
  const attacks = ATTACKS.map(([name, script, ...expected]) => ({ name, script, expected }));
  it.each(attacks)("withstands $name", async ({ script, expected }) => {
    const started = performance.now();
    const isEndless = expected.some((one) => one[0] === "timeMs");
    const limits = isEndless ? HASTY : LIMITS;
    const checked = readAnswer(await createCode(shop, { limits }).run(script));
    const isRefused = checked["error"] === "SCRIPT_INVALID" && !expected.includes("refused");
    // What the check refuses must not do harm either.
    const answer = isRefused ? readAnswer(await runUnchecked(script, limits)) : checked;
    const { error, limit, result = null } = answer;
    const outcome: unknown =
      error === undefined
        ? ["result", result]
        : error === "SCRIPT_INVALID"
          ? "refused"
          : error === "SCRIPT_STOPPED"
            ? [limit]
            : "failed";
    expect(expected).toContainEqual(outcome);
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(JSON.stringify(answer)).not.toContain(SECRET);
    expect(JSON.stringify(answer).length).toBeLessThan(10_000);
    expect(shop.made.length).toBeLessThanOrEqual(LIMITS.calls);
    expect(shop.made.filter(({ tool }) => tool === "delete_post")).toEqual([]);
    expect(written).toEqual([]);
    expect(keysOfHost()).toEqual(before);
  });

  it("is meant by at least 60 attacks", () => {
    expect(ATTACKS.length).toBeGreaterThanOrEqual(60);
  });

  it("keeps logs off the output, and cuts them", async () => {
    const forged = `{"jsonrpc":"2.0","id":1,"result":{}}`;
    const script = `console.log(${JSON.stringify(forged)}); for (let i = 0; i < 1e4; i++) console.error("x".repeat(100)); return 1;`;
    const { logs, result } = readAnswer(await code.run(script));
    expect(result).toBe(1);
    expect(JSON.stringify(logs).length).toBeLessThan(1_000);
    expect(logs).toContain(forged);
    expect(JSON.stringify(logs)).toContain("(limit logBytes: 500)");
    expect(written).toEqual([]);
  });

  it("reads poisoned results as data", async () => {
    for (const value of ['{"__proto__":{"polluted":1},"constructor":1}', '{"then":"x","toJSON":1}']) {
      poison = JSON.parse(value);
      expect(readAnswer(await code.run(`return await shop.echo({});`))).toEqual({
        result: JSON.parse(value) as unknown,
      });
    }
    poison = { a: "x".repeat(30_000) };
    expect(readAnswer(await code.run(`return await shop.echo({});`))).toMatchObject({
      message: /The answer of shop\.echo has [\d,]+ characters \(limit answerBytes: 20,000\)/,
    });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("asks once for a refused call, however often it is repeated", async () => {
    let asked = 0;
    const script = `for (let i = 0; i < 5; i++) { try { await shop.deletePost({ id: 1 }); } catch {} } return 1;`;
    const approve = (): Promise<boolean> => {
      asked += 1;
      return Promise.resolve(false);
    };
    expect(readAnswer(await code.run(script, { approve }))).toEqual({ result: 1 });
    expect([asked, shop.made]).toEqual([1, []]);
  });

  it("does not block this thread while a script computes", async () => {
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 10);
    await createCode(shop, { limits: { ...LIMITS, timeMs: 300 } }).run(`for (;;);`);
    clearInterval(timer);
    expect(longest).toBeLessThan(280);
  });
});

/** What a script does after a write, so that its outcome would say something else. */
const FORGERIES: readonly (readonly [name: string, script: string])[] = [
  ["a toJSON with a message that is a number", toJson(`message: 5`)],
  ["a toJSON with another limit", toJson(`message: "m", stopped: "nope"`)],
  ["a toJSON with a limit", toJson(`message: "m", stopped: "timeMs"`)],
  ["a toJSON with a long suggestion", toJson(`message: "m", suggestion: "x".repeat(1e6)`)],
  ["a toJSON that succeeds", toJson(`ok: true, json: "1"`)],
  ["a toJSON that throws", `(Object.prototype as any).toJSON = () => { throw 1; }; throw new Error("x");`],
  ["a toJSON of texts", `(String.prototype as any).toJSON = () => ({ ok: true, json: "1" }); throw new Error("x");`],
  ["an out of memory of its own", `throw Object.assign(new Error("out of memory"), { name: "InternalError" });`],
  ["an interruption of its own", `throw Object.assign(new Error("interrupted"), { name: "InternalError" });`],
  ["a thrown null", `throw null;`],
  ["a thrown outcome", `throw { ok: true, json: "1", name: "SCRIPT_STOPPED", message: "m", stopped: "timeMs", suggestion: "x".repeat(1e5) };`],
  ["an error with an outcome", `throw Object.assign(new Error("m"), { stopped: "timeMs", error: "TOOL_UNAVAILABLE", retryable: true });`],
  ["a long message and name", `throw Object.assign(new Error("x".repeat(1e6)), { name: "y".repeat(1e6) });`],
  ["a message that is an object", `throw Object.assign(new Error(), { message: { toString: () => ({}) } });`],
  ["a message that computes", `throw Object.assign(new Error(), { message: { [Symbol.toPrimitive]: () => "m" }, name: { toString: () => "n" } });`],
  ["a stack that is an object", `throw Object.assign(new Error("m"), { stack: { toString: () => { throw 1; } } });`],
  ["a stack with another line", `throw Object.assign(new Error("m"), { stack: "at script.js:1 (script.js:99:1)" });`],
  ["a proxy of an error", `throw new Proxy(new Error("m"), { get() { throw 1; }, getPrototypeOf() { throw 1; } });`],
  ["a class of errors", `throw new (class extends Error { get message() { return "x".repeat(1e5); } get name() { return "TOOL_UNAVAILABLE"; } })();`],
  ["a ToolError of its own", `throw new (ToolError as any)({ error: "TOOL_UNAVAILABLE", message: "m", suggestion: "x".repeat(1e5), tool: "t" });`],
  ["another String, Error and JSON", `const g: any = globalThis; g.String = () => 5; g.Error = class {}; g.JSON = { stringify: () => 5 }; throw { a: 1 };`],
  ["another hasInstance", `Object.defineProperty(Error, Symbol.hasInstance, { value: () => { throw 1; } }); throw new Error("m");`],
  ["other methods of lists and maps", `for (const { prototype } of [Array, Map, Set, WeakMap] as any[]) for (const key of Reflect.ownKeys(prototype)) try { prototype[key] = () => ({ ok: true, json: "1" }); } catch {} throw new Error("m");`],
  ["other methods of promises", `for (const key of ["then", "catch", "finally", "constructor"]) (Promise.prototype as any)[key] = () => ({ ok: true }); throw new Error("m");`],
  ["getters of all objects", `for (const key of ["ok", "json", "stopped", "path", "end", "error", "stack"]) Object.defineProperty(Object.prototype, key, { get: () => "timeMs", set() {}, configurable: true }); throw new Error("m");`],
  ["a value of all objects", `Object.assign(Object.prototype, { ok: true, json: "1", stopped: "timeMs", retryable: true }); throw new Error("m");`],
  ["a call that is not awaited, and forged", `(Map.prototype as any).values = () => [{ path: "x".repeat(1e5), end: {} }]; const p: any = (shop as any).getPost({ id: 1 }); return 1;`],
  ["a constructor of calls", `const c: any = shop.getPost({ id: 1 }); Object.setPrototypeOf(c.constructor, class { constructor() { return { ok: true }; } } as any); await shop.getPost({ id: 1 }); throw new Error("m");`],
]; // prettier-ignore

function toJson(members: string): string {
  return `(Object.prototype as any).toJSON = function () { return { name: "Error", ${members} }; }; throw new Error("x");`;
}

describe("an outcome after a write", () => {
  it.each(FORGERIES)("is not forged by %s", async (_, script) => {
    const answer = readAnswer(await runUnchecked(`await shop.createPost({ title: "a" }); ${script}`));
    expect(answer).toMatchObject({ error: "SCRIPT_FAILED", made: ["line 1: shop.createPost"] });
    expect(Object.keys(answer).sort()).toEqual(["error", "made", "message", "suggestion"]);
    expect(answer["suggestion"]).toBe(
      'Change the script and run it again. Do not repeat the calls in "made".',
    );
    expect(JSON.stringify(answer).length).toBeLessThan(2_000);
  });

  it("names the calls that were made if the executor fails", async () => {
    const executor: CodeExecutor = {
      execute: async ({ callTool }) => {
        await callTool("shop.createPost", '{"title":"a"}', "script.js:1");
        throw new TypeError("text.slice is not a function");
      },
    };
    const answer = readAnswer(await createCode(shop, { executor }).run("return 1;"));
    expect(answer).toMatchObject({ error: "SCRIPT_FAILED", made: ["line 1: shop.createPost"] });
  });

  it("has the line of a call, whatever the functions of the script are called", async () => {
    const script = `\n\nconst o = { "script.js:1": () => shop.createPost({ title: "a" }) };\nawait o["script.js:1"]();\nthrow new Error("m");`;
    expect(readAnswer(await code.run(script))["made"]).toEqual(["line 3: shop.createPost"]);
  });

  it.each([
    [`for (const title of "abc") await shop.createPost({ title });\nthrow new Error("m");`, ["3 × shop.createPost, line 1"]],
    [`await shop.createPost({ title: "a" });\n\nawait shop.createPost({ title: "b" });\nawait shop.deletePost({ id: 1 });\nthrow new Error("m");`, ["2 × shop.createPost, lines 1 to 3", "line 4: shop.deletePost"]],
  ])("groups equal calls of %j", async (script, made) => {
    expect(readAnswer(await code.run(script))["made"]).toEqual(made);
  }); // prettier-ignore
});
