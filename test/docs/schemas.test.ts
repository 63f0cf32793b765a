/** The published schemas are generated. `npx vitest run --config test/vitest.config.ts test/docs -u` writes them. */
import { readdirSync } from "node:fs";
import { format } from "prettier";
import { expect, test } from "vitest";
import { doc } from "./expect-fresh.js";
import { printSchemas } from "./print-schemas.js";

const schemas = printSchemas();

test.each([...schemas])("docs/schemas/%s.schema.json is generated", async (name, schema) => {
  const printed = await format(JSON.stringify(schema), { parser: "json", printWidth: 110 });
  await expect(printed).toMatchFileSnapshot(doc(`schemas/${name}.schema.json`));
});

test("docs/schemas has no other files", () => {
  const names = [...schemas.keys()].map((name) => `${name}.schema.json`);
  expect(readdirSync(doc("schemas")).sort()).toEqual(names.sort());
});
