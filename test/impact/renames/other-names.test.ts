/** Names that `fix` does not edit, since no type says what they mean: a person looks at them. */
import { expect, it } from "vitest";
import type { ToolSnapshot } from "../../../src/core/snapshot.js";
import { renameCode } from "./rename-code.js";

const TIME = { timeout: 60_000 };

interface Names {
  readonly tool: string;
  readonly state: string;
  readonly paid: string;
}

const OLD: Names = { tool: "get_order", state: "state", paid: "PAID" };

function toolOf({ tool, state: key, paid }: Names): ToolSnapshot {
  const state = { type: "string", enum: ["open", paid] };
  return {
    name: tool,
    description: "Returns an order with its lines.",
    inputSchema: { type: "object", properties: { id: { type: "integer" }, [key]: state }, required: ["id"] },
    outputSchema: {
      type: "object",
      properties: { id: { type: "integer" }, [key]: state, past: { type: "array", items: state } },
      required: ["id", key, "past"],
    },
  };
}

/** The lines that are listed after names of the tool `get_order` changed, and those that are marked with `// <-`. */
async function list(files: Readonly<Record<string, string>>, now: Names, renames: readonly string[]) {
  const bill = toolOf({ ...OLD, tool: "get_bill" });
  const found = await renameCode({
    before: [toolOf(OLD), bill],
    after: [toolOf(now), bill],
    files: Object.fromEntries(
      Object.entries(files).map(([path, text]) => [path, text.replaceAll(" // <-", "")]),
    ),
    renames,
  });
  const marked = Object.entries(files).flatMap(([path, text]) =>
    text.split("\n").flatMap((line, index) => (line.endsWith(" // <-") ? [`${path}:${index + 1}`] : [])),
  );
  return { ...found, marked };
}

const VALUES = [{ ...OLD, paid: "paid" }, ["get_order.state:PAID=paid", "get_order.past:PAID=paid"]] as const;

it(
  "lists literals of type string and keys of tables, and none that a type or another tool explains",
  TIME,
  async () => {
    const files = {
      "src/app.ts": `import { getBill, getOrder } from "../generated/shop/index.js";
import type { GetBillOutput, GetOrderOutput } from "../generated/shop/index.js";
import { labels, label as labelOf } from "./labels.js";
export type Active = Exclude<GetOrderOutput["state"], "PAID">; // <-
const order = await getOrder({ id: 1, state: "PAID" });
let state: string = "unknown";
state = order.state;
console.log(state === "PAID", labelOf(state), labels[state]); // <-
const find = (wanted: string) => getOrder({ id: 1, state: wanted as "open" });
await find("PAID"); // <-
const past: string[] = order.past;
console.log(past.filter((one) => one !== "PAID").length); // <-
const counts: Record<string, number> = {};
console.log(counts["PAID"]); // <-
console.log(counts.PAID); // <-

// These are not states of an order.
const bill = await getBill({ id: 1, state: "PAID" });
const other: string = bill.state;
console.log(other === "PAID", bill.past.includes("PAID"), bill.state === "PAID");
switch (bill.state) {
  case "PAID":
    break;
}
export const kept: GetBillOutput = { id: 1, state: "PAID", past: ["PAID"] };
`,
      "src/labels.ts": `export const labels: Record<string, string> = {
  PAID: "Paid", // <-
  open: "Open",
};
export function label(state: string): string {
  return state === "PAID" ? "Paid" : "Open"; // <-
}
`,
      // What the TypeScript project leaves out is a project of its own, which shares the file.
      "test/app.ts": 'import "../src/app.js";\n',
    };
    const { places, marked, left } = await list(files, ...VALUES);
    expect(places).toEqual(marked);
    expect(left[1]).toBe(
      'src/app.ts:8 also names `PAID`, renamed to `paid`: console.log(state === "PAID", labelOf(state), labels[state]);',
    );
  },
);

/** The assertions of test runners, without their packages. */
const ASSERTIONS = `interface Assertion {
  toBe(expected: unknown): void;
  toEqual<T>(expected: T): void;
  toMatchObject<T extends object | unknown[]>(expected: T): void;
  toHaveProperty(name: string, value?: unknown): void;
}
declare function expect(value: unknown): Assertion;
declare const vi: { mock(path: string, factory: () => object): void };
`;

