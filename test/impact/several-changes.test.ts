/**
 * Runs `check --impact` when one tool has several changes at once. The lines with errors are those of the compiler. Which
 * change causes an error is known from the compiler, too: each change is made alone, and the lines that then have an error are
 * those of the change.
 */
import { describe, expect, it } from "vitest";
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type NamedObject,
} from "../../src/core/json.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { makeProject, type Project } from "../e2e/make-project.js";
import { compile, linkPackages, NEWEST, TSCONFIG } from "../e2e/user-project.js";

type Schema = Record<string, JsonValue>;
/** The schemas of an object's properties. */
type Properties = Record<string, Schema>;

/** The tool's properties. All of an output are required. */
interface Edited {
  readonly input: Properties;
  /** The required inputs. */
  readonly required: string[];
  readonly output: Properties;
  /** The items of `orders` in the output. */
  readonly item: Properties;
  readonly people: Record<"buyer" | "payer" | "seller" | "agent", Properties>;
}

const PERSON = (): Properties => ({ id: { type: "integer" }, name: { type: "string" } });

const closed = (properties: Properties, required = Object.keys(properties)): Schema => {
  const names = required.filter((name) => Object.hasOwn(properties, name));
  return { type: "object", properties, required: names, additionalProperties: false };
};
const INTEGER = { type: "integer" } as const;
const STATUS = { type: "string", enum: ["OPEN", "PAID", "SENT"] };

/** The tool after edits of its properties. */
function toolAfter(names: readonly string[]): NamedObject {
  const people = { buyer: PERSON(), payer: PERSON(), seller: PERSON(), agent: PERSON() };
  const tool: Edited = {
    people,
    required: [],
    input: {
      ...{ status: STATUS, limit: INTEGER, sort: { type: "string", enum: ["asc", "desc"] } },
      ...{ total: INTEGER, page: INTEGER },
    },
    output: { status: STATUS, limit: INTEGER, total: INTEGER, note: TEXT, page: INTEGER },
    item: { id: INTEGER, total: INTEGER, note: TEXT },
  };
  for (const name of names) EDITS[name]?.(tool);
  const { input, output, item } = tool;
  const inputs = { ...input, buyer: closed(people.buyer, []), payer: closed(people.payer, []) };
  const outputs = {
    ...output,
    orders: { type: "array", items: closed(item) },
    seller: closed(people.seller),
    agent: closed(people.agent),
  };
  return {
    name: "list-orders",
    inputSchema: closed(inputs, [...tool.required]),
    outputSchema: closed(outputs),
  };
}

const TEXT = { type: "string" } as const;

function rename(properties: Properties, name: string, to: string): boolean {
  const schema = properties[name];
  if (schema !== undefined) properties[to] = schema;
  return Reflect.deleteProperty(properties, name);
}

function requireNew(properties: Properties, required: string[], name: string, schema: Schema): number {
  properties[name] = schema;
  return required.push(name);
}

/** By name; those whose names start alike edit the same property. */
const EDITS: { readonly [name: string]: (tool: Edited) => void } = {
  "input status: removed value": ({ input }) => (input["status"] = { ...TEXT, enum: ["OPEN", "SENT"] }),
  "input limit: removed": ({ input }) => Reflect.deleteProperty(input, "limit"),
  "input limit: other type": ({ input }) => (input["limit"] = TEXT),
  "input total: renamed": ({ input }) => rename(input, "total", "amount"),
  "input sort: renamed": ({ input }) => rename(input, "sort", "order_by"),
  "input page: other type": ({ input }) => (input["page"] = TEXT),
  "input shop: required": ({ input, required }) => requireNew(input, required, "shop", TEXT),
  "input buyer.id: removed": ({ people }) => Reflect.deleteProperty(people.buyer, "id"),
  "input payer.id: other type": ({ people }) => (people.payer["id"] = TEXT),
  "input payer.name: renamed": ({ people }) => rename(people.payer, "name", "full_name"),
  "output status: removed value": ({ output }) => (output["status"] = { ...TEXT, enum: ["OPEN", "SENT"] }),
  "output status: added value": ({ output }) =>
    (output["status"] = { ...TEXT, enum: ["OPEN", "PAID", "SENT", "LOST"] }),
  "output limit: removed": ({ output }) => Reflect.deleteProperty(output, "limit"),
  "output total: other type": ({ output }) => (output["total"] = TEXT),
  "output note: nullable": ({ output }) => (output["note"] = { type: ["string", "null"] }),
  "output page: removed": ({ output }) => Reflect.deleteProperty(output, "page"),
  "output orders.id: other type": ({ item }) => (item["id"] = TEXT),
  "output orders.total: renamed": ({ item }) => rename(item, "total", "amount"),
  "output orders.note: removed": ({ item }) => Reflect.deleteProperty(item, "note"),
  "output seller.id: other type": ({ people }) => (people.seller["id"] = TEXT),
  "output seller.name: nullable": ({ people }) => (people.seller["name"] = { type: ["string", "null"] }),
  "output agent.id: removed": ({ people }) => Reflect.deleteProperty(people.agent, "id"),
  "output agent.name: renamed": ({ people }) => rename(people.agent, "name", "label"),
};

