/** `mcp-codegen fix` on what only the way of values through variables and functions shows to be a renamed name. */
import { expect, it } from "vitest";
import type { Leftover } from "../../src/impact/renames/find-leftovers.js";
import { makeChangedProject } from "./changed-project.js";

const TIME = { timeout: 120_000 };

interface Names {
  readonly state: string;
  readonly paid: string;
}

const OLD: Names = { state: "state", paid: "PAID" };

function toolOf(name: string, { state: key, paid }: Names): object {
  const state = { type: "string", enum: ["open", paid] };
  return {
    name,
    description: "Returns an order with its lines.",
    inputSchema: { type: "object", properties: { id: { type: "integer" }, [key]: state }, required: ["id"] },
    outputSchema: {
      type: "object",
      properties: { id: { type: "integer" }, [key]: state, past: { type: "array", items: state } },
      required: ["id", key, "past"],
    },
  };
}

/** Runs `fix` after names of the tool `get_order` changed, and returns the lines that it lists, and the edited first file. */
async function list(files: Readonly<Record<string, string>>, now: Names, renames: readonly string[]) {
  const project = await makeChangedProject({
    before: [toolOf("get_order", OLD), toolOf("get_bill", OLD)],
    after: [toolOf("get_order", now), toolOf("get_bill", OLD)],
    files: Object.fromEntries(
      Object.entries(files).map(([path, text]) => [path, text.replaceAll(" // <-", "")]),
    ),
  });
  const named = renames.flatMap((name) => ["--rename", `shop/get_order.${name}`]);
  const { document } = await project.runJson(["fix", "--write", ...named]);
  const left = document["left"] as readonly Leftover[];
  const places = [...new Set(left.map(({ file, line }) => `${file}:${line}`))];
  const [path = ""] = Object.keys(files);
  return { places, left, text: await project.read(path) };
}

const VALUES = [{ ...OLD, paid: "paid" }, ["state:PAID=paid", "past:PAID=paid"]] as const;

/** The lines that are marked. */
function marked(files: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(files).flatMap(([path, text]) =>
    text.split("\n").flatMap((line, index) => (line.endsWith(" // <-") ? [`${path}:${index + 1}`] : [])),
  );
}

it("lists literals that meet a result through variables, functions, lists and own types", TIME, async () => {
  const files = {
    "src/app.ts": `import { getBill, getOrder } from "../generated/shop/index.js";
import { colors, done, label as labelOf, labels, same } from "./labels.js";

interface Row {
  readonly state: string;
}
const order = await getOrder({ id: 1 });
let state: string = "unknown";
state = order.state;
if (state === "PAID") console.log(labelOf(state), labels[state]); // <-
console.log(colors.get(order.state), done.has(\`\${order.state}\`));
const row: Row = { state: order.state };
const whole: Row = order;
switch (row.state) {
  case "PAID": // <-
    break;
}
export const isPaid = (one: Row) => one.state === "PAID"; // <-
console.log(isPaid(row), isPaid(whole));
async function load(): Promise<string> {
  const { state: loaded } = await getOrder({ id: 2 });
  return loaded;
}
console.log((await load()) === "PAID"); // <-
console.log(same(order.state) === "PAID"); // <-
const wanted: string = "PAID"; // <-
console.log(order.state === wanted);
const paid: string[] = [];
paid.push("PAID"); // <-
console.log(paid.includes(order.state));
const past: string[] = order.past;
console.log(past.filter((one) => one !== "PAID").length); // <-
for (const one of past) console.log(one === "PAID"); // <-
const counts: Record<string, number> = {};
counts[order.state] = 1;
console.log(counts["PAID"], counts.open); // <-
console.log(counts.PAID); // <-
if (order.state === "PAID") console.log(counts);

// Nothing of these is a state of an order.
const bill = await getBill({ id: 1 });
const other: string = bill.state;
console.log(other === "PAID", "PAID", { PAID: 1 }, String(row) === "PAID");
`,
    "src/labels.ts": `export const labels: Record<string, string> = {
  PAID: "Paid", // <-
  open: "PAID",
};
export function label(state: string): string {
  return state === "PAID" ? "Paid" : "Open"; // <-
}
export const same = (text: string): string => text;
export const colors = new Map([
  ["PAID", "green"], // <-
  ["open", "PAID"],
]);
export const done = new Set<string>(["PAID"]); // <-
export const unused: Record<string, string> = { PAID: "Paid" };
`,
    // What the TypeScript project leaves out is a project of its own, which shares the file.
    "test/app.ts": 'import "../src/app.js";\n',
  };
  const { places, left } = await list(files, ...VALUES);
  expect(places).toEqual(marked(files));
  const [first] = left;
  expect(first?.message).toBe('"PAID" may be a value of `state`, renamed to "paid"');
});

it("lists literals that reach an argument through what hides their type", TIME, async () => {
  const files = {
    "src/app.ts": `import { getBill, getOrder, GetBillInput, GetOrderInput } from "../generated/shop/index.js";
import type { GetBillOutput, GetOrderOutput } from "../generated/shop/index.js";
export type Active = Exclude<GetOrderOutput["state"], "PAID">; // <-
export type Done = Extract<NonNullable<GetOrderInput["state"]>, "PAID" | "unknown">; // <-
export type Text = Exclude<"PAID" | "open" | "other", "PAID">;
const shared = { id: 1, state: "PAID" }; // <-
console.log(GetOrderInput.safeParse(shared), GetBillInput.safeParse(shared));
const find = (state: string) => getOrder({ id: 1, state: state as GetOrderInput["state"] });
await find("PAID"); // <-
const bills = (state: string) => getBill({ id: 1, state: state as GetBillInput["state"] });
await bills("PAID");
`,
  };
  const { places } = await list(files, ...VALUES);
  expect(places).toEqual(marked(files));
});