it("lists values in assertions, in mocked answers and in what a schema parses", TIME, async () => {
  const code = `import { getOrder, GetOrderInput } from "../generated/shop/index.js";
${ASSERTIONS}
const order = await getOrder({ id: 1 });
expect(order.state).toBe("PAID"); // <-
expect(order).toMatchObject({ id: 1, state: "PAID" }); // <-
expect([order]).toEqual([{ id: 1, state: "open", past: ["PAID"] }]); // <-
console.log(GetOrderInput.parse({ id: 1, state: "PAID" })); // <-
vi.mock("../generated/shop/index.js", () => ({
  getOrder: async () => ({ id: 1, state: "PAID", past: [] }), // <-
}));
`;
  const { places, marked, files } = await list({ "src/app.ts": code }, ...VALUES);
  expect(places).toEqual(marked);
  expect(files["src/app.ts"]).toBe(code.replaceAll(" // <-", ""));
});

it(
  "lists properties of values whose type is hidden, in texts, and in types of the user's own",
  TIME,
  async () => {
    const files = {
      "src/app.ts": `import { getBill, getOrder, type GetBillInput, type GetOrderInput } from "../generated/shop/index.js";
import { open } from "./open.js";
${ASSERTIONS}
const order: Record<string, any> = await getOrder({ id: 1 });
console.log(order["state"], open({ order })); // <-
const loose = (await getOrder({ id: 1 })) as any;
const { state, id } = loose; // <-
console.log(state, id, loose.lines[0]?.state); // <-
const typed = await getOrder({ id: 1 });
console.log(Object.keys(typed).includes("state")); // <-
expect(typed).toHaveProperty("state", "open"); // <-
expect(typed).toEqual({ id: 1, state: "open", past: [] }); // <-
export const find = (args: any) => {
  args.state = "open"; // <-
  return getOrder(args);
};
const logged = <I extends GetOrderInput>(input: I) => getOrder(input);
await logged({ id: 1, state: "open" }); // <-
interface Mine {
  readonly id: number;
  readonly state?: string; // <-
}
const mine: Mine = await getOrder({ id: 1 });
console.log(mine.state);
vi.mock("../generated/shop/index.js", () => ({
  getOrder: () => ({ id: 1, state: "open", past: [] }), // <-
}));

// Nothing of these is a state of an order.
const bill = await getBill({ id: 1, state: "open" });
const own = { state: 1 };
export type Rest = Omit<GetBillInput, "state">;
export const has = (input: GetBillInput) => "state" in input;
console.log(bill.state, own.state);
`,
      "src/open.ts": `export function open({ order }: { order: any }): string {
  return order.state; // <-
}
`,
    };
    const { places, marked } = await list(files, { ...OLD, state: "status" }, ["get_order.state=status"]);
    expect(places).toEqual(marked);
  },
);

it("lists no name of a tool that the code does not use", TIME, async () => {
  const code = `import { getBill } from "../generated/shop/index.js";
const bill: any = await getBill({ id: 1 });
console.log(bill.state, "state");
`;
  const { left } = await list({ "src/app.ts": code }, { ...OLD, state: "status" }, [
    "get_order.state=status",
  ]);
  expect(left).toEqual([]);
});

it("lists names of tools in texts, also of code that uses no generated module", TIME, async () => {
  const code = `import * as shop from "../generated/shop/index.js";
export const policy = {
  allow: [{ names: ["shop__get_order", "mcp__shop__get_order"] }], // <-
  annotations: { shop__get_order: { readOnlyHint: true }, my_shop__get_order: {} }, // <-
};
export const prompt = (id: number) => \`Call shop__get_order with \${id}, or get_order_lines.\`; // <-
export const named = ["shop/get_order", "get_order2", "shop/get_bill"]; // <-
export const run = (name: string) => (name === "get_order" ? shop : undefined); // <-
// get_order stays in comments.
`;
  const files = {
    "src/app.ts": code,
    "src/other.ts": 'export const policy = { tool: "shop__get_order" }; // <-\n',
  };
  const { places, marked, left } = await list(files, { ...OLD, tool: "fetch_order" }, [
    "get_order=fetch_order",
  ]);
  expect(places).toEqual(marked);
  expect(left.at(-1)).toBe(
    'src/other.ts:1 also names `get_order`, renamed to `fetch_order`: export const policy = { tool: "shop__get_order" };',
  );
});

it("lists a tool of one word only with its server, or where a property names tools", TIME, async () => {
  const code = `import "../generated/shop/index.js";
export const named = [{ tool: "search" }, { tools: ["search"] }, { text: "search" }, "shop__search"];
export const text = "Please search.";
`;
  const { left } = await renameCode({
    before: [toolOf({ ...OLD, tool: "search" })],
    after: [toolOf({ ...OLD, tool: "find" })],
    files: { "src/app.ts": code },
    renames: ["search=find"],
  });
  expect(left.map((one) => one.split(" ")[0])).toEqual(["src/app.ts:2"]);
});
