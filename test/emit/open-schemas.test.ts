/** With `schemas: "open"`, generated schemas of objects have `.shape`, `.pick` and `.extend`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject, type Project } from "../e2e/make-project.js";
import { COMPILERS, compile, linkPackages, NEWEST, runBinary, runNode } from "../e2e/user-project.js";

const LIST = {
  tools: [
    {
      name: "add-product",
      inputSchema: {
        type: "object",
        properties: {
          name: { type: "string", minLength: 1, description: "Shown in the shop." },
          price: { $ref: "#/$defs/Money" },
          note: { type: "string" },
        },
        required: ["name", "price"],
        additionalProperties: false,
        $defs: {
          Money: {
            type: "object",
            properties: { cents: { type: "integer" }, currency: { $ref: "#/$defs/Currency" } },
            required: ["cents"],
          },
          Currency: { type: "object", properties: { code: { type: "string", maxLength: 3 } } },
        },
      },
      outputSchema: {
        type: "object",
        properties: { id: { type: "integer" }, note: { type: "string" } },
        required: ["id"],
      },
    },
    {
      name: "find",
      inputSchema: { type: "object", properties: { id: { type: "integer" } }, minProperties: 1 },
    },
    {
      name: "by-reference",
      inputSchema: {
        $ref: "#/$defs/Order",
        $defs: { Order: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } },
      },
    },
  ],
};

const MAIN = `
import * as z from "zod";
import { AddProductInput, AddProductOutput, ByReferenceInput, FindInput } from "./generated/shop/index.js";
import { Currency, Money } from "./generated/shop/add-product.js";

type Mutual<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
true satisfies Mutual<z.output<typeof Money>, Money>;
true satisfies Mutual<z.output<typeof Currency>, Currency>;
true satisfies Mutual<z.output<typeof ByReferenceInput>, ByReferenceInput>;
const euros = Money.pick({ cents: true }).extend({ currency: z.literal("EUR") });

const form = AddProductInput.pick({ name: true }).extend({ agree: z.literal(true) });
const filled: z.infer<typeof form> = { name: "Rolls", agree: true };
const short: z.infer<typeof form>["name"] = filled.name;
const whole: AddProductInput = AddProductInput.parse({ name: short, price: { cents: 1 } });
const inferred: z.infer<typeof AddProductInput> = whole;
const same: AddProductInput = inferred;
const note: string | undefined = AddProductOutput.shape.note.parse("fresh");
// Zod refuses to pick from an object with a check of the whole, so this one stays as it is.
const found: z.ZodType<FindInput, FindInput> = FindInput;
console.log(
  JSON.stringify([
    form.safeParse(filled).success,
    form.safeParse({ ...filled, agree: false }).success,
    form.safeParse({ ...filled, name: "" }).success,
    AddProductInput.shape.name.description,
    Object.keys(AddProductInput.shape),
    same.price.cents,
    note,
    found.safeParse({}).success,
    euros.safeParse({ cents: 1, currency: "EUR" }).success,
    Money.safeParse({ cents: 1, currency: { code: "EURO" } }).success,
    Object.keys(Currency.shape),
    Object.keys(ByReferenceInput.shape),
  ]),
);
`;

async function makeShop(schemas: "open" | "closed"): Promise<Project> {
  const project = await makeProject({ schemas, servers: { shop: { file: "list.json" } } });
  await project.writeJson("list.json", LIST);
  await linkPackages(project.dir);
  const pulled = await runBinary(project.dir, ["pull"]);
  expect(pulled.exitCode, pulled.stderr).toBe(0);
  await writeFile(join(project.dir, "main.ts"), MAIN);
  const compilerOptions = {
    ...{ target: "es2023", module: "nodenext", types: [], strict: true, skipLibCheck: true },
    ...{ declaration: true, isolatedDeclarations: true, exactOptionalPropertyTypes: true },
    lib: ["es2023", "esnext.disposable", "dom"],
  };
  await project.writeJson("tsconfig.json", { compilerOptions, include: ["main.ts"] });
  return project;
}

describe('schemas: "open"', () => {
  it.each(COMPILERS)(
    "lets a program pick, extend and read properties, under TypeScript %s",
    async (version, compiler) => {
      const project = await makeShop("open");
      expect(await compile(project.dir, compiler, `out-${version}`)).toMatchObject({
        exitCode: 0,
        stdout: "",
      });
      const { stdout, stderr } = await runNode(project.dir, [`out-${version}/main.js`]);
      expect(stderr).toBe("");
      expect(JSON.parse(stdout)).toEqual([
        ...[true, false, false, "Shown in the shop.", ["name", "price", "note"], 1, "fresh", false],
        ...[true, false, ["code"], ["id"]],
      ]);
    },
  );

  it("is not the default", async () => {
    const project = await makeShop("closed");
    const { exitCode, stdout } = await compile(project.dir, NEWEST, "out");
    expect(exitCode).not.toBe(0);
    expect(stdout).toContain("Property 'pick' does not exist");
  });
});
