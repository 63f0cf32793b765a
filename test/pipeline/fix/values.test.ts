/** `mcp-codegen fix` for values of enumerations, for the configuration, and for renames that only a person sees. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import { commitAll } from "../../e2e/git.js";
import { makeProject, type Project } from "../../e2e/make-project.js";
import { compile, linkPackages } from "../../e2e/user-project.js";

const COMPILER = "node_modules/typescript-7/bin/tsc";

interface Words {
  readonly paid: string;
  readonly gift: string;
  readonly tool: string;
  readonly limit: string;
}

const OLD: Words = { paid: "PAID", gift: "gift", tool: "wipe", limit: "n" };
const NEW: Words = { paid: "paid", gift: "present", tool: "delete_everything", limit: "batch_size" };

/** Two tools with the same enumerations; only those of the first change. */
function toolsOf({ paid, gift, tool, limit }: Words): string {
  const schemas = (status: string, tag: string, tags: string): object => ({
    inputSchema: {
      type: "object",
      properties: {
        status: { type: "string", enum: ["open", status] },
        [tags]: { type: "array", items: { type: "string", enum: ["new", tag] } },
      },
    },
    outputSchema: {
      type: "object",
      properties: {
        status: { type: "string", enum: ["open", status] },
        labels: { type: "array", items: { type: "string", enum: ["new", tag] } },
        lines: { type: "array", items: { type: "object", properties: { sku: { type: "string" } } } },
      },
      required: ["status", "labels"],
    },
  });
  return JSON.stringify({
    tools: [
      { name: "find_orders", description: "Finds orders.", ...schemas(paid, gift, "tags") },
      { name: "find_bills", description: "Finds bills.", ...schemas(OLD.paid, OLD.gift, "tags") },
      {
        name: tool,
        description: tool === OLD.tool ? "Cleans." : "Removes all carts and their lines.",
        inputSchema: {
          type: "object",
          properties: { [limit]: { type: "integer" }, deep: { type: "boolean" } },
        },
      },
    ],
  });
}

/** Every form in which code passes such a value or compares with it, and what looks alike. */
function appOf({ paid, gift }: Words, wrapper: string, limit: string): string {
  return `import { findBills, findOrders, FindOrdersInput, ${wrapper} } from "../generated/shop/index.js";

const both = (isPaid: boolean) => findOrders({ status: isPaid ? "${paid}" : "open", tags: ["new", ("${gift}")] });
const order = await findOrders({ ["status"]: '${paid}' as const });
console.log(FindOrdersInput.parse({ status: "PAID", tags: ["new"] }));
const { status, labels = ["${gift}"] } = await both(true);
const same = order.status;
if (order.status === "${paid}" || "${paid}" !== status || same == \`${paid}\`) console.log("PAID", status);
switch (order["status"]) {
  case "${paid}":
    break;
}
const next: Record<string, string> = { PAID: "open", open: "PAID" };
console.log(next[order.status] === "PAID");
console.log(labels.includes("${gift}"), ["open", "${paid}"].includes(order.status), order.labels[0] === "${gift}");

// The other tool keeps its values, and so does everything that only looks alike.
const bill = await findBills({ status: "PAID", tags: ["gift"] });
if (bill.status === "PAID" && bill.labels.includes("gift")) console.log({ status: "PAID" });
await ${wrapper}({ ${limit}: 3, deep: true });
`;
}

const CONFIG = (tool: string): string => `{
  "servers": {
    // The names of the shop's tools, such as wipe.
    "shop": { "file": "tools.json", "tools": { "include": ["find_*", "${tool}", "delete_*"], "rename": { "${tool}": "clean" } } },
  },
}
`;

async function makeRenamed(): Promise<Project> {
  const project = await makeProject();
  await linkPackages(project.dir);
  await mkdir(join(project.dir, "src"));
  await project.write("mcp-codegen.config.jsonc", CONFIG(OLD.tool));
  await project.write(
    "tsconfig.json",
    JSON.stringify({
      compilerOptions: {
        module: "nodenext",
        target: "es2023",
        strict: true,
        skipLibCheck: true,
        types: [],
        lib: ["es2023", "dom"],
      },
      include: ["src"],
    }),
  );
  await project.write(".gitignore", "node_modules\nout\n");
  await project.write("tools.json", toolsOf(OLD));
  await project.write("src/app.ts", appOf(OLD, "clean", OLD.limit));
  expect((await project.run(["pull"])).exitCode).toBe(0);
  expect((await compile(project.dir, COMPILER, "out")).stdout).toBe("");
  await commitAll(project.dir);
  await project.write("tools.json", toolsOf(NEW));
  expect((await project.run(["pull"])).exitCode).toBe(0);
  return project;
}

it(
  "edits values, properties and tools that a person names, and the configuration",
  { timeout: 120_000 },
  async () => {
    const project = await makeRenamed();
    const shown = await project.runJson(["fix"]);
    const guessed = (shown.document["guessed"] as readonly JsonObject[]).map(({ rename }) => rename);
    // The last two are only possible.
    expect(guessed).toEqual([
      "shop/find_orders.status:PAID=paid",
      "shop/find_orders.tags:gift=present",
      "shop/find_orders.labels:gift=present",
    ]);
    const renames = [
      ...["shop/find_orders.status:PAID=paid", "shop/find_orders.tags:gift=present"],
      ...["shop/find_orders.labels:gift=present", "shop/wipe=delete_everything"],
    ].flatMap((rename) => ["--rename", rename]);
    const { exitCode, document, stderr } = await project.runJson(["fix", "--write", ...renames]);
    expect(stderr).toContain(
      "The configuration changed. To generate the code again: npx mcp-codegen generate",
    );
    expect(await project.read("mcp-codegen.config.jsonc")).toBe(CONFIG(NEW.tool));
    // No type says that texts and the key of a table are a status. The renamed tool's property was not named.
    expect(await project.read("src/app.ts")).toBe(appOf(NEW, "clean", OLD.limit));
    const also = expect.stringContaining("also names `PAID`, renamed to `paid`: ") as string;
    expect(document["left"]).toMatchObject([
      ...[5, 8, 13, 14, 19].map((line) => ({ file: "src/app.ts", line, message: also })),
      { file: "src/app.ts", message: expect.stringContaining("'n'") as string },
    ]);
    expect(exitCode).toBe(1);
    const finished = appOf(NEW, "clean", NEW.limit).replaceAll(
      'parse({ status: "PAID"',
      'parse({ status: "paid"',
    );
    await project.write("src/app.ts", finished);
    expect((await project.run(["generate"])).exitCode).toBe(0);
    expect((await compile(project.dir, COMPILER, "out")).stdout).toBe("");
    await commitAll(project.dir);
    expect((await project.runJson(["fix", "--write"])).document).toMatchObject({
      exitCode: 0,
      files: [],
      left: [],
    });
  },
);

it("says which renames can be named", async () => {
  const project = await makeRenamed();
  const { exitCode, stderr } = await project.run(["fix", "--rename", "shop/find_orders.status:open=paid"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(
    'Unknown rename "shop/find_orders.status:open=paid": the changes of the lock do not include it.',
  );
  const noTool = await project.run(["fix", "--rename", "shop/find_ordrs.status=state"]);
  expect(noTool.stderr).toContain('server "shop" had no tool "find_ordrs".');
  const noServer = await project.run(["fix", "--rename", "store/find_orders.status=state"]);
  expect(noServer.stderr).toContain('there is no locked server "store".');
});