/** Uses every property, one on each line and in different ways. */
const CODE = `import { listOrders, type ListOrdersInput, type ListOrdersOutput } from "../generated/shop/index.js";
type Order = ListOrdersOutput["orders"][number];
type Buyer = NonNullable<ListOrdersInput["buyer"]>;

export const open = () => listOrders({
  status: "PAID",
  limit: 5,
  sort: "asc",
  total: 3,
  page: 1,
  buyer: { id: 1 },
  payer: { id: 2 },
});
export const named = () => listOrders({
  payer: { name: "a" },
  buyer: { name: "b" },
});
const id: Buyer["id"] = 7;
const input: ListOrdersInput = { payer: { id: 7 } };
input.limit = 9;
input.total = 9;
if (input.buyer !== undefined) input.buyer.id = id;
if (input.payer !== undefined) input.payer.name = "c";
const { limit = 3, page = 4 } = input;
export const wanted: number = limit + page;
const inLabels: Record<NonNullable<ListOrdersInput["status"]>, string> = {
  OPEN: "o",
  PAID: "p",
  SENT: "s",
};
const outLabels: Record<ListOrdersOutput["status"], string> = { OPEN: "o", PAID: "p", SENT: "s" };
export const isPaid = ({ status }: ListOrdersOutput): boolean => status === "PAID";
export const wantsPaid = ({ status }: ListOrdersInput): boolean => status === "PAID";

export async function read(): Promise<unknown> {
  const answer = await listOrders(input);
  const sum: number = answer.total;
  const { note } = answer;
  const length = note.length;
  const last = answer.page + 1;
  const most: number = answer.limit;
  const label = outLabels[answer.status];
  const seller: number = answer.seller.id;
  const agent: number = answer.agent.id;
  const upper = answer.seller.name.toUpperCase();
  const lower = answer.agent.name.toLowerCase();
  const ids: readonly number[] = answer.orders.map((order) => order.id);
  const totals = answer.orders.map(({ total }) => total);
  const notes = answer.orders.reduce((all, order) => all + order.note, "");
  return [sum, note, length, last, most, label, seller, agent, upper, lower, ids, totals, notes, inLabels];
}
export type Row = Pick<Order, "id" | "total">;
export type Line = Pick<Order, "note">;
export const cell = (order: Order, column: "id" | "note"): unknown => order[column];
const show = (person: { readonly id: number }): string => String(person.id);
export const showSeller = ({ seller }: ListOrdersOutput): string => show(seller);
export const showAgent = ({ agent }: ListOrdersOutput): string => show(agent);
export const showOrder = (order: Order): string => show(order);
const greet = (person: { readonly name: string }): string => person.name;
export const greetSeller = ({ seller }: ListOrdersOutput): string => greet(seller);
export const greetAgent = ({ agent }: ListOrdersOutput): string => greet(agent);
`;

/** A tool and code that uses it. */
interface Subject {
  readonly code: string;
  /** The tool after edits with these names. */
  readonly toolAfter: (names: readonly string[]) => NamedObject;
}

const ORDERS: Subject = { code: CODE, toolAfter };

async function makeShop(subject = ORDERS): Promise<Project> {
  const project = await makeProject({ servers: { shop: { file: "tools.json" } } });
  await linkPackages(project.dir);
  await project.write("tsconfig.json", TSCONFIG);
  await project.write("src/a.ts", subject.code);
  await edit(project, [], subject);
  await project.run(["pull"]);
  return project;
}

const edit = (project: Project, names: readonly string[], subject: Subject): Promise<void> =>
  project.writeJson("tools.json", { tools: [subject.toolAfter(names)] });

