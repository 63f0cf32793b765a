/** Renames in code: what the language service edits, byte for byte, and what is listed instead. */
import { describe, expect, it } from "vitest";
import type { ToolSnapshot } from "../../../src/core/snapshot.js";
import { renameCode } from "./rename-code.js";

interface Names {
  readonly tool: string;
  readonly limit: string;
  readonly total: string;
}

const OLD: Names = { tool: "get_order", limit: "limit", total: "total" };

function toolOf({ tool, limit, total }: Names): ToolSnapshot {
  const properties = { id: { type: "integer" } };
  return {
    name: tool,
    description: "Returns an order with its lines.",
    inputSchema: { type: "object", properties: { ...properties, [limit]: { type: "integer" } } },
    outputSchema: { type: "object", properties: { ...properties, [total]: { type: "number" } } },
  };
}

const BILL = toolOf({ ...OLD, tool: "get_bill" });

/** The files after the renames of a tool's names, and the lines that are left. */
function rename(files: Readonly<Record<string, string>>, now: Partial<Names>) {
  const { tool = OLD.tool, limit = OLD.limit, total = OLD.total } = now;
  const renames = [`get_order=${tool}`, `${tool}.limit=${limit}`, `${tool}.total=${total}`];
  return renameCode({
    before: [toolOf(OLD), BILL],
    after: [toolOf({ tool, limit, total }), BILL],
    files,
    renames: renames.filter((name) => !/\b(\w+)=\1$/.test(name)),
  });
}

/** Expects that files come out as with the new names, and that nothing is left. */
async function expectRenamed<Words>(
  filesOf: (words: Words) => Readonly<Record<string, string>>,
  [before, after]: readonly [Words, Words],
  now: Partial<Names>,
): Promise<void> {
  const { files, left } = await rename(filesOf(before), now);
  expect(files).toEqual(filesOf(after));
  expect(left).toEqual([]);
}

const TOOL = [
  { wrapper: "getOrder", type: "GetOrder", file: "get-order" },
  { wrapper: "fetchOrder", type: "FetchOrder", file: "fetch-order" },
] as const;

describe("a renamed tool", () => {
  it("is renamed in imports, calls, members, types and re-exports, and keeps names of the user's own", async () => {
    const filesOf = ({ wrapper, type, file }: (typeof TOOL)[number]) => ({
      "src/tools.ts": `export { ${wrapper} as loadOrder } from "../generated/shop/index.js";
export type { ${type}Input, ${type}Output as Order } from "../generated/shop/${file}.js";
export * as again from "../generated/shop/${file}.js";
`,
      "src/app.ts": `import { loadOrder, type ${type}Input, type Order } from "./tools.js";
import { connect, ${wrapper}, ${type}Output, getBill, type Tools } from "../generated/shop/index.js";
import * as shop from "../generated/shop/index.js";
import { ${wrapper} as call } from "../generated/shop/${file}.js";
/** Loads an order by its {@link ${type}Input | input}.   White space stays. */
export const load = async (input: ${type}Input): Promise<Order> => loadOrder(input);
export const calls = [${wrapper}.safe({}), shop.${wrapper}({}), connect().${wrapper}({}), call({}), ${type}Output];
export const lazy = async () => (await import("../generated/shop/${file}.js")).${wrapper}({});
const use = (tools?: Partial<Tools>) => tools;
export const tools = use({ ${wrapper}, getBill });
const own: Record<string, unknown> = { ${wrapper === "getOrder" ? wrapper : `getOrder: ${wrapper}`}, getBill };
const unrelated = { getOrder: 1, GetOrderInput: 2 };
export const kept = [own, unrelated.getOrder];
`,
    });
    await expectRenamed(filesOf, TOOL, { tool: "fetch_order" });
  });

  it("is renamed in JavaScript, in declarations, and in files outside of the TypeScript project", async () => {
    const filesOf = ({ wrapper, type, file }: (typeof TOOL)[number]) => ({
      "src/app.ts": 'import "../generated/shop/index.js";\nexport const id = window.input.id;\n',
      "src/globals.d.ts": `import type { ${type}Input } from "../generated/shop/${file}.js";
declare global {
  interface Window {
    input: ${type}Input;
    order: typeof import("../generated/shop/${file}.js").${wrapper};
  }
}
`,
      "scripts/run.mjs": `/** @import { ${type}Input } from "../generated/shop/index.js" */
import { ${wrapper} } from "../generated/shop/${file}.js";
/** @type {${type}Input} */
const input = { id: 1 };
/** @param {import("../generated/shop/index.js").${type}Output} order */
const idOf = (order) => order.id;
console.log(idOf(await ${wrapper}(input)));
`,
      "test/app.test.ts": `import { ${wrapper} } from "../generated/shop/index.js";\r\nvoid ${wrapper}({});\r\n`,
    });
    await expectRenamed(filesOf, TOOL, { tool: "fetch_order" });
  });

  it("keeps its name where another has the new one, and what does not compile is listed", async () => {
    const code = `import { getOrder, type GetOrderInput } from "../generated/shop/index.js";
export const order = await getOrder({} satisfies GetOrderInput);
export const old: string = 1;
export const page = await fetch("https://example.com");
`;
    const { files, left } = await rename({ "src/app.ts": code }, { tool: "fetch" });
    expect(files["src/app.ts"]).toBe(code.replaceAll("GetOrderInput", "FetchInput"));
    expect(left).toEqual([expect.stringMatching(/^src\/app\.ts:1 .* no exported member 'getOrder'/)]);
    const member = code.replace("fetch(", "globalThis.fetch(");
    const second = await rename({ "src/app.ts": member }, { tool: "fetch" });
    expect(second.files["src/app.ts"]).toBe(
      member.replaceAll("getOrder", "fetch").replaceAll("GetOrder", "Fetch"),
    );
    expect(second.left).toEqual([]);
  });
});

