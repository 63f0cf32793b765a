/** What `mcp-codegen fix` lists in files that the compiler does not read: components, and files that agents read. */
import { expect, it } from "vitest";
import type { Project } from "../../e2e/make-project.js";
import { makeChangedProject } from "./changed-project.js";

const TIME = { timeout: 120_000 };

const toolOf = (state: string, total: string): object => ({
  name: "get_order",
  description: "Returns an order.",
  inputSchema: { type: "object", properties: { id: { type: "integer" } } },
  outputSchema: {
    type: "object",
    properties: { [total]: { type: "number" }, state: { type: "string", enum: ["open", state] } },
    required: [total, "state"],
  },
});

const OTHER = { name: "other", description: "Does something else.", inputSchema: { type: "object" } };

function makeShop(files: Readonly<Record<string, string>>): Promise<Project> {
  return makeChangedProject({
    before: [toolOf("PAID", "total"), OTHER],
    after: [toolOf("paid", "amount"), OTHER],
    files: {
      "src/tools.ts": 'export type { GetOrderOutput as Order } from "../generated/shop/index.js";\n',
      ...files,
    },
  });
}

async function list(files: Readonly<Record<string, string>>) {
  const project = await makeShop(files);
  const renames = ["state:PAID=paid", "total=amount"];
  const named = renames.flatMap((name) => ["--rename", `shop/get_order.${name}`]);
  return (await project.runJson(["fix", ...named])).document["left"];
}

/** A component that takes a type of the tool from another module. */
const component = (module: string): string => `<script setup lang="ts">
import type { Order } from "${module}";
const { order } = defineProps<{ order: Order }>();
</script>
<template><b v-if="order.state !== 'PAID'">{{ order.total + order.total }}</b> PAID</template>
`;

it(
  "lists properties and values in components that take their types from the user's own module",
  TIME,
  async () => {
    const left = await list({
      "web/Order.vue": component("../src/tools.js"),
      "web/Alias.vue": component("@/src/tools"),
      "web/Other.vue": component("../src/other.js"),
    });
    const says = (from: string, to: string): string =>
      `may use \`${from}\`, renamed to \`${to}\`, but fix does not edit files of this kind`;
    expect(left).toEqual(
      ["web/Alias.vue", "web/Order.vue"].flatMap((file) => [
        { file, line: 5, message: says("PAID", "paid") },
        { file, line: 5, message: says("total", "amount") },
      ]),
    );
  },
);

it("reports likely and possible renames of names that only a component has", TIME, async () => {
  const run = async (module: string): Promise<object> =>
    (await (await makeShop({ "web/Order.vue": component(module) })).runJson(["fix"])).document;
  const message = "may use `PAID`, renamed to `paid`, but fix does not edit files of this kind";
  expect(await run("../src/tools.js")).toMatchObject({
    guessed: [{ rename: "shop/get_order.total=amount" }],
    left: [{ file: "web/Order.vue", line: 5, message }],
  });
  expect(await run("../src/other.js")).toMatchObject({ guessed: [], left: [] });
});

it("lists values in files for agents beside their tool", TIME, async () => {
  const left = await list({
    "AGENTS.md": `Call \`get_order\`, and look for \`state: PAID\` and \`total\`, \`total\`.
It is PAID then. Or call mcp__shop__other, which has \`PAID\` as well.
`,
  });
  expect(left).toEqual([
    { file: "AGENTS.md", line: 1, message: "names `PAID`, renamed to `paid`" },
    { file: "AGENTS.md", line: 1, message: "names `total`, renamed to `amount`" },
  ]);
});
