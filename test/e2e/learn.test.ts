import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { OBSERVED_NAME } from "../../src/core/observed.js";
import { makeProject, type Project } from "./make-project.js";
import { linkPackages, runNode, runTypeScript } from "./user-project.js";

const BIN = fileURLToPath(new URL("../../bin/mcp-codegen.js", import.meta.url));
const ANSWERS = fileURLToPath(new URL("../servers/answers.js", import.meta.url));

async function configure(project: Project, args: readonly string[] = [], more: object = {}): Promise<void> {
  const shop = { command: "node", args: [ANSWERS, ...args], ...more };
  await project.configure({ servers: { shop } });
}

/** A project with a lock and no recorded call. */
async function pulled(): Promise<Project> {
  const project = await makeProject();
  await configure(project);
  await project.prints("pull", 0);
  return project;
}

async function record(project: Project, tool: string, ids: readonly number[]): Promise<void> {
  for (const id of ids) await project.prints(["call", "--record", `shop__${tool}`, "--id", String(id)], 0);
}

describe("generate --learn", () => {
  it("gives tools without an output schema a type, which a program uses", async () => {
    const project = await pulled();
    for (const tool of ["get-order", "find-orders", "greet"]) await record(project, tool, [1, 2, 3, 4]);
    await project.reports("generate --learn", {
      tools: [
        { tool: "find-orders", status: "new", samples: 4, answers: "json" },
        { tool: "get-order", status: "new", samples: 4, answers: "structured" },
        { tool: "greet", status: "new", samples: 4, answers: "text" },
      ],
      ...{ files: 3, unrecorded: 0, wrote: true },
    });
    expect((await project.run("generate --learn --fresh")).stdout).toContain(
      "no longer as { text, content }. Code that reads .text passes onContent",
    );
    const observed = await project.read(OBSERVED_NAME);
    for (const value of ["ann", "Ring", "T2", "2026-03"]) expect(observed).not.toContain(value);
    // The code is older than the observations now.
    await project.prints("check --offline", 1, "stale    shop/get-order.ts");
    await project.prints("generate", 0);
    await project.prints("check", 0);
    const code = await project.read("generated/shop/get-order.ts");
    expect(code).toContain("the type of the answer is observed, from 4 answers");
    expect(code).toContain("observed: 4");

    const program = `import { connect } from "./generated/shop/index.js";
       await using shop = connect();
       const order = await shop.getOrder({ id: 2 });
       const { orders, total } = await shop.findOrders({ id: 5 });
       const tracking: string | undefined = orders[0]?.tracking;
       const note: string | null = order.customer.note;
       // @ts-expect-error No answer had it.
       order.price;
       const words = await shop.greet({ id: 1 });
       const texts: (string | undefined)[] = [];
       const onContent = (blocks: readonly { readonly text?: string }[]) => void texts.push(blocks[0]?.text);
       await shop.getOrder({ id: 2 }, { onContent });
       await shop.findOrders({ id: 5 }, { onContent });
       if (texts[0] !== "See below." || texts[1]?.startsWith('{"orders":') !== true) throw new Error(String(texts));
       console.log(JSON.stringify([order.id, total, tracking ?? "none", note, words.text]));`;
    expect(await runTypeScript(project, program)).toEqual([2, 2, "none", "Ring twice.", "Hello 1."]);
  });

  it("widens with more answers, forgets with --fresh, nothing without a cassette, and refuses a folder without one", async () => {
    const project = await pulled();
    await record(project, "get-order", [1]);
    await project.run("generate --learn");
    const first = JSON.parse(await project.read(OBSERVED_NAME)) as object;
    await record(project, "get-order", [2, 3]);
    await project.reports("generate --learn", { tools: [{ status: "widened", samples: 3 }] });
    await project.reports("generate --learn", { tools: [{ status: "unchanged" }], wrote: false });
    const path = "cassettes/shop/get-order.json";
    const cassette = JSON.parse(await project.read(path)) as { readonly calls: readonly object[] };
    await project.writeJson(path, { ...cassette, calls: cassette.calls.slice(0, 1) });
    await project.reports("generate --learn", { tools: [{ status: "unchanged" }] });
    await project.run("generate --learn --fresh");
    expect(JSON.parse(await project.read(OBSERVED_NAME))).toEqual(first);
    await project.refuses("generate --learn --fresh --from cassets", 'No cassette is in "cassets".');
    await rm(join(project.dir, "cassettes"), { recursive: true });
    await project.prints("generate --learn --fresh", 0, "No cassette was found.");
    expect(JSON.parse(await project.read(OBSERVED_NAME))).toEqual(first);
  });

  it("an observation of another definition is not used, and check says so", async () => {
    const project = await pulled();
    await record(project, "get-order", [1, 2]);
    await project.run("generate --learn");
    await project.run("generate");
    await configure(project, ["--revision", "2"]);
    await project.run("pull");
    expect(await project.read("generated/shop/get-order.ts")).not.toContain("observed");
    await project.prints("check", 0, "[OBSERVATION_STALE]");
    await record(project, "get-order", [5]);
    await project.reports("generate --learn", { tools: [{ tool: "get-order" }] });
    expect((await project.run("check")).stdout).not.toContain("OBSERVATION_STALE");
  });

  it("a schema that the server begins to declare is compared with what was observed", async () => {
    const project = await pulled();
    await record(project, "get-order", [1, 2]);
    await project.run("generate --learn");
    await configure(project, ["--declared", "yes"]);
    for (const argv of [["check"], ["pull", "--dry-run"]]) {
      const { stdout } = await project.run(argv);
      expect(stdout, argv.join(" ")).toMatch(/output\.id type: .*integer.*string.*\[output-type-changed/);
      expect(stdout).toContain("output-schema-added");
      expect(stdout).toContain("callers relied on what was learned");
    }
  });

  it("adds the shapes of answers at run time, for the contract that is locked", async () => {
    const project = await pulled();
    await linkPackages(project.dir);
    // One process: it connects with an older contract, with that of the lock, and with a folder that does not exist.
    await writeFile(
      join(project.dir, "program.mjs"),
      `import { existsSync } from "node:fs";
       import { connectTools, defineTool } from "mcp-codegen/codegen";
       import { defineServer } from "mcp-codegen/runtime";
       import * as z from "zod";
       const learn = async (contract, learn) => {
         const server = defineServer({ name: "shop", contract, command: process.execPath, args: [${JSON.stringify(ANSWERS)}] });
         const getOrder = defineTool({ server, name: "get-order", input: z.any(), inputSchema: () => ({}) });
         const shop = connectTools(server, { getOrder }, { learn });
         await Promise.all([1, 2, 3].map((id) => shop.getOrder({ id })));
         await shop.close();
       };
       await learn("0.9.0", true);
       console.log(existsSync(${JSON.stringify(OBSERVED_NAME)}));
       await learn("1.0.0", true);
       console.error("lost");
       await learn("1.0.0", "nowhere");`,
    );
    const { exitCode, stdout, stderr } = await runNode(project.dir, ["program.mjs"]);
    expect([exitCode, stdout, stderr]).toEqual([
      0,
      "false\n",
      expect.stringMatching(/^lost\n.*Nothing is learned from an answer/) as string,
    ]);
    const schema = { required: ["customer", "id", "placed_at", "status"] };
    const shop = { "get-order": { samples: 3, schema } };
    expect(JSON.parse(await project.read(OBSERVED_NAME))).toMatchObject({ servers: { shop } });
    expect(await project.read(OBSERVED_NAME)).not.toContain("ann");
  });

  it("a schema in the configuration comes before an observation", async () => {
    const project = await pulled();
    await record(project, "get-order", [1]);
    await project.run("generate --learn");
    const order = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
    await project.writeJson("order.json", order);
    await configure(project, [], { outputs: { "get-order": "order.json", greet: { type: "string" } } });
    await project.prints("generate", 0);
    const code = await project.read("generated/shop/get-order.ts");
    expect(code).toContain("id: string");
    expect(code).not.toContain("observed");
    expect(await project.read("generated/shop/greet.ts")).toContain("GreetOutput");
    const outputs = { "get-ordr": {}, "get-order": "order.json" };
    await configure(project, ["--declared", "yes"], { outputs });
    await project.run("pull");
    const has = (text: string): string => expect.stringContaining(text) as string;
    await project.reports("check --offline", {
      notes: [
        { rule: "OUTPUT_UNUSED", tool: "get-ordr", message: has("does not list such a tool") },
        { rule: "OUTPUT_UNUSED", tool: "get-order", message: has("declares its own") },
      ],
    });
    await project.write("order.json", "[]");
    await project.refuses(
      "check --offline",
      '"order.json", an output schema of the configuration, holds no JSON Schema.',
    );
  });

  it("a mock answers as a tool was seen to answer, or as the configuration states", async () => {
    const project = await pulled();
    await record(project, "get-order", [1, 2, 3]);
    await record(project, "find-orders", [1, 2, 3]);
    await project.run("generate --learn");
    const mock = { command: "node", args: [BIN, "mock", "shop"], cwd: "." };
    const greeting = { type: "object", properties: { title: { type: "string" } }, required: ["title"] };
    await configure(project, [], { outputs: { greet: greeting }, environments: { mock } });
    await project.prints("generate", 0);
    const call = async (tool: string): Promise<unknown> => {
      const { stdout, stderr } = await project.run(["call", tool, "--id", "7", "--env", "mock"]);
      expect(stdout, stderr).toMatch(/^\{/);
      return JSON.parse(stdout) as unknown;
    };
    const order = await call("get-order");
    expect(order).toMatchObject({ id: 7, customer: { email: expect.stringContaining("@") as string } });
    expect(await call("get-order")).toEqual(order);
    expect(await call("find-orders")).toMatchObject({ total: expect.any(Number) as number });
    expect(await call("greet")).toEqual({ title: expect.any(String) as string });
  });

  it("says what is missing", async () => {
    const project = await pulled();
    expect((await project.run("generate --learn")).stdout).toContain("No cassette was found.");
    await configure(project, ["--declared", "yes"]);
    await project.run("pull");
    // The answer does not fit the declared schema, and is recorded.
    await project.run("call --record shop__get-order --id 1");
    const { stdout } = await project.run("generate --learn");
    expect(stdout).toContain("Nothing to learn: 1 file of cassettes, and no answer of a tool without");
    await project.write(OBSERVED_NAME, '{ "observedVersion": 1, "servers": { "shop": { "greet": {} } } }');
    await project.refuses(
      "generate",
      `"${OBSERVED_NAME}" is invalid at 1:48: servers.shop.greet.digest: expected a string.`,
    );
  });
});
