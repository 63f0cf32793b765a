import { Ajv2020 } from "ajv/dist/2020.js";
import { cp, mkdir, symlink } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { CONSUMER_NAME } from "../../../src/core/consumer.js";
import type {} from "../../../src/core/change.js";
import type { ConsumerVerdict } from "../../../src/core/diagnostic.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.js";
import { SIDED_EXAMPLES, TOOL_EXAMPLES } from "../../../src/drift/rules/examples.js";
import { type ToolSide, SIDES } from "../../../src/drift/rules/named-rules.js";
import { makeProject, type Project } from "../../e2e/make-project.js";
import { linkPackages, runNode } from "../../e2e/user-project.js";
import { isSample, runs } from "../../sample.js";
import { type ConsumerName, CONSUMERS, exportFrom, makeConsumer, readShop } from "./make-consumer.js";

/** One for all schemas, since each of them would compile the meta-schema. */
const AJV = new Ajv2020({ strict: false, validateFormats: false });

const TEXT = { type: "string" };

/** Where a changed schema is, the value around a value of it, and the code that reads it from an answer. */
const PLACES: readonly {
  readonly name: string;
  readonly wrap: (schema: JsonValue) => JsonObject;
  readonly value: (inner: JsonValue) => JsonValue;
  readonly read: (name: string) => string;
  readonly old: string;
}[] = [
  {
    name: "property",
    wrap: (schema) => ({ type: "object", properties: { a: schema, b: { type: "string" } } }),
    value: (inner) => ({ a: inner }),
    read: (name) => `const ${name} = answer.a;`,
    old: `Old["a"]`,
  },
  {
    name: "definition",
    wrap: (schema) => ({
      type: "object",
      properties: { a: { $ref: "#/$defs/A" }, b: { type: "string" } },
      $defs: { A: schema },
    }),
    value: (inner) => ({ a: inner }),
    read: (name) => `const ${name} = answer.a;`,
    old: `Old["a"]`,
  },
  {
    name: "items",
    wrap: (schema) => ({
      type: "object",
      properties: { l: { type: "array", items: schema }, b: { type: "string" } },
    }),
    value: (inner) => ({ l: [inner] }),
    read: (name) => `const [${name}] = answer.l ?? [];`,
    old: `NonNullable<Old["l"]>[number] | undefined`,
  },
  {
    name: "recursive",
    wrap: (schema) => ({
      type: "object",
      $ref: "#/$defs/N",
      $defs: { N: { type: "object", properties: { b: TEXT, a: schema, next: { $ref: "#/$defs/N" } } } },
    }),
    value: (inner) => ({ next: { a: inner } }),
    read: (name) => `const ${name} = answer.next?.next?.a;`,
    old: `Old["a"]`,
  },
  {
    name: "union",
    wrap: (schema) => ({
      type: "object",
      properties: {
        b: TEXT,
        u: {
          anyOf: [
            { type: "object", required: ["kind"], properties: { kind: { const: "x" }, a: schema } },
            { type: "object", required: ["kind"], properties: { kind: { const: "y" } } },
          ],
        },
      },
    }),
    value: (inner) => ({ u: { kind: "x", a: inner } }),
    read: (name) => `const u = answer.u; const ${name} = u?.kind === "x" ? u.a : undefined;`,
    old: `Extract<NonNullable<Old["u"]>, { kind: "x" }>["a"] | undefined`,
  },
  {
    name: "map",
    wrap: (schema) => ({
      type: "object",
      properties: { b: TEXT, m: { type: "object", additionalProperties: schema } },
    }),
    value: (inner) => ({ m: { k: inner } }),
    read: (name) => `const ${name} = answer.m?.["k"];`,
    old: `NonNullable<Old["m"]>[string] | undefined`,
  },
  {
    name: "tuple",
    wrap: (schema) => ({
      type: "object",
      properties: { b: TEXT, l: { type: "array", prefixItems: [{ type: "null" }, schema] } },
    }),
    value: (inner) => ({ l: [null, inner] }),
    read: (name) => `const ${name} = answer.l?.[1];`,
    old: `NonNullable<Old["l"]>[1] | undefined`,
  },
  {
    name: "all-of",
    wrap: (schema) => ({ type: "object", properties: { b: TEXT, a: { allOf: [{ title: "A" }, schema] } } }),
    value: (inner) => ({ a: inner }),
    read: (name) => `const ${name} = answer.a;`,
    old: `Old["a"]`,
  },
];

