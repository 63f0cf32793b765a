import { Ajv2020 } from "ajv/dist/2020.js";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { CONSUMER_NAME, type ConsumedTool } from "../../../src/core/consumer.js";
import { getOwn, isJsonObject, type JsonValue } from "../../../src/core/json.js";
import type { Project } from "../../e2e/make-project.js";
import { exportFrom, makeConsumer, type ConsumerName } from "./make-consumer.js";

const SCHEMA: unknown = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../../docs/schemas/consumer.schema.json", import.meta.url)), "utf8"),
);

async function toolsOf(name: ConsumerName): Promise<(tool: string) => readonly string[]> {
  const project = await makeConsumer(name);
  const { servers } = await exportFrom(project, `acme-${name}`);
  const { errors } = validate(await project.read(CONSUMER_NAME));
  expect(errors).toEqual([]);
  const tools = getOwn(servers, "shop")?.tools ?? {};
  return (tool) => linesOf(getOwn(tools, tool));
}

function validate(text: string): { readonly errors: readonly unknown[] } {
  const ajv = new Ajv2020({ strict: false });
  if (!isJsonObject(SCHEMA)) throw new Error("The schema is not an object.");
  const check = ajv.compile(SCHEMA);
  return { errors: check(JSON.parse(text)) ? [] : (check.errors ?? []) };
}

/** One line for each thing that the file has about a tool. */
function linesOf(tool: ConsumedTool | undefined): readonly string[] {
  if (tool === undefined) return [];
  const marks = (rest: object): string => JSON.stringify(rest).replace(/^\{\}$/, "");
  return [
    ...tool.calls.flatMap(({ places, input, passes = [] }) => [
      `call ×${places}${input === undefined ? "" : ` ${JSON.stringify(input)}`}`,
      ...passes.map(({ path, ...rest }) => `  ${path} ${marks(rest)}`.trimEnd()),
    ]),
    ...tool.reads.map(({ path, places, ...rest }) => `read ${path} ×${places} ${marks(rest)}`.trimEnd()),
    ...(tool.unknown ?? []).map((reason) => `unknown: ${reason}`),
  ];
}

/** The paths that code reads of get-order, with `?` if anything below them may be read. */
async function readsOf(code: string): Promise<string> {
  const reads = await exportReads(code);
  return reads.map(({ path, unknown }) => (unknown === undefined ? path : `?${path}`)).join(" ");
}

/** The values that code compares properties of get-order with, by path. */
async function comparesOf(code: string): Promise<Readonly<Record<string, readonly JsonValue[]>>> {
  const reads = await exportReads(code);
  return Object.fromEntries(
    reads.flatMap(({ path, compares }) => (compares === undefined ? [] : [[path, compares] as const])),
  );
}

async function exportReads(code: string): Promise<ConsumedTool["reads"]> {
  const project = await makeConsumer("reader");
  await project.write(
    "src/page.ts",
    `import { getOrder } from "../generated/shop/index.js";
    export type Order = Awaited<ReturnType<typeof getOrder>>;
    export const one = { id: 1 };
    export const id = <T>(value: Promise<T>): Promise<T> => value;
    export const wrap = <T>(work: () => T): (() => T) => work;
    ${code}`,
  );
  const { servers } = await exportFrom(project, "acme");
  return getOwn(getOwn(servers, "shop")?.tools ?? {}, "get-order")?.reads ?? [];
}