/** The lines that no longer compile after edits: each list has a server and a copy of the code in one project, compiled once. */
async function findBrokenLines(
  subject: Subject,
  byNames: ReadonlyMap<string, readonly string[]>,
): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const lists = [...byNames.values()];
  const servers = lists.map((_, at) => `shop${at}`);
  const project = await makeProject({
    servers: Object.fromEntries(servers.map((name) => [name, { file: `${name}.json` }])),
  });
  await linkPackages(project.dir);
  await project.write("tsconfig.json", TSCONFIG);
  const writeTools = async (at: number, names: readonly string[]): Promise<void> =>
    project.writeJson(`shop${at}.json`, { tools: [subject.toolAfter(names)] });
  for (const [at, name] of servers.entries()) {
    await project.write(`src/${name}.ts`, subject.code.replace("generated/shop/", `generated/${name}/`));
    await writeTools(at, []);
  }
  await project.prints(["pull"], 0);
  for (const [at, names] of lists.entries()) await writeTools(at, names);
  await project.prints(["pull"], 0);
  const { stdout } = await compile(project.dir, NEWEST, "dist");
  const errors = [...stdout.matchAll(/^src\/([\w-]+)\.ts\((\d+),/gm)];
  const keys = [...byNames.keys()];
  const linesOf = (server: string): ReadonlySet<number> =>
    new Set(errors.flatMap(([, file, line]) => (file === server ? [Number(line)] : [])));
  return new Map(servers.map((server, at) => [keys[at] ?? "", linesOf(server)]));
}

function objects(value: unknown): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function keyOf({ rule, path }: JsonObject): string {
  return `${text(rule)} ${text(path)}`;
}

/** The lines of the code with the edits to which `check` assigns their errors, and those that cause them. */
async function compare(
  names: readonly string[],
  subject: Subject,
  broken: ReadonlyMap<string, ReadonlySet<number>>,
): Promise<{ readonly assigned: readonly string[]; readonly caused: readonly string[] }> {
  const together = broken.get(names.join()) ?? new Set();
  const project = await makeShop(subject);
  await edit(project, names, subject);
  const { document } = await project.runJson(["check", "--impact"]);
  const alone = names.map((name) =>
    diffTools([subject.toolAfter([])], [subject.toolAfter([name])]).map(
      ({ rule, path }) => `${rule} ${path}`,
    ),
  );
  const sites = objects(document["changes"]).flatMap((change) => {
    const owner = names.find((_, at) => alone[at]?.includes(keyOf(change)) === true);
    return objects(change["callSites"])
      .filter(({ effect }) => effect === "stops-compiling")
      .map(({ line }) => ({ line: Number(line), owner: owner ?? keyOf(change) }));
  });
  const lines = [...new Set([...together, ...sites.map(({ line }) => line)])].sort((a, b) => a - b);
  const code = subject.code.split("\n");
  const describeLine = (line: number, owners: readonly string[]): string =>
    `${line} ${(code[line - 1] ?? "").trim()} <- ${owners.join(", ")}`;
  const pairs = lines.map((line) => {
    const owners = [...new Set(sites.filter((site) => site.line === line).map(({ owner }) => owner))].sort();
    const causes = names.filter((name) => broken.get(name)?.has(line) === true).sort();
    const isRight = owners.length > 0 && owners.every((owner) => causes.includes(owner));
    const isExpected = together.has(line) && (isRight || causes.length === 0);
    return [describeLine(line, owners), describeLine(line, isExpected ? owners : causes)];
  });
  return {
    assigned: pairs.map(([assigned = ""]) => assigned),
    caused: pairs.map(([, caused = ""]) => caused),
  };
}

/** Whether two edits are of the same property, so that only one can be made. */
function isSameProperty(a: string, b: string): boolean {
  return a.split(":")[0] === b.split(":")[0];
}

const ALL = Object.keys(EDITS).filter(
  (name, index, names) => !names.slice(0, index).some((other) => isSameProperty(other, name)),
);

function itAssigns(
  title: string,
  subject: Subject,
  cases: readonly (readonly [string, readonly string[]])[],
): void {
  const lists = cases.flatMap(([, names]) => [names, ...names.map((name) => [name])]);
  const byNames = new Map(lists.map((names) => [names.join(), names]));
  let broken: ReadonlyMap<string, ReadonlySet<number>> | undefined;
  it.each(cases)(title, async (_title, names) => {
    broken ??= await findBrokenLines(subject, byNames);
    const { assigned, caused } = await compare(names, subject, broken);
    expect(assigned).toEqual(caused);
    expect(assigned.length).toBeGreaterThan(2);
  });
}

