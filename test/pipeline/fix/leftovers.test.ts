/** What `mcp-codegen fix` leaves: on a second run, in patterns, and in a configuration that it cannot edit. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commitAll } from "../../e2e/git.js";
import type { Project } from "../../e2e/make-project.js";
import { makeChangedProject } from "./changed-project.js";

const TIME = { timeout: 120_000 };

interface Names {
  readonly tool: string;
  readonly limit: string;
  readonly zip: string;
}

const OLD: Names = { tool: "get_order", limit: "limit", zip: "zip" };
const NEW: Names = { tool: "fetch_order", limit: "max_lines", zip: "postcode" };

function toolsOf({ tool, limit, zip }: Names): readonly object[] {
  const address = { type: "object", properties: { [zip]: { type: "string" }, city: { type: "string" } } };
  const other = { type: "object", properties: { zip: { type: "string" } } };
  return [
    {
      name: tool,
      description: "Returns an order with the address of its customer.",
      inputSchema: {
        type: "object",
        properties: {
          id: { type: "integer" },
          [limit]: { type: "integer", minimum: 1 },
          to: { $ref: "#/$defs/address" },
        },
        required: ["id"],
        additionalProperties: false,
        $defs: { address },
      },
      outputSchema: {
        type: "object",
        properties: {
          customer: { $ref: "#/$defs/customer" },
          old: { type: "array", items: { $ref: "#/$defs/address" } },
          other: { $ref: "#/$defs/other" },
        },
        required: ["customer", "old", "other"],
        $defs: {
          customer: {
            type: "object",
            properties: { address: { $ref: "#/$defs/address" } },
            required: ["address"],
          },
          address: { ...address, required: [zip] },
          other,
        },
      },
    },
    { name: "other", description: "Does something else.", inputSchema: { type: "object" } },
  ];
}

async function makeRenamed(files: { readonly [path: string]: string }, now: Names): Promise<Project> {
  return makeChangedProject({ before: toolsOf(OLD), after: toolsOf(now), files });
}

it("lists what is left for as long as it is left, and no guess about names that are gone", TIME, async () => {
  const code = `import { getOrder } from "../generated/shop/index.js";
const order = await getOrder({ id: 1 });
type Key = "customer" | "old";
export const read = (key: Key | "zip") => (key === "zip" ? order.customer.address[key] : order[key]);
`;
  const project = await makeRenamed({ "src/app.ts": code }, { ...OLD, tool: NEW.tool, zip: NEW.zip });
  const renames = ["--rename", "shop/get_order=fetch_order", "--rename", "shop/fetch_order.zip=postcode"];
  const first = await project.runJson(["fix", "--write", ...renames]);
  expect(await project.read("src/app.ts")).toContain("await fetchOrder({ id: 1 })");
  const [left] = first.document["left"] as readonly { readonly line: number }[];
  expect(left?.line).toBe(4);
  const again = await project.runJson(["fix", ...renames]);
  expect(again.document).toMatchObject({ exitCode: 1, files: [], left: first.document["left"] });
  // The rename of the tool is done, so it is not a guess any more.
  const plain = await project.runJson(["fix"]);
  expect(plain.document["guessed"]).toEqual([]);
});

it("lists patterns of the configuration that lose a tool, and what it cannot edit there", TIME, async () => {
  const project = await makeRenamed({ "src/app.ts": 'import "../generated/shop/index.js";\n' }, OLD);
  await project.write(
    "mcp-codegen.config.mjs",
    `const names = ["shop__get_*", "*_order", "shop__oth*"];
export default {
  servers: { shop: { file: "tools.json", categories: { "get_*": "orders" }, tools: { include: ["*"].concat("get_order") } } },
  policy: { roles: { guest: { deny: [{ names }] } } },
};
`,
  );
  await rm(join(project.dir, "mcp-codegen.config.json"));
  await commitAll(project.dir);
  await project.write("tools.json", JSON.stringify({ tools: toolsOf({ ...OLD, tool: NEW.tool }) }));
  expect((await project.run(["pull"])).exitCode).toBe(0);
  const { document } = await project.runJson(["fix", "--rename", "shop/get_order=fetch_order"]);
  const says = (pattern: string, line: number) => ({
    ...{ file: "mcp-codegen.config.mjs", line },
    message: `names \`${pattern}\`, which does not match the new name \`fetch_order\``,
  });
  expect(document["left"]).toEqual([
    says("shop__get_*", 1),
    {
      ...{ file: "mcp-codegen.config.mjs", line: 3 },
      message: "servers.shop names `get_order`, renamed to `fetch_order` on server `shop`",
    },
    says("get_*", 3),
  ]);
});

it("lists patterns that do not match the new name", TIME, async () => {
  const settings = '{ "permissions": { "deny": ["mcp__shop__get_*", "mcp__shop__oth*"] } }\n';
  const files = {
    ".claude/settings.json": settings,
    "src/app.ts": 'import "../generated/shop/index.js";\n',
  };
  const project = await makeRenamed(files, { ...OLD, tool: NEW.tool });
  const { document, exitCode } = await project.runJson(["fix", "--rename", "shop/get_order=fetch_order"]);
  const message = "names `mcp__shop__get_*`, which does not match the new name `fetch_order`";
  expect(document["left"]).toEqual([{ file: ".claude/settings.json", line: 1, message }]);
  expect(exitCode).toBe(1);
});
