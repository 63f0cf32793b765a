/** Consumers whose locked definitions an earlier change of the lock breaks: reported, but not as a new break. */
import { describe, expect, it } from "vitest";
import { REPORT_FLAGS } from "../../../src/cli/options.js";
import type { Project } from "../../e2e/make-project.js";
import { readShop } from "./make-consumer.js";
import { ASK, commit, edit, fileOf, judge, makeProvider, objects, remove, text } from "./make-provider.js";

/** The notes of a check or diff about earlier changes. */
async function notes(
  project: Project,
  argv: readonly string[] = ["check", ...ASK],
): Promise<readonly string[]> {
  const { document } = await project.runJson(argv);
  return objects(document["diagnostics"])
    .filter(({ code }) => code === "CONSUMER_BROKEN")
    .map(({ tool, path, message }) => `${text(tool)}${text(path)}: ${text(message)}`);
}

async function removeOutput(project: Project, ...names: readonly string[]): Promise<void> {
  await edit(project, (tools) => {
    for (const name of names) remove(tools["get-order"]?.outputSchema, name);
  });
}

/** Locks and commits a change of the tools. */
async function release(project: Project, message: string): Promise<void> {
  const { exitCode, stderr } = await project.run(["pull"]);
  if (exitCode !== 0) throw new Error(stderr);
  commit(project, message);
}

const CUSTOMER =
  "get-order/outputSchema/properties/customer: already breaks acme-reader since 2.0.0: reads `customer` in 1 place";

/** A provider whose second version breaks the reader; the third does not. */
async function makeBroken(): Promise<Project> {
  const project = await makeProvider(["reader"]);
  commit(project, "first");
  await removeOutput(project, "customer");
  await release(project, "second");
  await edit(project, (tools) => {
    const schema = tools["get-order"]?.inputSchema;
    if (schema !== undefined) schema.properties["trace"] = { type: "string" };
  });
  await release(project, "third");
  return project;
}