describe("an error is assigned to the change that causes it", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    [
      "a removed property beside a changed type",
      ["input limit: removed", "input page: other type", "output page: removed", "output total: other type"],
    ],
    [
      "a removed value beside a renamed property",
      ["input status: removed value", "input total: renamed", "input sort: renamed", "input shop: required"],
    ],
    [
      "the same property of the input and the output",
      ["input limit: other type", "output limit: removed", "input total: renamed", "output total: other type"], // prettier-ignore
    ],
    ["the same value of the input and the output", ["input status: removed value", "output status: added value"]], // prettier-ignore
    [
      "nested properties with the same name",
      [
        ...["input buyer.id: removed", "input payer.id: other type"],
        ...["output seller.id: other type", "output agent.id: removed", "output orders.id: other type"],
        ...["output seller.name: nullable", "output agent.name: renamed", "input payer.name: renamed"],
      ],
    ],
    ["all at once", ALL],
  ];
  itAssigns("%s", ORDERS, cases);
});

const TICKET: Properties = {
  title: TEXT,
  state: { type: "string", enum: ["OPEN", "PAID"] },
  limit: { type: "integer" },
};

/** The schema of a ticket's part after edits. */
interface Ticket {
  readonly input: Properties;
  readonly buyer: Properties;
  readonly line: Properties;
  readonly required: Record<"input" | "buyer" | "line", string[]>;
}

const TICKET_EDITS: { readonly [name: string]: (ticket: Ticket) => void } = {
  "title: removed": ({ input }) => Reflect.deleteProperty(input, "title"),
  "shop: required": ({ input, required }) => requireNew(input, required.input, "shop", { type: "boolean" }),
  "rank: required": ({ input, required }) =>
    requireNew(input, required.input, "rank", { type: "array", items: { type: "number" } }),
  "state: removed value": ({ input }) => (input["state"] = { type: "string", enum: ["PAID"] }),
  "limit: other type": ({ input }) => (input["limit"] = TEXT),
  "buyer.id: removed": ({ buyer }) => Reflect.deleteProperty(buyer, "id"),
  "buyer.name: required": ({ required }) => required.buyer.push("name"),
  "lines.unit: required": ({ line, required }) =>
    requireNew(line, required.line, "unit", { type: "boolean" }),
};

const TICKETS: Subject = {
  toolAfter: (names) => {
    const ticket: Ticket = {
      input: { ...TICKET },
      buyer: { ...PERSON(), mail: TEXT },
      line: { sku: TEXT, amount: { type: "integer" } },
      required: { input: [], buyer: ["mail"], line: ["amount"] },
    };
    for (const name of names) TICKET_EDITS[name]?.(ticket);
    const { input, buyer, line, required } = ticket;
    const parts = {
      buyer: closed(buyer, required.buyer),
      lines: { type: "array", items: closed(line, required.line) },
    };
    return { name: "send-ticket", inputSchema: closed({ ...input, ...parts }, required.input) };
  },
  code: `import { sendTicket, type SendTicketInput } from "../generated/shop/index.js";
declare const isNew: boolean;
declare const base: { title: string; limit: number };
declare const either: { title: string; state: "OPEN" } | { state: "PAID"; limit: number };
declare const load: () => { ticket: { title: string; buyer: { id: number; mail: string } } };
export const excess = () => sendTicket({ title: "a" });
export const several = () => sendTicket({ title: "a", state: "OPEN", limit: 5 });
export const nested = () => sendTicket({ title: "a", buyer: { id: 1, mail: "m" } });
export const deep = () => sendTicket({ buyer: { id: 1, mail: "m" }, lines: [{ sku: "a", amount: 1 }, { sku: "b", amount: 2 }] });
const ticket = { title: "a", limit: 5, buyer: { id: 1, mail: "m" }, lines: [{ sku: "a", amount: 1 }] };
export const byVariable = () => sendTicket(ticket);
export const spread = () => sendTicket({ ...base, state: "OPEN" });
export const spreadBeside = () => sendTicket({ ...base, title: "b", buyer: { id: 1, mail: "m" } });
export const chosen = () => sendTicket(isNew ? { title: "a", state: "OPEN" } : { limit: 5, buyer: { id: 2, mail: "m" } });
export const partly = () => sendTicket({ title: "a", buyer: isNew ? { id: 1, mail: "m" } : { name: "b", mail: "m" } });
export const union = () => sendTicket(either);
const { title, buyer } = load().ticket;
export const destructured = () => sendTicket({ title, buyer });
export const read = () => sendTicket(load().ticket);
const lines = [{ sku: "a", amount: 1 }];
export const listed = () => sendTicket({ lines, buyer: { mail: "m" } });
export const mapped = () => sendTicket({ lines: ["a"].map((sku) => ({ sku, amount: 1 })) });
export const safely = () => sendTicket.safe({ title: "a", state: "OPEN" });
const input: SendTicketInput = { title: "a", buyer: { id: 1, mail: "m" } };
export const inputs: SendTicketInput[] = [{ title: "a", limit: 1 }, { state: "OPEN" }];
export const make = (): SendTicketInput => ({ title: "a", limit: 5 });
export function build(): SendTicketInput { return { title: "a", buyer: { id: 1, mail: "m" } }; }
export async function start(): Promise<SendTicketInput> { return { title: "a", state: "OPEN" }; }
export const known = () => sendTicket({ title: "a", limit: 5 } satisfies SendTicketInput);
export const given = (own: SendTicketInput) => { own = { title: "a", limit: 5 }; return sendTicket(own); };
export const fine = () => sendTicket(input);
`,
};