describe("export", () => {
  it("lists what is read, through functions, destructuring, callbacks and own types", async () => {
    const tool = await toolsOf("reader");
    expect(tool("get-order")).toEqual([
      "call ×1",
      "  /id",
      "read /customer ×1",
      "read /customer/name ×1",
      "read /lines ×1",
      "read /lines/* ×1",
      "read /lines/*/quantity ×1",
      "read /lines/*/sku ×1",
      'read /status ×3 {"compares":["open","paid"]}',
      "read /total ×2",
      "read /total/cents ×2",
    ]);
    expect(tool("list-orders")).toEqual([
      'call ×1 {"status":"open","page":1}',
      "read /orders ×1",
      "read /orders/* ×1",
      'read /orders/*/status ×1 {"compares":["open","shipped"]}',
      "read /total ×1",
    ]);
    expect(tool("create-order")).toEqual([]);
  });

  it("lists what is passed, with literals, spreads and conditions", async () => {
    const tool = await toolsOf("writer");
    expect(tool("create-order")).toEqual([
      "call ×1",
      "  /customer",
      '  /customer/email {"sometimes":true}',
      "  /customer/name",
      '  /customer/vat_id {"sometimes":true}',
      "  /lines",
      "  /lines/*",
      "  /lines/*/quantity",
      "  /lines/*/sku",
      '  /note {"sometimes":true}',
      '  /priority {"values":["high","low","normal"],"sometimes":true}',
      "call ×1",
      "  /customer",
      '  /customer/name {"values":["Ada"]}',
      "  /lines",
      "  /lines/*",
      "  /lines/*/quantity",
      "  /lines/*/sku",
      '  /note {"sometimes":true}',
      '  /priority {"values":["high","normal"]}',
      "read /id ×1",
    ]);
    expect(tool("cancel-order")).toEqual([
      "call ×1",
      '   {"unknown":"passes an object with keys that its type does not name"}',
      '  /id {"values":[7]}',
      "call ×1",
      "  /id",
      '  /reason {"values":["too old"]}',
    ]);
    expect(tool("list-orders")[0]).toBe("call ×1");
  });

  it("writes as unknown what the analysis does not know", async () => {
    const tool = await toolsOf("passer");
    expect(tool("get-order")).toEqual([
      "call ×1",
      "  /id",
      'read  ×1 {"unknown":"passes it on to code that may read any of it"}',
      'read /customer ×1 {"unknown":"passes it on to code that may read any of it"}',
    ]);
    expect(tool("create-order")).toContain("unknown: is reached by a computed name");
    expect(tool("cancel-order")).toEqual(["unknown: is passed on as a function"]);
  });

  it.each([
    [
      "a call whose result may be an error",
      "const r = await getOrder.safe(one); if (r.ok) r.value.note;",
      "/note",
    ],
    ["several calls at once", "const [a] = await Promise.all([getOrder(one), 1]); a.note;", "/note"],
    [
      "a callback of a promise",
      "void getOrder(one).then((o) => o.customer.email);",
      "/customer /customer/email",
    ],
    [
      "a module that is imported later",
      'const m = await import("../generated/shop/index.js"); (await m.getOrder(one)).note;',
      "/note",
    ],
    ["a function with a type parameter", "const o = await id(getOrder(one)); o.note;", "? /note"],
    [
      "another name",
      "const f = getOrder; const { customer: c } = await f(one); c.name;",
      "/customer /customer/name",
    ],
    ["an assignment to names", "let note; ({ note } = await getOrder(one)); void note;", "/note"],
    [
      "a type of its own",
      "const o: { total: { cents: number } } = await getOrder(one); void o;",
      "/total /total/cents",
    ],
    ["parts of a type", 'const f = (p: Pick<Order, "note">) => p.note; f(await getOrder(one));', "/note"],
    [
      "items of a list",
      "const [a, ...b] = (await getOrder(one)).lines; b.at(0)?.price.cents; void a;",
      "/lines /lines/* /lines/*/price /lines/*/price/cents",
    ],
    ["the length of a list", "(await getOrder(one)).lines.length;", "/lines"],
    ["the existence of a property", '"note" in (await getOrder(one));', "/note"],
    ["a template", "console.log(`${(await getOrder(one)).note}`);", "/note"],
    ["all properties", "for (const key in await getOrder(one)) void key;", "?"],
    [
      "the rest of an object",
      "const { note, ...rest } = await getOrder(one); Object.keys(rest); void note;",
      "? /note",
    ],
    ["a cast", "(await getOrder(one)) as unknown as { foo: string };", "?"],
    [
      "an event",
      'new EventTarget().dispatchEvent(new CustomEvent("x", { detail: await getOrder(one) }));',
      "?",
    ],
  ])("finds what is read through %s", async (_what, code, reads) => {
    expect(await readsOf(code)).toBe(reads);
  });

  it.each([
    ["a function", "export async function GET() { return getOrder(one); }", "?"],
    ["a function that waits", "export async function GET() { return await getOrder(one); }", "?"],
    ["a function of a declared type", "export const GET = async (): Promise<Order> => getOrder(one);", "?"],
    ["an arrow function", "export const GET = () => getOrder(one);", "?"],
    ["a name of its own", "const load = () => getOrder(one); export { load as GET };", "?"],
    ["a default export", "export default async () => getOrder(one);", "?"],
    ["a named default export", "export default async function GET() { return getOrder(one); }", "?"],
    ["a method", "export class Api { get() { return getOrder(one); } }", "?"],
    ["a static method", "export class Api { static get() { return getOrder(one); } }", "?"],
    ["an object", "export default { fetch: () => getOrder(one) };", "?"],
    ["a wrapped function", "export const GET = wrap(() => getOrder(one));", "?"],
    [
      "a function that calls another",
      "const load = () => getOrder(one); export const GET = () => load();",
      "?",
    ],
    [
      "a function that returns a part",
      "export async function GET() { return { by: (await getOrder(one)).customer }; }",
      "?/customer",
    ],
    [
      "a function that calls itself",
      "export async function GET(n: number): Promise<Order> { return n > 0 ? GET(n - 1) : getOrder(one); }",
      "?",
    ],
    [
      "a function whose type alone is used",
      "export const GET = () => getOrder(one); export type Got = ReturnType<typeof GET>;",
      "?",
    ],
    ["nothing else", "export const load = () => getOrder(one); (await load()).note;", "/note"],
    ["nothing but a private method", "export class Api { private get() { return getOrder(one); } }", ""],
    [
      "a method that the project calls",
      "export class Api { get() { return getOrder(one); } } (await new Api().get()).note;",
      "/note",
    ],
    [
      "a function that answers with a type of its own",
      "export async function GET(): Promise<{ note?: string }> { return getOrder(one); }",
      "/note",
    ],
  ])("knows what leaves the project through %s", async (_what, code, reads) => {
    expect(await readsOf(code)).toBe(reads);
  });

  it.each([
    ["an indexed type", 'type L = Order["legacy_id"];', "/legacy_id"],
    ["a nested indexed type", 'type L = Order["customer"]["name"];', "/customer /customer/name"],
    ["an indexed type of items", 'type S = Order["lines"][number]["sku"];', "/lines /lines/* /lines/*/sku"],
    ["an optional part", 'type N = NonNullable<Order["note"]>;', "/note"],
    ["several names", 'type N = Order["note" | "id"];', "/id /note"],
    ["a name that is a type", 'type Key = "note"; type N = Order[Key];', "/note"],
    [
      "the type of the answer",
      'type N = import("../generated/shop/index.js").GetOrderOutput["note"];',
      "/note",
    ],
    ["the type of the function", 'type N = Awaited<ReturnType<typeof getOrder>>["note"];', "/note"],
    ["the type of a variable", "const o = await getOrder(one); type N = typeof o.note;", "/note"],
    ["Pick", 'type P = Pick<Order, "note" | "id">;', "/id /note"],
    ["an interface", 'interface P extends Pick<Order, "note"> { a: 1 }', "/note"],
    [
      "its own Pick",
      'type My<T, K extends keyof T> = { [P in K]: T[P] }; type N = My<Order, "note">;',
      "/note",
    ],
    ["Omit, which needs no property", 'type P = Omit<Order, "note">;', ""],
    ["all names, which need no property", "type P = Order[keyof Order] | Pick<Order, keyof Order>;", ""],
  ])("finds what types read through %s", async (_what, code, reads) => {
    expect(await readsOf(code)).toBe(reads);
  });

  it.each([
    ["a record", 'const t: Record<Order["status"], number> = { open: 1, paid: 2, shipped: 3 };'],
    [
      "a record of a named type",
      'type Status = Order["status"]; const t = { open: 1, paid: 2, shipped: 3 } satisfies Record<Status, 1 | 2 | 3>;',
    ],
    [
      "a part of a record",
      'const t: Partial<Record<Order["status"], 1>> = { "open": 1, paid: 1, shipped: 1 };',
    ],
    [
      "a mapped type",
      'const t: { [K in Order["status"]]: string } = { open: "a", paid: "b", shipped: "c" };',
    ],
    [
      "a parameter of the type",
      'type S = Order["status"]; const f = (s: S) => s === "open" || s === "paid" || s === "shipped";',
    ],
  ])("finds the values that %s names", async (_what, code) => {
    expect(await comparesOf(code)).toEqual({ "/status": ["open", "paid", "shipped"] });
  });

  it.each([
    ["a loop", 'for (const t of o.tags) if (t === "vip") void t;'],
    ["a loop over what may be absent", 'for (const t of o.extra ?? []) if (t === "vip") void t;', "/extra/*"],
    ["a loop over a variable", 'const { tags } = o; for (const t of tags) if (t === "vip") void t;'],
    ["includes", 'o.tags.includes("vip");'],
    ["includes of what may be absent", 'o.extra?.includes("vip");', "/extra/*"],
    ["includes of a variable", 'const tags = o.tags; tags.includes("vip");'],
    ["indexOf", 'o.tags.indexOf("vip");'],
    ["a callback", 'o.tags.some((t) => t === "vip");'],
    ["a callback with another name", 'o.tags.filter(function (t) { return "vip" === t; });'],
    ["an index", 'o.tags[0] === "vip";'],
    ["at", 'o.tags.at(-1) === "vip";'],
    ["destructuring", 'const [, t] = o.tags; t === "vip";'],
    ["lists in lists", 'for (const l of o.rows) for (const t of l) if (t === "vip") void t;', "/rows/*/*"],
    ["lists in lists by callbacks", 'o.rows.some((l) => l.includes("vip"));', "/rows/*/*"],
  ])("finds the values that items are compared with in %s", async (_what, code, path = "/tags/*") => {
    const tags = { type: "array", items: { type: "string" } };
    const outputSchema = {
      type: "object",
      properties: { tags, extra: tags, rows: { type: "array", items: tags } },
      required: ["tags", "rows"],
    };
    const tools = [{ name: "get-order", inputSchema: { type: "object" }, outputSchema }];
    const project = await makeConsumer("reader", {}, JSON.stringify({ tools }));
    await project.write(
      "src/page.ts",
      `import { getOrder } from "../generated/shop/index.js"; const o = await getOrder({}); ${code}`,
    );
    const { servers } = await exportFrom(project, "acme");
    const reads = getOwn(getOwn(servers, "shop")?.tools ?? {}, "get-order")?.reads ?? [];
    expect(reads.filter(({ compares }) => compares !== undefined)).toEqual([
      { path, places: expect.any(Number) as number, compares: ["vip"] },
    ]);
  });

  it("does not take a part of a text for an item", async () => {
    expect(await comparesOf('(await getOrder(one)).legacy_id.includes("a");')).toEqual({});
  });

  it("follows answers of exported functions into other files", async () => {
    const project = await makeConsumer("reader");
    await project.write(
      "src/load.ts",
      `import { getOrder, listOrders } from "../generated/shop/index.js";
      export default async function load(id: number) { return getOrder({ id }); }
      export const list = () => listOrders();`,
    );
    await project.write("src/index.ts", 'export { default as load, list } from "./load.js";');
    await project.write("src/page.ts", 'import { load } from "./index.js"; void (await load(1)).note;');
    const { servers } = await exportFrom(project, "acme");
    const tools = getOwn(servers, "shop")?.tools ?? {};
    expect(getOwn(tools, "get-order")?.reads).toEqual([{ path: "/note", places: 1 }]);
    expect(getOwn(tools, "list-orders")?.reads).toEqual([
      { path: "", places: 1, unknown: "returns it from an export that no code of the project calls" },
    ]);
  });

  it.each([
    ["bind", "getOrder.bind(undefined);"],
    ["call", "void getOrder.call(undefined, { id: 1 });"],
    ["safe without a call", "const f = getOrder.safe; void f({ id: 1 });"],
    ["a list of tools", "export const tools = [getOrder];"],
    ["a property", "export const tools = { getOrder };"],
  ])("writes a tool as unknown that is used by %s", async (_what, code) => {
    const project = await makeConsumer("reader");
    await project.write("src/page.ts", `import { getOrder } from "../generated/shop/index.js"; ${code}`);
    const { servers } = await exportFrom(project, "acme");
    expect(getOwn(getOwn(servers, "shop")?.tools ?? {}, "get-order")?.unknown).toEqual([
      "is passed on as a function",
    ]);
  });

  it("writes no secrets, no long texts and no paths", async () => {
    const project = await makeConsumer("reader");
    const token = "ghp_0123456789abcdefghijABCDEFGHIJ";
    await project.write(
      "src/secret.ts",
      `import { cancelOrder } from "../generated/shop/index.js";
      void cancelOrder({ id: 1, reason: "${token}" });
      void cancelOrder({ id: 2, reason: "${"long ".repeat(40)}" });`,
    );
    await exportFrom(project, "acme");
    const text = await project.read(CONSUMER_NAME);
    expect(text).not.toContain(token);
    expect(text).not.toContain("long long");
    expect(text).not.toContain("src/");
    await project.run(["export", "--consumer", "acme", "--paths"]);
    expect(await project.read(CONSUMER_NAME)).toContain('"src/secret.ts"');
  });
});

