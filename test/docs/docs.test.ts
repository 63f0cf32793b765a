/** The parts of the documentation that are written from data. `npx vitest run --config test/vitest.config.ts test/docs -u` accepts. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { describe, expect, test } from "vitest";
import { printConfigReference, readConfigKeys } from "./print-config-reference.js";

const doc = (name: string): string => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));

describe("docs/configuration.md", () => {
  test("has the keys that the interfaces have, with their descriptions", async () => {
    const text = readFileSync(doc("configuration.md"), "utf8");
    const parts = /^([\s\S]*<!-- keys -->\n)[\s\S]*(\n<!-- end of keys -->[\s\S]*)$/u.exec(text);
    if (!parts) throw new Error("docs/configuration.md has no marks around its tables.");
    const written = `${parts[1] ?? ""}\n${printConfigReference()}\n${parts[2] ?? ""}`;
    const path = doc("configuration.md");
    const formatted = await format(written, { ...(await resolveConfig(path)), parser: "markdown" });
    await expect(formatted).toMatchFileSnapshot(path);
  });

  test.each([
    ["Config", (schema: Schema) => schema],
    ["ServerConfig", (schema: Schema) => serverOf(schema)],
    ["ToolsConfig", (schema: Schema) => serverOf(schema).properties["tools"]],
    ["CheckConfig", (schema: Schema) => schema.properties["check"]],
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