interface Keys {
  /** As keys, after `order` and in quotes; and a prefix for `{ limit }`. */
  readonly limit: string;
  readonly total: string;
  readonly read: string;
  readonly text: string;
  readonly short: (key: string, name: string) => string;
}

const keysOf = (limit: string, total: string, isPlain: boolean): Keys => ({
  limit: isPlain ? limit : JSON.stringify(limit),
  total: isPlain ? total : JSON.stringify(total),
  read: isPlain ? `.${total}` : `[${JSON.stringify(total)}]`,
  text: JSON.stringify(total).slice(1, -1),
  short: (key, name) => (key === name ? name : `${key}: ${name}`),
});

const PROPERTIES = ({ limit, total, read, text, short }: Keys) => ({
  "src/app.ts": `import { getBill, getOrder, type GetOrderInput } from "../generated/shop/index.js";
const order = await getOrder({ id: 1, ${limit}: 2 });
const { ${short(total, "total")} } = order;
const { ${total}: sum = 1 } = order;
const call = (limit: number) => getOrder({ id: 1, ${short(limit, "limit")} });
const args: GetOrderInput = { ${limit}: 4 };
export class Own implements GetOrderInput {
  ${limit} = 2;
}
class Got implements GetOrderInput {
  get ${limit}() {
    return 3;
  }
}
export const all = [total, sum, call(1), args, getOrder(new Got()), order["${text}"], order?.${read.replace(/^\./, "")}];
export const lined = order /* in euros */
  // before tax
  ${read};
// The other tool has these properties as well: limit, total.
export const bill = (await getBill({ limit: 3 })).total;
`,
});

describe("a renamed property", () => {
  it.each([
    ["an identifier", { limit: "max_lines", total: "amount" }, true],
    ["a text that needs quotes", { limit: 'max"]}; evil(); [{"', total: "a-mount" }, false],
    ["a name that every object has", { limit: "toString", total: "constructor" }, true],
  ])("is renamed in keys, reads, variables and classes: to %s", async (_, now, isPlain) => {
    const keys = [keysOf("limit", "total", true), keysOf(now.limit, now.total, isPlain)] as const;
    await expectRenamed(PROPERTIES, keys, now);
  });

  it("is renamed in shared definitions, and no other of that name", async () => {
    const sharedTool = (zip: string): ToolSnapshot => {
      const address = { type: "object", properties: { [zip]: { type: "string" }, city: { type: "string" } } };
      const to = { $ref: "#/$defs/address" };
      const other = { type: "object", properties: { zip: { type: "string" } } };
      return {
        name: "get_order",
        inputSchema: { type: "object", properties: { to }, $defs: { address } },
        outputSchema: {
          type: "object",
          properties: { customer: to, old: { type: "array", items: to }, other: { $ref: "#/$defs/other" } },
          required: ["customer", "old", "other"],
          $defs: { address: { ...address, required: [zip] }, other },
        },
      };
    };
    const code = (zip: string): string => `import { getOrder } from "../generated/shop/index.js";
const { customer, old, other } = await getOrder({ to: { ${zip}: "4000" } });
export const all = [customer.${zip}, old.map((one) => one["${zip}"]), other.zip];
`;
    const { files, left } = await renameCode({
      before: [sharedTool("zip")],
      after: [sharedTool("postcode")],
      files: { "src/app.ts": code("zip") },
      renames: ["get_order.zip=postcode"],
    });
    expect([files["src/app.ts"], left]).toEqual([code("postcode"), []]);
  });

  it("is listed where no type checks it: texts, reads of any, objects without a type", async () => {
    const code = `import { getBill, getOrder, type GetBillInput, type GetOrderInput } from "../generated/shop/index.js";
import { other } from "./other.js";
const defaults = { limit: 5 }; // <-
await getOrder({ ...defaults, id: 1 });
const loose = (await getOrder({ id: 1 })) as any;
const { total } = loose; // <-
console.log(total, loose.total, loose["total"]); // <-
export type Rest = Omit<GetOrderInput, "limit">; // <-
export const has = (input: GetOrderInput) => "limit" in input; // <-
interface Mine {
  readonly id?: number;
  readonly total?: number; // <-
}
const mine: Mine = await getOrder({ id: 1 });

// The compiler knows whose these are.
const limit = 3;
const bill = await getBill({ id: 1, limit });
export const rest: GetBillInput = { limit: mine.total ?? bill.total };
export const known = (limit: number) => [other, limit, defaults.limit];
`;
    const marked = code.split("\n").flatMap((line, index) => (line.endsWith("// <-") ? [index + 1] : []));
    const { files, left } = await rename(
      { "src/app.ts": code, "src/other.ts": 'export const other = { total: 1, limit: "limit" };\n' },
      { limit: "max_lines", total: "amount" },
    );
    expect(files["src/app.ts"]).toBe(code);
    const lines = [...new Set(left.map((one) => one.split(" ")[0]))];
    expect(lines).toEqual(marked.map((line) => `src/app.ts:${line}`));
    expect(left[0]).toBe("src/app.ts:3 names `limit`, renamed to `max_lines`");
  });
});