describe("export --check", () => {
  const check = async (project: Project): Promise<readonly unknown[]> => {
    const { exitCode, document } = await project.runJson(["export", "--consumer", "acme", "--check"]);
    return [exitCode, document["status"]];
  };

  it("reports a missing and a stale file, and writes neither", async () => {
    const project = await makeConsumer("reader");
    expect(await check(project)).toEqual([1, "missing"]);
    await exportFrom(project, "acme");
    const text = await project.read(CONSUMER_NAME);
    expect(await check(project)).toEqual([0, "unchanged"]);
    await project.write("src/page.ts", "export {};");
    expect(await check(project)).toEqual([1, "stale"]);
    expect(await project.read(CONSUMER_NAME)).toBe(text);
  });

  it("takes the name from package.json, and refuses one that cannot go to a report", async () => {
    const project = await makeConsumer("reader");
    expect((await project.run(["export"])).stderr).toContain("Missing --consumer <name>");
    await project.write("package.json", '{ "name": "@acme/web", "type": "module" }');
    expect((await project.run(["export"])).stdout).toContain("What @acme/web uses:");
    await exportFrom(project, "acme-shop");
    const kept = await project.run(["export", "--check"]);
    expect([kept.exitCode, kept.stdout]).toEqual([0, expect.stringContaining("What acme-shop uses:")]);
    const { exitCode, stderr } = await project.run(["export", "--consumer", "a\u001b[31mb"]);
    expect(exitCode).toBe(2);
    expect(stderr).not.toContain("\u001b[31m");
  });
});
