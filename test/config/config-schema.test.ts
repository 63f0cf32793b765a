import { readFileSync, writeFileSync } from "node:fs";
import { toJsonSchema } from "@valibot/to-json-schema";
import { Ajv2020 } from "ajv/dist/2020.js";
import { format } from "prettier";
import { expect, it } from "vitest";
import { configSchema } from "../../src/config/config-schema.js";

const FILE = "docs/schemas/config.schema.json";

async function printSchema(): Promise<string> {
  // JSON Schema cannot express that "capabilities" may hold only JSON. The program checks it.
  const schema = toJsonSchema(configSchema, { errorMode: "ignore", target: "draft-2020-12" });
  const text = JSON.stringify({ $schema: schema.$schema, title: "mcp-codegen.config.json", ...schema });
  return await format(text, { parser: "json", printWidth: 110 });
}

it("is published as JSON Schema (UPDATE_SCHEMAS=1 npm test updates it)", async () => {
  const printed = await printSchema();
  if (process.env["UPDATE_SCHEMAS"] === "1") writeFileSync(FILE, printed);
  expect(readFileSync(FILE, "utf8")).toBe(printed);
});

it("accepts and rejects the same configurations", () => {
  const validate = new Ajv2020().compile(JSON.parse(readFileSync(FILE, "utf8")) as object);
  expect(validate({ servers: { shop: { url: "${URL}", auth: { bearer: "${T}" } } } })).toBe(true);
  expect(validate({ servers: { shop: { url: "${URL}", auth: { bearr: "${T}" } } } })).toBe(false);
  expect(validate({ servers: { Shop: { url: "https://x" } } })).toBe(false);
});