const PAIRS: readonly (readonly [rule: string, before: JsonValue, after: JsonValue])[] = [
  ...Object.entries(SIDED_EXAMPLES).map(([rule, { before, after }]) => [rule, before, after] as const),
  [
    "property-renamed",
    { type: "object", properties: { display_title: TEXT }, required: ["display_title"] },
    { type: "object", properties: { displayTitle: TEXT }, required: ["displayTitle"] },
  ],
];

/** Values of many schemas. */
const VALUES: readonly JsonValue[] = [
  ...["a", "b", "ab", "abc", "a@example.com", "https://example.com", true, false, null, 0, 1, 2, 4, 1.5],
  ...[{}, { x: "a" }, { x: "a", y: "b" }, { y: "b" }, { z: "c" }, { x: "a", z: "c" }],
  ...[{ display_title: "a" }, [], ["a"], ["a", "a"], [1, 2]],
];

/** How the code of one consumer uses a tool. */
type Use = "passes-lost" | "passes-kept" | "passes-any" | "reads" | "ignores" | "hands-on";

interface Case {
  readonly tool: string;
  readonly side: ToolSide;
  readonly use: Use;
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** The literal that the call passes. */
  readonly literal?: JsonValue;
  readonly code: string;
}

/** All places take minutes: `ALL_PLACES=1 npx vitest run …`. By default, each rule has two of them, and one in a sample. */
function placesOf(rule: number): typeof PLACES {
  if (process.env["ALL_PLACES"] !== undefined) return PLACES;
  return PLACES.filter(
    (_, place) => (place - rule + PLACES.length * PAIRS.length) % PLACES.length < runs(2, 2),
  );
}

/** The cases of all rules: on each side, at some places, for each use that the schemas allow. */
function makeCases(): readonly Case[] {
  return PAIRS.flatMap(([rule, old, now], index) =>
    // A sample has each rule on one side.
    SIDES.filter((_, at) => !isSample || at === index % 2).flatMap((side) =>
      placesOf(index).flatMap((place): readonly Case[] => {
        const [before, after] = [place.wrap(old), place.wrap(now)];
        const accepts = [before, after].map((schema) => {
          const check = AJV.compile(schema);
          return (value: JsonValue): boolean => check(place.value(value));
        });
        const pick = (isKept: boolean): JsonValue | undefined =>
          VALUES.find((value) => accepts[0]?.(value) === true && accepts[1]?.(value) === isKept);
        const make = (use: Use, body: string, literal?: JsonValue): Case => {
          const tool = `${side}-${rule}-${place.name}-${use}`;
          return {
            ...{ tool, side, use, before, after },
            ...(literal !== undefined && { literal }),
            code: codeOf(tool, body),
          };
        };
        if (side === "input") {
          const [lost, kept] = [pick(false), pick(true)];
          const call = (value: JsonValue): string => `await tool(${JSON.stringify(place.value(value))});`;
          return [
            ...(lost === undefined ? [] : [make("passes-lost", call(lost), place.value(lost))]),
            ...(kept === undefined ? [] : [make("passes-kept", call(kept), place.value(kept))]),
            make("passes-any", "await tool({ ...input });"),
            make("ignores", `await tool({ b: "b" });`, { b: "b" }),
          ];
        }
        const names =
          isJsonObject(old) && isJsonObject(old["properties"]) ? Object.keys(old["properties"]) : [];
        const parts = names
          .map((name) => `{ const part: NonNullable<${place.old}>["${name}"] = read.${name}; void part; }`)
          .join(" ");
        const isObject = names.length > 0 && isJsonObject(old) && old["type"] === "object";
        const reads = isObject
          ? `if (read !== undefined) { ${parts} }`
          : `const keep: ${place.old} = read; void keep;`;
        return [
          make("reads", `const answer = await tool({}); ${place.read("read")} ${reads}`),
          make("ignores", "const answer = await tool({}); void answer.b;"),
          make("hands-on", "const answer = await tool({}); JSON.stringify(answer);"),
        ];
      }),
    ),
  );
}

