import { jsonSchemaToZod, type JsonSchema } from "json-schema-to-zod";
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import type { Dialect, FormatRule } from "../../src/core/schema-ir.js";
import { printZodModule } from "../../src/schema/print/print-modules.js";
import { readDocuments } from "../../test/schema/support/data.js";
import { evaluateModule } from "../../test/schema/support/evaluate-module.js";

/** Converts a JSON Schema to Zod, with asserted formats if the converter has that option. Throws if it cannot convert. */
type Converter = (schema: JsonValue, dialect: Dialect, formats?: FormatRule) => z.ZodType;

type Target = NonNullable<NonNullable<Parameters<typeof z.fromJSONSchema>[1]>["defaultTarget"]>;
const TARGETS: { readonly [D in Dialect]: Target } = {
  wordpress: "draft-4",
  "draft-04": "draft-4",
  "draft-06": "draft-7",
  "draft-07": "draft-7",
  "2019-09": "draft-2020-12",
  "2020-12": "draft-2020-12",
};

let documents: { readonly [address: string]: JsonValue } | undefined;

export const CONVERTERS = {
  "mcp-codegen": (schema, dialect, formats) => {
    documents ??= readDocuments();
    const options = { name: "Printed", dialect, documents, ...(formats && { formats }) };
    return evaluateModule(printZodModule(schema, options).text, "Printed");
  },
  "z.fromJSONSchema": (schema, dialect) =>
    z.fromJSONSchema(schema as JsonObject | boolean, { defaultTarget: TARGETS[dialect] }),
  "json-schema-to-zod": (schema) => {
    const text = jsonSchemaToZod(schema as JsonSchema, { module: "none", zodVersion: 4 });
    // oxlint-disable-next-line typescript/no-implied-eval, typescript/no-unsafe-call -- what it prints is code
    const converted: unknown = new Function("z", `return ${text}`)(z);
    if (converted instanceof z.ZodType) return converted;
    throw new Error("It printed no schema.");
  },
} as const satisfies { readonly [name: string]: Converter };

export type ConverterName = keyof typeof CONVERTERS;
