/** The parts of the documentation that are written from data. `npx vitest run --config test/vitest.config.ts test/docs -u` accepts. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { describe, expect, test } from "vitest";
import { printDoors } from "./print-doors.js";
import { printRules } from "./print-rules.js";
import { printSupport } from "./print-support.js";
import { printSiteProblems } from "../wordpress/site-problems.js";
import { printConfigReference, readConfigKeys } from "./print-config-reference.js";

const doc = (name: string): string => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));

/** The text between the marks of a table in a document must be the table, as Prettier writes it. */
async function expectFresh(name: string, mark: string, table: string): Promise<void> {
  const path = doc(name);
  const [before, rest] = readFileSync(path, "utf8").split(`<!-- ${mark} -->\n`);
  const after = rest?.split(`\n<!-- end of ${mark} -->`)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/${name} has no marks around its table.`);
  const written = `${before}<!-- ${mark} -->\n\n${table}\n\n<!-- end of ${mark} -->${after}`;
  const formatted = await format(written, { ...(await resolveConfig(path)), parser: "markdown" });
  await expect(formatted).toMatchFileSnapshot(path);
}

test("docs/drift.md has the rules of the table that judges", () =>
  expectFresh("drift.md", "rules", printRules()));

test("docs/moving-to-0.2.md has what each entry exports", () =>
  expectFresh("moving-to-0.2.md", "doors", printDoors()));

test("docs/schemas.md has the support that printing shows", () =>
  expectFresh("schemas.md", "support", printSupport()));

test("docs/wordpress.md has what is printed about each site that is set up wrongly", async () =>
  expectFresh("wordpress.md", "site problems", await printSiteProblems()));

describe("docs/configuration.md", () => {
  test("has the keys that the interfaces have, with their descriptions", () =>
    expectFresh("configuration.md", "keys", printConfigReference()));

  test.each([
    ["Config", (schema: Schema) => schema],
    ["ServerConfig", (schema: Schema) => serverOf(schema)],
    ["ToolsConfig", (schema: Schema) => serverOf(schema).properties["tools"]],
    ["WordPressConfig", (schema: Schema) => serverOf(schema).properties["wordpress"]],
    ["PhpConfig", (schema: Schema) => serverOf(schema).properties["php"]],
    ["CheckConfig", (schema: Schema) => schema.properties["check"]],
    ["ServeConfig", (schema: Schema) => schema.properties["serve"]],
    ["PolicyConfig", (schema: Schema) => schema.properties["policy"]],
  ])("%s has the keys of the published JSON Schema, each with a description", (name, find) => {
    const keys = readConfigKeys(name);
    const schema = JSON.parse(readFileSync(doc("schemas/config.schema.json"), "utf8")) as Schema;
    expect(keys.map((key) => key.name).sort()).toEqual(Object.keys(find(schema)?.properties ?? {}).sort());
    expect(keys.filter((key) => key.text === "").map((key) => key.name)).toEqual([]);
  });
});

interface Schema {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
}

function serverOf(schema: Schema): Schema {
  const server = schema.properties["servers"]?.additionalProperties;
  if (!server) throw new Error("The configuration's schema has no servers.");
  return server;
}