describe("a consumer that the lock breaks", () => {
  it("is reported with the version that broke it, and fails no check", async () => {
    const project = await makeBroken();
    expect(await notes(project)).toEqual([CUSTOMER]);
    const { exitCode, stdout } = await project.run(["check", ...ASK, "--fail-on", "consumer"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("already breaks acme-reader since 2.0.0: reads `customer` in 1 place");
  });

  it("is not reported below the change under review, which has its own verdict", async () => {
    const project = await makeBroken();
    await removeOutput(project, "total");
    expect(await notes(project)).toEqual([CUSTOMER]);
    expect(await judge(project)).toEqual([
      "output-property-removed acme-reader breaks: reads `total` in 2 places",
    ]);
    expect((await project.run(["check", ...ASK, "--fail-on", "consumer"])).exitCode).toBe(1);
  });

  it("is not reported if a later version takes the change back", async () => {
    const project = await makeBroken();
    await project.write("tools.json", await readShop());
    await edit(project, (tools) => {
      const schema = tools["get-order"]?.inputSchema;
      if (schema !== undefined) schema.properties["locale"] = { type: "string" };
    });
    await release(project, "fourth");
    expect(await notes(project)).toEqual([]);
  });

  it("may be one whose validation rejects the answers", async () => {
    const project = await makeProvider(["reader"]);
    commit(project, "first");
    await removeOutput(project, "legacy_id");
    await release(project, "second");
    expect(await notes(project)).toEqual([
      "get-order/outputSchema/properties/legacy_id: already affects acme-reader since 2.0.0: does not read `legacy_id`, but its validation rejects the new answers until it pulls",
    ]);
  });

  it("may use a tool that was removed", async () => {
    const project = await makeProvider(["reader"]);
    commit(project, "first");
    const list = JSON.parse(await project.read("tools.json")) as { tools: { name: string }[] };
    const left = list.tools.filter(({ name }) => name !== "get-order");
    await project.write("tools.json", JSON.stringify({ tools: left }));
    await release(project, "second");
    expect(await notes(project)).toEqual([
      "get-order: already breaks acme-reader since 2.0.0: calls `get-order` in 1 place",
    ]);
    expect((await project.run(["check", ...ASK])).exitCode).toBe(0);
  });

  it("is not reported in a comparison with a version before its own", async () => {
    const project = await makeBroken();
    await removeOutput(project, "note");
    await release(project, "fourth");
    const against = async (ref: string): Promise<readonly string[]> =>
      notes(project, ["check", "--against", ref, ...ASK]);
    expect(await against("HEAD~1")).toEqual([CUSTOMER]);
    expect(await against("HEAD~3")).toEqual([]);
    expect(await notes(project, ["diff", "HEAD~1", "HEAD", ...ASK])).toEqual([CUSTOMER]);
  });

  it("is reported in a comparison of locks that have the same definition", async () => {
    const project = await makeBroken();
    const lock = "mcp-codegen.lock.json";
    expect(await notes(project, ["diff", "HEAD", lock, ...ASK])).toEqual([CUSTOMER]);
  });

  it("is reported by a lock that is not committed yet", async () => {
    const project = await makeProvider(["reader"]);
    commit(project, "first");
    await removeOutput(project, "customer");
    expect((await project.run(["pull"])).exitCode).toBe(0);
    expect(await notes(project)).toEqual([CUSTOMER]);
    const lock = "mcp-codegen.lock.json";
    expect(await notes(project, ["diff", lock, "tools.json", ...ASK])).toEqual([CUSTOMER]);
    expect(await notes(project, ["diff", lock, lock, ...ASK])).toEqual([CUSTOMER]);
    // Here it is the change under review.
    expect(await notes(project, ["diff", "HEAD", lock, ...ASK])).toEqual([]);
  });

  it("is reported by a server that has another definition than every lock", async () => {
    const project = await makeProvider(["reader"]);
    commit(project, "first");
    const current = await project.read("tools.json");
    await removeOutput(project, "customer");
    await project.write("shop.json", await project.read("tools.json"));
    await project.write("tools.json", current);
    await removeOutput(project, "note");
    await release(project, "second");
    expect(await notes(project, ["diff", "shop.json", "shop.json", ...ASK])).toEqual([
      CUSTOMER.replace(" since 2.0.0", ""),
    ]);
  });

  it("is not verified in locks that never had its definition", async () => {
    const project = await makeProvider(["reader"]);
    await removeOutput(project, "customer");
    expect((await project.run(["pull"])).exitCode).toBe(0);
    commit(project, "first");
    const lock = "mcp-codegen.lock.json";
    const { document } = await project.runJson(["diff", "HEAD", lock, ...ASK]);
    expect(objects(document["unverified"]).map(({ reason }) => reason)).toEqual([
      'Consumer `acme-reader` ("consumers/reader.json") has a definition of `get-order` that the lock never had.',
    ]);
    expect(document["exitCode"]).toBe(3);
  });

  it("is in every format of a check and a comparison, with the consumer's file", async () => {
    const project = await makeBroken();
    const formats = REPORT_FLAGS.format.choices;
    for (const command of [["check"], ["diff", "HEAD~1", "HEAD"]]) {
      const reports = formats.flatMap((format) => ["--report", `${format}=reports/${format}`]);
      await project.run([...command, ...ASK, ...reports]);
      for (const format of formats)
        expect(await project.read(`reports/${format}`)).toContain("already breaks acme-reader since 2.0.0");
      expect(await project.read("reports/github")).toMatch(
        /^::warning file=consumers\/reader\.json,line=1,/m,
      );
    }
  });
});

interface Move {
  /** Removes the key in one commit, and adds the other in the next. */
  readonly inTwoCommits: boolean;
  /** The name that the server gives itself, before and after. */
  readonly names?: readonly [before: string, after: string];
}

/** Locks the server with another key, after it lost a property and each of its tools changed. */
async function moveToStore(
  project: Project,
  { inTwoCommits, names = ["acme", "acme"] }: Move,
): Promise<void> {
  const setName = async (name: string): Promise<void> => {
    const list = JSON.parse(await project.read("tools.json")) as object;
    await project.write("tools.json", JSON.stringify({ ...list, serverInfo: { name, version: "1" } }));
  };
  await setName(names[0]);
  expect((await project.run(["pull"])).exitCode).toBe(0);
  commit(project, "first");
  const config = (servers: object): string => JSON.stringify({ servers, output: false });
  const accept = ["--accept", "tool-name-taken", "--reason", "the same tools"];
  if (inTwoCommits) {
    await project.write(
      "other.json",
      JSON.stringify({ tools: [{ name: "ping", inputSchema: { type: "object" } }] }),
    );
    await project.write("mcp-codegen.config.json", config({ other: { file: "other.json" } }));
    expect((await project.run(["pull", "--remove"])).exitCode).toBe(0);
    commit(project, "without the shop");
  }
  await setName(names[1]);
  await project.write("mcp-codegen.config.json", config({ store: { file: "tools.json" } }));
  await edit(project, (tools) => {
    for (const tool of Object.values(tools)) tool.inputSchema.properties["trace"] = { type: "string" };
    remove(tools["get-order"]?.outputSchema, "customer");
  });
  expect((await project.run(["pull", "--remove", ...accept])).exitCode).toBe(0);
  commit(project, "second");
  await project.write("consumers/reader.json", await fileOf("reader"));
}

describe("a server with another key", () => {
  it.each([false, true])(
    "is known by the history of the lock (key removed and added in two commits: %s)",
    async (inTwoCommits) => {
      const project = await makeProvider([]);
      await moveToStore(project, { inTwoCommits });
      expect((await project.run(["check", ...ASK])).exitCode).toBe(0);
      await removeOutput(project, "total");
      expect(await judge(project)).toEqual([
        "output-property-removed acme-reader breaks: reads `total` in 2 places",
      ]);
      expect(await notes(project)).toEqual([CUSTOMER.replace("2.0.0", "1.0.0")]);
    },
  );

  it("is reported if its name is another one too, and no commit has both keys", async () => {
    const project = await makeProvider([]);
    await moveToStore(project, { inTwoCommits: true, names: ["acme", "store"] });
    const { document } = await project.runJson(["check", ...ASK]);
    expect(document["exitCode"]).toBe(3);
    expect(objects(document["unverified"]).map(({ reason, hint }) => [reason, hint])).toEqual([
      [
        '"consumers/reader.json" of consumer `acme-reader` is for server `shop` of an earlier lock, and none of these servers continues it.',
        'If the server has another key and name now, ask the consumer to run "npx mcp-codegen pull" and "npx mcp-codegen export". Else remove the file.',
      ],
    ]);
  });
});