describe("several changes that meet in one call", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["missing and excess", ["title: removed", "shop: required"]],
    ["two missing", ["shop: required", "rank: required"]],
    ["wrong and missing", ["limit: other type", "state: removed value", "shop: required"]],
    ["nested missing and excess", ["buyer.id: removed", "buyer.name: required", "title: removed"]],
    ["items", ["lines.sku: removed", "lines.unit: required", "rank: required"]],
    ["all at once", Object.keys(TICKET_EDITS)],
  ];
  itAssigns("have the lines of the compiler, each with one of its causes: %s", TICKETS, cases);
});

describe("an error is assigned to the tool that causes it", () => {
  const product = (output: Schema): JsonObject => ({
    name: "get-product",
    inputSchema: closed({ id: { type: "integer" } }),
    outputSchema: output,
  });

  async function findLines(
    before: readonly JsonObject[],
    after: readonly JsonObject[],
    code: readonly string[],
  ): Promise<{ readonly [change: string]: readonly number[] }> {
    const project = await makeShop();
    await project.write("src/a.ts", code.join("\n"));
    await project.writeJson("tools.json", { tools: before });
    await project.run(["pull"]);
    await project.writeJson("tools.json", { tools: after });
    const { document } = await project.runJson("check --impact");
    const found = objects(document["changes"]).map((change) => {
      const lines = new Set(objects(change["callSites"]).map(({ line }) => Number(line)));
      return [`${text(change["tool"])} ${keyOf(change)}`, [...lines]] as const;
    });
    return Object.fromEntries(found.filter(([, lines]) => lines.length > 0));
  }

  it("in code that uses both tools", async () => {
    const lines = await findLines(
      [toolAfter([]), product(closed({ sku: TEXT }))],
      [toolAfter(["output total: other type", "output page: removed"]), product(closed({ id: TEXT }))],
      [
        'import { getProduct, listOrders } from "../generated/shop/index.js";',
        "const load = async () => ({ product: await getProduct({ id: 1 }), list: await listOrders({}) });",
        "type Loaded = Awaited<ReturnType<typeof load>>;",
        "export function show(this: Loaded): unknown {",
        "  const all = [getProduct].map(() => { void getProduct; return this.list.page; });",
        "  return [getProduct, all].map(() => { void getProduct; return this.list.total.toFixed(2); });",
        "}",
        "export const sku = (one: Loaded): string => one.product.sku;",
      ],
    );
    expect(lines).toEqual({
      "get-product output-property-removed /outputSchema/properties/sku": [8],
      "list-orders output-property-removed /outputSchema/properties/page": [5],
      "list-orders output-type-changed /outputSchema/properties/total/type": [6],
    });
  });

  it("in a call that had another error before", async () => {
    const lines = await findLines(
      [TICKETS.toolAfter([])],
      [TICKETS.toolAfter(["title: removed", "shop: required", "buyer.name: required"])],
      [
        'import { sendTicket } from "../generated/shop/index.js";',
        'await sendTicket({ title: "a", buyer: { mail: "m" }, other: 1 });',
      ],
    );
    expect(lines).toEqual({
      "send-ticket input-property-became-required /inputSchema/properties/buyer/properties/name": [2],
    });
  });

  it("when the other one is removed", async () => {
    const lines = await findLines(
      [toolAfter([]), product(closed({ limit: TEXT }))],
      [toolAfter(["input limit: removed"])],
      [
        'import { getProduct, listOrders } from "../generated/shop/index.js";',
        "export const load = async () => listOrders({ limit: 5 });",
        "export const limits = async (): Promise<unknown> => {",
        "  const products = await Promise.all([getProduct({ id: 1 })]);",
        "  return products.map(({ limit }) => limit);",
        "};",
      ],
    );
    expect(lines).toEqual({
      "get-product tool-removed ": [1, 4, 5],
      "list-orders input-property-removed /inputSchema/properties/limit": [2],
    });
  });
});
