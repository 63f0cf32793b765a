import { readFileSync, writeFileSync } from "node:fs";
import { toJsonSchema } from "@valibot/to-json-schema";
import { Ajv2020 } from "ajv/dist/2020.js";
import { format } from "prettier";
import { expect, it } from "vitest";
import { configSchema } from "../../src/config/config-schema.js";

const FILE = "docs/schemas/config.schema.json";

async function printSchema(): Promise<string> {
  // What JSON Schema cannot say (that only JSON may stand below "capabilities") is left to the program.
  const schema = toJsonSchema(configSchema, { errorMode: "ignore", target: "draft-2020-12" });
  const text = JSON.stringify({ $schema: schema.$schema, title: "mcp-codegen.config.json", ...schema });
  return await format(text, { parser: "json", printWidth: 110 });
}

it("is published as it validates (UPDATE_SCHEMAS=1 npm test writes it)", async () => {
  const printed = await printSchema();
  if (process.env["UPDATE_SCHEMAS"] === "1") writeFileSync(FILE, printed);
  expect(readFileSync(FILE, "utf8")).toBe(printed);
});

it("describes what validates", () => {
  const validate = new Ajv2020().compile(JSON.parse(readFileSync(FILE, "utf8")) as object);
  expect(validate({ servers: { shop: { url: "${URL}", auth: { bearer: "${T}" } } } })).toBe(true);
  expect(validate({ servers: { shop: { url: "${URL}", auth: { bearr: "${T}" } } } })).toBe(false);
  expect(validate({ servers: { Shop: { url: "https://x" } } })).toBe(false);
});