function codeOf(tool: string, body: string): string {
  const wrapper = tool.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return `import { ${wrapper} as tool } from "../generated/corpus/${tool}.js";
import type { ${wrapper} as old } from "../old/corpus/${tool}.js";
export type Old = Awaited<ReturnType<typeof old>>;
declare const input: NonNullable<Parameters<typeof old>[0]>;
export async function use(): Promise<void> { void input; ${body} }
`;
}

function listOf(cases: readonly Case[], when: "before" | "after"): string {
  const empty = { type: "object", properties: { b: { type: "string" } } };
  const tools = cases.map(({ tool, side, [when]: schema }) => ({
    name: tool,
    inputSchema: side === "input" ? schema : empty,
    ...(side === "output" && { outputSchema: schema }),
  }));
  return JSON.stringify({ tools });
}

/** The files with errors according to the native compiler: paths relative to the project, without extension. */
async function compile(project: Project, tsconfig = "tsconfig.json"): Promise<ReadonlySet<string>> {
  const tsc = join(import.meta.dirname, "../../../node_modules/typescript-7/bin/tsc");
  const { stdout } = await runNode(project.dir, [
    tsc,
    "-p",
    tsconfig,
    "--singleThreaded",
    "--pretty",
    "false",
  ]);
  return new Set(Array.from(stdout.matchAll(/^(\S+?)\.ts\(/gm), ([, name = ""]) => name));
}

const TSCONFIG = {
  compilerOptions: { target: "es2023", module: "nodenext", strict: true, skipLibCheck: true, noEmit: true },
  include: ["src"],
};

/** An interface has no index signature, so a call no longer compiles although every value is accepted. */
const EXCEPTIONS = ["input-additional-properties-opened-definition-passes-any: broken, but none"];

const RANK: Readonly<Record<ConsumerVerdict["effect"], number>> = {
  none: 0,
  "until-pull": 0,
  "may-break": 1,
  breaks: 2,
};

describe("verdicts and what the compiler and a run say", () => {
  it("agree for every rule of schemas, for six uses", async () => {
    const cases = makeCases();
    const project = await makeProject({ servers: { corpus: { file: "tools.json" } } });
    await linkPackages(project.dir);
    await mkdir(join(project.dir, "src"));
    await project.write("tsconfig.json", JSON.stringify(TSCONFIG));
    await project.write("tools.json", listOf(cases, "before"));
    expect((await project.run(["pull"])).exitCode).toBe(0);
    await cp(join(project.dir, "generated"), join(project.dir, "old"), { recursive: true });
    for (const { tool, code } of cases) await project.write(`src/${tool}.ts`, code);
    const wrongBefore = await compile(project);
    await exportFrom(project, "corpus");
    await project.write("tools.json", listOf(cases, "after"));
    const { document } = await project.runJson([
      "check",
      "--no-impact",
      "--consumers",
      "mcp-codegen.consumer.json",
    ]);
    await project.run(["pull"]);
    const wrongAfter = await compile(project);

    const verdicts = new Map<string, ConsumerVerdict["effect"]>();
    const found = document["changes"] as readonly { tool: string; consumers?: readonly ConsumerVerdict[] }[];
    for (const { tool, consumers = [] } of found)
      for (const { effect } of consumers)
        if (RANK[effect] > RANK[verdicts.get(tool) ?? "none"]) verdicts.set(tool, effect);

    const wrong: string[] = [];
    const counts = new Map<string, number>();
    for (const { tool, use, literal, before, after } of cases) {
      if (wrongBefore.has(`src/${tool}`)) continue;
      const isRejected =
        literal !== undefined && AJV.validate(before, literal) && !AJV.validate(after, literal);
      const isBroken = wrongAfter.has(`src/${tool}`) || isRejected;
      const verdict = verdicts.get(tool) ?? "none";
      const key = `${use}: ${isBroken ? "broken" : "fine"}, ${verdict}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      const isFound = isBroken === RANK[verdict] > 0;
      const isCertain = isBroken === (verdict === "breaks");
      // What is passed or read is known; otherwise a verdict may be uncertain, but never wrong.
      const isExact = use === "passes-lost" || use === "passes-kept" || use === "ignores";
      if (isExact ? !isFound || !isCertain : isBroken ? !isFound : verdict === "breaks")
        wrong.push(`${tool}: ${isBroken ? "broken" : "fine"}, but ${verdict}`);
    }
    expect(wrong.filter((line) => !EXCEPTIONS.includes(line))).toEqual([]);
    const broken = [...counts].filter(([key]) => key.includes(": broken"));
    expect(broken.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(runs(50, 4));
  }, 240_000);
});

function nameOf({ name }: JsonObject): string {
  return typeof name === "string" ? name : "";
}

/** The tools of the examples of rules about whole tools, under names of their own. A collision of names has no code. */
function wholeTools(when: "before" | "after"): readonly (JsonObject & { readonly name: string })[] {
  return Object.entries(TOOL_EXAMPLES).flatMap(([rule, { [when]: tools }]) =>
    (rule === "tool-name-collision" ? [] : tools).map((tool) => ({
      ...tool,
      name: `${rule}-${nameOf(tool)}`,
      inputSchema: tool["inputSchema"] ?? { type: "object" },
    })),
  );
}

it("verdicts agree with the compiler for every rule about a whole tool", async () => {
  const project = await makeProject({ servers: { corpus: { file: "tools.json" } } });
  await linkPackages(project.dir);
  await mkdir(join(project.dir, "src"));
  await project.write("tsconfig.json", JSON.stringify(TSCONFIG));
  const [before, after] = [wholeTools("before"), wholeTools("after")];
  await project.write("tools.json", JSON.stringify({ tools: before }));
  expect((await project.run(["pull"])).exitCode).toBe(0);
  await cp(join(project.dir, "generated"), join(project.dir, "old"), { recursive: true });
  const names = before.map(({ name }) => name);
  for (const { name, outputSchema } of before) {
    const properties = isJsonObject(outputSchema) && isJsonObject(outputSchema["properties"]);
    const read = properties ? Object.keys(outputSchema["properties"] ?? {}) : [];
    const reads = outputSchema === undefined ? ["content.at(0)?.type"] : read;
    await project.write(
      `src/${name}.ts`,
      codeOf(name, `const answer = await tool({}); ${reads.map((key) => `void answer.${key};`).join(" ")}`),
    );
  }
  expect(await compile(project)).toEqual(new Set());
  await exportFrom(project, "corpus");
  await project.write("tools.json", JSON.stringify({ tools: after }));
  const args = ["check", "--no-impact", "--consumers", CONSUMER_NAME];
  const { document } = await project.runJson(args);
  const found = document["changes"] as readonly {
    tool: string;
    rule: string;
    security: boolean;
    consumers?: readonly ConsumerVerdict[];
  }[];
  const rules = found.filter(({ security }) => security).flatMap(({ rule }) => ["--accept", rule]);
  const accepted = await project.run(["pull", ...rules, "--reason", "Test."]);
  expect(accepted.exitCode, accepted.stderr).toBe(0);
  const broken = await compile(project);
  const outcomes = names.map((name) => {
    const effects = found
      .filter(({ tool }) => tool === name)
      .flatMap(({ consumers = [] }) => consumers.map(({ effect }) => effect));
    const worst = effects.reduce<Effect>((a, b) => (RANK[b] > RANK[a] ? b : a), "none");
    return { name, worst, isBroken: broken.has(`src/${name}`) };
  });
  const wrong = outcomes.filter(({ worst, isBroken }) => (isBroken ? RANK[worst] === 0 : worst === "breaks"));
  expect(wrong).toEqual([]);
  expect(outcomes.filter(({ isBroken }) => isBroken).length).toBeGreaterThan(2);
}, 120_000);

type Effect = ConsumerVerdict["effect"];

/** Changes of the shop, and the worst verdict for each application: reader, writer, passer. */
const EDITS: readonly (readonly [title: string, edit: Edit, verdicts: readonly [Effect, Effect, Effect]])[] =
  [
    [
      "the schema of an output",
      (tools) => {
        const tool = tools.get("get-order");
        if (tool !== undefined) Reflect.deleteProperty(tool, "outputSchema");
      },
      ["breaks", "none", "may-break"],
    ],
    ["nothing", () => undefined, ["none", "none", "none"]],
    ["a removed tool", (tools) => void tools.delete("create-order"), ["none", "breaks", "breaks"]],
    [
      "an output that is read",
      at("get-order", "outputSchema", (s) => {
        drop(s, "total");
      }),
      ["breaks", "none", "may-break"],
    ],
    [
      "an optional output that no code reads",
      at("get-order", "outputSchema", (s) => {
        drop(s, "note");
      }),
      ["none", "none", "may-break"],
    ],
    [
      "a required output that no code reads",
      at("get-order", "outputSchema", (s) => {
        drop(s, "legacy_id");
      }),
      ["until-pull", "none", "may-break"],
    ],
    [
      "a nested output",
      at("get-order", "outputSchema", (s) => {
        drop(part(s, "customer"), "name");
      }),
      ["breaks", "none", "may-break"],
    ],
    [
      "a nested output that no code reads",
      at("get-order", "outputSchema", (s) => {
        drop(part(s, "customer"), "email");
      }),
      ["until-pull", "none", "may-break"],
    ],
    [
      "an output that may be null",
      at("list-orders", "outputSchema", (s) => {
        s.properties["total"] = { type: ["integer", "null"] };
      }),
      ["breaks", "until-pull", "may-break"],
    ],
    [
      "an output that became optional",
      at("list-orders", "outputSchema", (s) => {
        s.required = ["total"];
      }),
      ["breaks", "breaks", "may-break"],
    ],
    [
      "the type of an output",
      at("create-order", "outputSchema", (s) => {
        s.properties["id"] = { type: "string" };
      }),
      ["none", "breaks", "may-break"],
    ],
    [
      "a value that the code compares",
      at("get-order", "outputSchema", (s) => {
        s.properties["status"] = { type: "string", enum: ["open", "shipped"] };
      }),
      ["breaks", "none", "none"],
    ],
    [
      "a value that no code compares",
      at("get-order", "outputSchema", (s) => {
        s.properties["status"] = { type: "string", enum: ["open", "paid"] };
      }),
      ["none", "none", "none"],
    ],
    [
      "a new required input",
      at("cancel-order", "inputSchema", (s) => {
        s.properties["channel"] = { type: "string" };
        s.required?.push("channel");
      }),
      ["none", "breaks", "may-break"],
    ],
    [
      "an input that became required, and is passed",
      at("cancel-order", "inputSchema", (s) => {
        s.required?.push("id");
      }),
      ["none", "none", "none"],
    ],
    [
      "an input that is passed",
      at("cancel-order", "inputSchema", (s) => {
        drop(s, "reason");
      }),
      ["none", "breaks", "may-break"],
    ],
    [
      "an input that no code passes",
      at("list-orders", "inputSchema", (s) => {
        drop(s, "sort");
      }),
      ["none", "none", "may-break"],
    ],
    [
      "the type of an input",
      at("get-order", "inputSchema", (s) => {
        s.properties["id"] = { type: "string" };
      }),
      ["breaks", "none", "breaks"],
    ],
    [
      "a value that is passed",
      at("list-orders", "inputSchema", (s) => {
        s.properties["status"] = { enum: ["open", "paid"] };
      }),
      ["none", "breaks", "may-break"],
    ],
    [
      "a value that no code passes",
      at("list-orders", "inputSchema", (s) => {
        s.properties["status"] = { type: "string", enum: ["open", "shipped"] };
      }),
      ["none", "none", "may-break"],
    ],
  ];

type Schema = { properties: Record<string, unknown>; required?: string[] };
type Tools = Map<string, { name: string; inputSchema: Schema; outputSchema?: Schema }>;
type Edit = (tools: Tools) => void;

function at(name: string, key: "inputSchema" | "outputSchema", change: (schema: Schema) => void): Edit {
  return (tools) => {
    const schema = tools.get(name)?.[key];
    if (schema === undefined) throw new Error(`The tool ${name} has no ${key}.`);
    change(schema);
  };
}

function part({ properties }: Schema, name: string): Schema {
  return properties[name] as Schema;
}

function drop(schema: Schema, name: string): void {
  if (!Reflect.deleteProperty(schema.properties, name)) throw new Error(`There is no ${name}.`);
  schema.required = (schema.required ?? []).filter((other) => other !== name);
}

const ORDER: readonly Effect[] = ["none", "until-pull", "may-break", "breaks"];

describe("verdicts and what the compiler says", () => {
  it("agree for each change, for three applications", async () => {
    const projects = new Map<ConsumerName, Project>();
    for (const name of CONSUMERS) {
      const project = await makeConsumer(name);
      await exportFrom(project, name);
      expect(await compile(project)).toEqual(new Set());
      projects.set(name, project);
    }
    const [provider] = projects.values();
    if (provider === undefined) throw new Error("There is no application.");
    await provider.write("old.json", await readShop());
    const files = [...projects.values()].map(({ dir }) => join(dir, CONSUMER_NAME));
    /** A copy of an application with the code after an edit. */
    const copyOf = (edit: number, name: ConsumerName): string =>
      join(provider.dir, "edits", String(edit), name);
    const outcomes: (readonly [title: string, verdicts: readonly Effect[]])[] = [];
    for (const [index, [title, edit]] of EDITS.entries()) {
      const tools: Tools = new Map(
        (JSON.parse(await readShop()) as { tools: { name: string; inputSchema: Schema }[] }).tools.map(
          (tool) => [tool.name, tool],
        ),
      );
      edit(tools);
      await provider.write("tools.json", JSON.stringify({ tools: [...tools.values()] }));
      const { document } = await provider.runJson([
        ...["diff", "old.json", "tools.json"],
        ...files.flatMap((file) => ["--consumers", file]),
      ]);
      const verdicts = (document["changes"] as readonly { consumers?: readonly ConsumerVerdict[] }[]).flatMap(
        ({ consumers = [] }) => consumers,
      );
      const worst = CONSUMERS.map((name) =>
        verdicts
          .flatMap(({ consumer, effect }) => (consumer === name ? [effect] : []))
          .reduce<Effect>((a, b) => (ORDER.indexOf(b) > ORDER.indexOf(a) ? b : a), "none"),
      );
      outcomes.push([title, worst]);
      await provider.run(["pull"]);
      const generated = join(provider.dir, "edits", String(index), "generated");
      await cp(join(provider.dir, "generated"), generated, { recursive: true });
      for (const [name, { dir }] of projects) {
        await cp(join(dir, "src"), join(copyOf(index, name), "src"), { recursive: true });
        await symlink(generated, join(copyOf(index, name), "generated"), "junction");
      }
    }
    // Compiled as one project, which reads the declarations of packages once.
    await provider.write(
      "tsconfig.all.json",
      JSON.stringify({ extends: "./tsconfig.json", include: ["edits/*/*/src"] }),
    );
    const wrong = [...(await compile(provider, "tsconfig.all.json"))].map((path) =>
      resolve(provider.dir, path),
    );
    expect(wrong.length).toBeGreaterThan(10);
    for (const [edit, [title, worst]] of outcomes.entries())
      for (const [index, name] of CONSUMERS.entries()) {
        const isBroken = wrong.some((path) => path.startsWith(`${copyOf(edit, name)}${sep}`));
        const own = [title, name, worst[index]];
        if (isBroken) expect(own).toEqual([title, name, expect.stringMatching(/^(?:breaks|may-break)$/)]);
        if (worst[index] === "breaks") expect([...own, isBroken]).toEqual([...own, true]);
      }
    const expected = EDITS.map(([title, , [reader, writer, passer]]) => {
      const byName = { reader, writer, passer };
      return [title, CONSUMERS.map((name) => byName[name])];
    });
    expect(outcomes).toEqual(expected);
  }, 240_000);
});
