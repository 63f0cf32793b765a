import { describe, expect, it } from "vitest";
import { digestOfSchemas } from "../../../src/core/consumer.js";
import type { JsonObject } from "../../../src/core/json.js";
import type { ToolSnapshot } from "../../../src/core/snapshot.js";
import { readShop } from "./make-consumer.js";
import { ASK, commit, edit, fileOf, judge, makeProvider, objects, remove } from "./make-provider.js";

describe("check --consumers", () => {
  it("reports whom a removed output property breaks, and whom not", async () => {
    const project = await makeProvider();
    await edit(project, (tools) => {
      remove(tools["get-order"]?.outputSchema, "customer");
    });
    expect(await judge(project)).toEqual([
      "output-property-removed acme-passer breaks: reads `customer` in 1 place",
      "output-property-removed acme-reader breaks: reads `customer` in 1 place",
      "output-property-removed acme-writer none: does not call `get-order`",
    ]);
  });

  it("reports that validation rejects answers without a required property that no code reads", async () => {
    const project = await makeProvider(["reader"]);
    await edit(project, (tools) => {
      remove(tools["get-order"]?.outputSchema, "legacy_id");
      remove(tools["get-order"]?.outputSchema, "note");
    });
    expect([...(await judge(project))].sort()).toEqual([
      "output-property-removed acme-reader none: does not read `note`",
      "output-property-removed acme-reader until-pull: does not read `legacy_id`, but its validation rejects the new answers until it pulls",
    ]);
    expect((await project.run(["check", ...ASK])).stdout).toContain("no known consumer reads `note`");
  });

  it("judges inputs by what is passed", async () => {
    const project = await makeProvider(["reader", "writer"]);
    await edit(project, (tools) => {
      const list = tools["list-orders"]?.inputSchema;
      remove(list, "sort");
      if (list) list.properties["status"] = { type: "string", enum: ["open", "shipped", "paid "] };
      if (list) list.properties["per_page"] = { type: "integer", minimum: 1, maximum: 20 };
      const create = tools["create-order"]?.inputSchema;
      create?.required?.push("priority");
      if (create) create.properties["priority"] = { type: "string", enum: ["normal", "high"] };
    });
    const verdicts = await judge(project);
    expect(verdicts.filter((line) => line.includes("acme-writer")).sort()).toEqual([
      "input-bound-tightened acme-writer breaks: passes `per_page`: 50 in 1 place",
      'input-enum-value-removed acme-writer may-break: passes `priority`: "low" in 1 place',
      "input-enum-value-removed acme-writer none: passes only values of `status` that are still accepted",
      "input-property-became-required acme-writer may-break: may not pass `priority` in 1 place",
      "input-property-removed acme-writer none: does not pass `sort`",
    ]);
    expect(
      verdicts.filter((line) => line.includes("acme-reader")).every((line) => line.includes(" none: ")),
    ).toBe(true);
  });

  it("never reports as unused what the consumer's file does not know", async () => {
    const project = await makeProvider(["passer"]);
    await edit(project, (tools) => {
      remove(tools["get-order"]?.outputSchema, "note");
      remove(tools["cancel-order"]?.inputSchema, "reason");
      remove(tools["create-order"]?.inputSchema, "priority");
    });
    expect(await judge(project)).toEqual([
      "input-property-removed acme-passer may-break: may pass `reason` in 1 place, is passed on as a function",
      "input-property-removed acme-passer may-break: may pass `priority` in 1 place, is reached by a computed name",
      "output-property-removed acme-passer may-break: may read `note` in 1 place, passes it on to code that may read any of it",
    ]);
  });

  it.each(["text", "markdown", "github", "sarif", "junit", "json", "html"])(
    "prints verdicts as %s",
    async (format) => {
      const project = await makeProvider(["reader"]);
      await edit(project, (tools) => {
        remove(tools["get-order"]?.outputSchema, "customer");
      });
      const { stdout } = await project.run(["check", ...ASK, "--format", format]);
      expect(stdout).toContain("reads `customer` in 1 place");
    },
  );

  it("fails only for changes that break a consumer, with --fail-on consumer", async () => {
    const project = await makeProvider(["reader"]);
    const check = async (): Promise<number> =>
      (await project.run(["check", ...ASK, "--fail-on", "consumer"])).exitCode;
    await edit(project, (tools) => {
      remove(tools["get-order"]?.outputSchema, "note");
      remove(tools["create-order"]?.inputSchema, "priority");
    });
    expect(await check()).toBe(0);
    await edit(project, (tools) => {
      remove(tools["get-order"]?.outputSchema, "total");
    });
    expect(await check()).toBe(1);
    const { exitCode, stderr } = await project.run(["check", "--fail-on", "consumer"]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("No consumers are named")]);
  });

  it("reads check.consumers of the configuration, from its folder", async () => {
    const project = await makeProvider(["reader"]);
    const config = { servers: { shop: { file: "tools.json" } }, output: false };
    await project.write(
      "mcp-codegen.config.json",
      JSON.stringify({ ...config, check: { failOn: "consumer", consumers: ["consumers/*.json"] } }),
    );
    await edit(project, (tools) => {
      remove(tools["get-order"]?.outputSchema, "note");
    });
    expect(await judge(project, [])).toEqual([
      "output-property-removed acme-reader none: does not read `note`",
    ]);
  });
});