it("lists literals that meet a result in a component's properties", TIME, async () => {
  const files = {
    "src/app.tsx": `import { getOrder } from "../generated/shop/index.js";

declare global {
  namespace JSX {
    type Element = string;
    interface ElementAttributesProperty {
      props: unknown;
    }
  }
}
declare const h: (component: unknown, properties: unknown) => string;
const Badge = ({ state, is }: { state: string; is: string }): string => (state === "PAID" ? is : state); // <-
const Plain = ({ state }: { state: string }): string => (state === "PAID" ? "Paid" : state);
const order = await getOrder({ id: 1 });
console.log(h, <Badge state={order.state} is="PAID" />, <Plain state="open" />);
`,
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        ...{ module: "nodenext", target: "es2023", strict: true, skipLibCheck: true },
        ...{ types: [], lib: ["es2023", "dom"], jsx: "react", jsxFactory: "h" },
      },
      include: ["src"],
    }),
  };
  const { places } = await list(files, ...VALUES);
  expect(places).toEqual(marked(files));
});

/** The assertions of test runners, without their packages. */
const ASSERTIONS = `interface Assertion {
  readonly not: Assertion;
  toBe(expected: unknown): void;
  toEqual<T>(expected: T): void;
  toMatchObject<T extends object | unknown[]>(expected: T): void;
  toHaveProperty(name: string, value?: unknown): void;
  toHaveBeenCalledWith(...given: readonly unknown[]): void;
}
declare function expect(value: unknown): Assertion;
declare const assert: { equal(actual: unknown, expected: unknown): void };
declare const vi: { mock(path: string, factory: () => object): void; fn<T extends (...given: any[]) => any>(work: T): T };
`;

it("edits what assertions compare a value with, and lists what has no type there", TIME, async () => {
  const code = (paid: string): string => `import { getBill, getOrder } from "../generated/shop/index.js";
${ASSERTIONS}
const order = await getOrder({ id: 1 });
expect(order.state).not.toBe("${paid}");
assert.equal(order.state, "${paid}");
expect(order).toMatchObject({ id: 1, state: "PAID" }); // <-
expect([order]).toEqual([{ id: 1, state: "open", past: ["PAID"] }]); // <-
expect(getOrder).toHaveBeenCalledWith({ state: "PAID" }); // <-
vi.mock("../generated/shop/index.js", () => ({
  getOrder: vi.fn(async () => ({ id: 1, state: "PAID", past: [] })), // <-
  getBill: vi.fn(async () => ({ id: 1, state: "PAID", past: [] })),
}));
expect(await getBill({ id: 1 })).toEqual({ id: 1, state: "PAID", past: ["PAID"] });
expect("PAID").toBe("PAID");
`;
  const files = { "src/app.ts": code("PAID") };
  const { places, text } = await list(files, ...VALUES);
  expect(places).toEqual(marked(files));
  expect(text).toBe(code("paid").replaceAll(" // <-", ""));
});

it("lists properties of results and arguments whose types code hides", TIME, async () => {
  const files = {
    "src/app.ts": `import { getBill, getOrder, type GetBillInput, type GetOrderInput } from "../generated/shop/index.js";
import { open } from "./open.js";
${ASSERTIONS}
const order: Record<string, any> = await getOrder({ id: 1 });
console.log(order["state"], open({ order }), { state: 1 }); // <-
const loose = (await getOrder({ id: 1 })) as any;
const { state, id } = loose; // <-
const bill: Record<string, any> = await getBill({ id: 1 });
console.log(state, id, bill["state"], loose.lines[0]?.state); // <-

const typed = await getOrder({ id: 1 });
console.log(Object.entries(typed).filter(([key]) => key === "state")); // <-
console.log(Object.keys(typed).includes("state")); // <-
expect(typed).toHaveProperty("state", "open"); // <-
expect(typed).toEqual({ id: 1, state: "open", past: [] }); // <-
expect(getOrder).toHaveBeenCalledWith({ state: "open" }); // <-
expect(getBill).toHaveBeenCalledWith({ state: "open" });
export const find = (args: any) => {
  args.state = "open"; // <-
  return getOrder(args);
};
const logged = <I extends GetOrderInput>(input: I) => getOrder(input);
await logged({ id: 1, state: "open" }); // <-
const billed = <I extends GetBillInput>(input: I) => getBill(input);
await billed({ id: 1, state: "open" });
export const findBills = (args: any) => {
  args.state = "open";
  return getBill(args);
};
vi.mock("../generated/shop/index.js", () => ({
  getOrder: () => ({ id: 1, state: "open", past: [] }), // <-
  getBill: () => ({ id: 1, state: "open", past: [] }),
}));
`,
    "src/open.ts": `export function open({ order }: { order: any }): string {
  return order.state; // <-
}
`,
  };
  const { places, left } = await list(files, { ...OLD, state: "status" }, ["state=status"]);
  expect(places).toEqual(marked(files));
  expect(left[0]?.message).toBe("`state` may be a property that was renamed to `status`");
});