describe("diff --consumers", () => {
  it("judges two saved lists", async () => {
    const project = await makeProvider(["reader"]);
    await project.write("old.json", await readShop());
    await edit(project, (tools) => {
      remove(tools["get-order"]?.outputSchema, "total");
    });
    const { exitCode, document } = await project.runJson(["diff", "old.json", "tools.json", ...ASK]);
    const [change] = objects(document["changes"]);
    expect(exitCode).toBe(1);
    expect(objects(change?.["consumers"])[0]).toEqual({
      consumer: "acme-reader",
      effect: "breaks",
      says: "reads `total` in 2 places",
    });
  });
});

it("reports no consumer of a server that diff was not asked to compare", async () => {
  const project = await makeProvider(["reader"]);
  const other = { servers: { shop: { file: "tools.json" }, bank: { file: "bank.json" } }, output: false };
  await project.write("mcp-codegen.config.json", JSON.stringify(other));
  await project.write("bank.json", '{ "tools": [{ "name": "pay", "inputSchema": { "type": "object" } }] }');
  await project.run(["pull"]);
  const { exitCode } = await project.run(["diff", ".", "mcp-codegen.lock.json", "bank", ...ASK]);
  expect(exitCode).toBe(0);
});

describe("consumers that cannot be judged", () => {
  it("reports a definition that the lock never had, and judges it with care", async () => {
    const project = await makeProvider(["reader"]);
    const old = (await fileOf("reader")).replace(/"schemas": "sha256-\w{8}/g, '"schemas": "sha256-00000000');
    await project.write("consumers/reader.json", old);
    const { exitCode, document } = await project.runJson(["check", ...ASK]);
    expect(exitCode).toBe(3);
    expect(objects(document["unverified"])[0]?.["reason"]).toBe(
      'Consumer `acme-reader` ("consumers/reader.json") has a definition of `get-order`, `list-orders` that the lock never had.',
    );
    await edit(project, (tools) => {
      remove(tools["get-order"]?.outputSchema, "note");
    });
    expect(await judge(project)).toEqual([
      "output-property-removed acme-reader may-break: uses a definition of `get-order` that the lock never had",
    ]);
  });

  it("accepts a definition of an earlier commit", async () => {
    const project = await makeProvider(["reader"]);
    commit(project, "first");
    await edit(project, (tools) => {
      remove(tools["get-order"]?.outputSchema, "note");
    });
    await project.run(["pull"]);
    commit(project, "second");
    expect((await project.run(["check", ...ASK])).exitCode).toBe(0);
  });

  it("reports consumers of other servers", async () => {
    const project = await makeProvider(["reader"]);
    const other = (await fileOf("reader"))
      .replaceAll('"shop"', '"bank"')
      .replaceAll(/"schemas": "sha256-\w{8}/g, '"schemas": "sha256-00000000');
    await project.write("consumers/reader.json", other);
    const { exitCode, stdout } = await project.run(["check", ...ASK]);
    expect(exitCode).toBe(3);
    expect(stdout).toContain("has no tool that these servers have or had");
    await edit(project, (tools) => {
      remove(tools["get-order"]?.outputSchema, "customer");
    });
    const changed = await project.run(["check", ...ASK]);
    expect(changed.stdout).toContain("may break acme-reader: its file fits none of these servers");
  });

  it("knows a server that the consumer calls differently by definitions of earlier locks", async () => {
    const project = await makeProvider([]);
    await project.run(["pull"]);
    commit(project, "second");
    await project.write("consumers/reader.json", (await fileOf("reader")).replaceAll('"shop"', '"store"'));
    expect((await project.run(["check", ...ASK])).exitCode).toBe(0);
    await edit(project, (tools) => {
      remove(tools["get-order"]?.outputSchema, "customer");
    });
    expect((await judge(project)).join("\n")).toMatch(/acme-reader breaks: reads `customer/);
  });

  it("does not blame a safe change for what another one rejects", async () => {
    const project = await makeProvider(["passer"]);
    const statuses = (values: readonly string[]): Promise<void> =>
      edit(project, (tools) => {
        const schema = tools["list-orders"]?.inputSchema;
        if (schema !== undefined) schema.properties["status"] = { type: "string", enum: values };
      });
    await statuses(["open", "paid", "sent"]);
    await project.run(["pull"]);
    const { tools } = JSON.parse(await project.read("tools.json")) as { tools: readonly ToolSnapshot[] };
    const schemas = tools.filter(({ name }) => name === "list-orders").map(digestOfSchemas)[0];
    const consumer = JSON.parse(await fileOf("passer")) as { servers: Record<string, { tools: JsonObject }> };
    const use = {
      digest: "sha256-a",
      schemas,
      calls: [{ places: 1, input: { status: "open" } }],
      reads: [],
    };
    Object.assign(consumer.servers["shop"]?.tools ?? {}, { "list-orders": use });
    await project.write("consumers/passer.json", JSON.stringify(consumer));
    await statuses(["paid", "sent", "new"]);
    const verdicts = await judge(project);
    expect(verdicts.filter((line) => line.startsWith("input-enum-value"))).toEqual([
      expect.stringContaining("input-enum-value-removed acme-passer breaks: passes `status`"),
    ]);
  });

  it.each([
    ["no file", undefined, 'No consumer\'s file matches "consumers/*.json".'],
    [
      "no JSON",
      '{\n  "consumerVersion": 1,\n  oops\n}',
      '"consumers/reader.json" is not JSON at line 3, column 3',
    ],
    ["another file", '{ "lockfileVersion": 1 }', "is not valid at consumerVersion: expected 1"],
    ["a newer version", '{ "consumerVersion": 2 }', "has consumerVersion 2"],
    [
      "a wrong value",
      '{ "consumerVersion": 1, "consumer": "a", "servers": { "shop": { "contract": "1.0.0", "answers": "x" } } }',
      'is not valid at servers.shop.answers: expected "strict"',
    ],
    [
      "control characters",
      `{ "consumerVersion": 1, "consumer": ${JSON.stringify("a\u001b[31m")}, "servers": { ${JSON.stringify("\u001b[31m")}: 1 } }`,
      "expected a name such as my_server",
    ],
  ])("refuses %s", async (_what, text, message) => {
    const project = await makeProvider([]);
    if (text !== undefined) await project.write("consumers/reader.json", text);
    const { exitCode, stderr } = await project.run(["check", ...ASK]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("\u001b[31m");
  });

  it("refuses a file that is too large", async () => {
    const project = await makeProvider([]);
    await project.write("consumers/reader.json", `"${"x".repeat(17 * 1024 * 1024)}"`);
    const { exitCode, stderr } = await project.run(["check", ...ASK]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('"consumers/reader.json" holds more than 16 MiB'),
    ]);
  });
});
