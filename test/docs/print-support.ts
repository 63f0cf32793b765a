import type { JsonObject, JsonValue } from "../../src/core/json.js";
import type { Dialect } from "../../src/core/schema-ir.js";
import { printZodModule } from "../../src/schema/print/print-modules.js";

const DIALECTS = [
  "wordpress",
  "draft-04",
  "draft-06",
  "draft-07",
  "2019-09",
  "2020-12",
] as const satisfies readonly Dialect[];

/** A row: a schema with the keyword, and the same without it. */
interface Sample {
  readonly keyword: string;
  readonly with: JsonObject;
  readonly without: JsonObject;
  /** What both have in common. */
  readonly base: JsonObject;
}

const sample = (keyword: string, rules: JsonObject, base: JsonObject = {}, title = keyword): Sample => ({
  keyword: title,
  with: { ...base, ...rules },
  without: { ...base, ...Object.fromEntries(Object.entries(rules).filter(([key]) => key !== keyword)) },
  base,
});

const OBJECT: JsonObject = { type: "object" };
const LIST: JsonObject = { type: "array" };
const BRANCHES: JsonValue = [{ properties: { a: {} } }, { properties: { b: {} } }];

const SAMPLES: readonly Sample[] = [
  sample("type", { type: "string" }),
  sample("enum", { enum: ["a", 1, null] }),
  sample("enum", { enum: [{ a: 1 }] }, {}, "`enum` of objects or lists"),
  sample("const", { const: "a" }),
  sample("const", { const: { a: 1 } }, {}, "`const` of an object or a list"),
  sample("minimum", { minimum: 1 }, { type: "number" }, "`minimum`, `maximum`"),
  sample("exclusiveMinimum", { minimum: 1, exclusiveMinimum: true }, { type: "number" }, "`exclusiveMinimum: true` and its like"), // prettier-ignore
  sample("exclusiveMinimum", { exclusiveMinimum: 1 }, { type: "number" }, "`exclusiveMinimum`, `exclusiveMaximum`"), // prettier-ignore
  sample("multipleOf", { multipleOf: 0.1 }, { type: "number" }),
  sample("type", { type: "integer", minimum: 0, maximum: 9 }, {}, "`type: integer`, bounded"),
  sample("type", { type: "integer" }, {}, "`type: integer`, unbounded"),
  sample("minLength", { minLength: 1 }, { type: "string" }, "`minLength`, `maxLength`"),
  sample("pattern", { pattern: "^a" }, { type: "string" }),
  sample("format", { format: "email" }, { type: "string" }, "`format`, where it is asserted"),
  sample("properties", { properties: { a: { type: "string" } } }, OBJECT),
  sample("required", { required: ["a"] }, OBJECT),
  sample("properties", { properties: { a: { required: true } } }, OBJECT, "`required: true` of a property"),
  sample("additionalProperties", { additionalProperties: { type: "string" } }, { ...OBJECT, properties: { a: {} } }), // prettier-ignore
  sample("patternProperties", { patternProperties: { "^a": { type: "string" } } }, OBJECT),
  sample("propertyNames", { propertyNames: { maxLength: 3 } }, OBJECT),
  sample("minProperties", { minProperties: 1 }, OBJECT),
  sample("maxProperties", { maxProperties: 1 }, OBJECT),
  sample("dependencies", { dependencies: { a: ["b"] } }, OBJECT, "`dependencies`, names"),
  sample("dependencies", { dependencies: { a: { required: ["b"] } } }, OBJECT, "`dependencies`, schemas"),
  sample("dependentRequired", { dependentRequired: { a: ["b"] } }, OBJECT),
  sample("dependentSchemas", { dependentSchemas: { a: { required: ["b"] } } }, OBJECT),
  sample("items", { items: { type: "string" } }, LIST),
  sample("items", { items: [{ type: "string" }] }, LIST, "`items`, a list of schemas"),
  sample("additionalItems", { items: [{ type: "string" }], additionalItems: false }, LIST),
  sample("prefixItems", { prefixItems: [{ type: "string" }] }, LIST),
  sample("minItems", { minItems: 1 }, LIST, "`minItems`, `maxItems`"),
  sample("uniqueItems", { uniqueItems: true }, LIST),
  sample("contains", { contains: { type: "string" } }, LIST),
  sample("minContains", { contains: { type: "string" }, minContains: 2 }, LIST, "`minContains`, `maxContains`"), // prettier-ignore
  sample("unevaluatedProperties", { unevaluatedProperties: false }, { ...OBJECT, allOf: [{ properties: { a: {} } }] }, "`unevaluatedProperties` over `allOf` and `$ref`"), // prettier-ignore
  sample("unevaluatedProperties", { unevaluatedProperties: false }, { ...OBJECT, anyOf: BRANCHES }, "`unevaluatedProperties` over branches"), // prettier-ignore
  sample("unevaluatedItems", { unevaluatedItems: false }, { ...LIST, allOf: [{ items: [{ type: "string" }] }] }, "`unevaluatedItems` over `allOf` and `$ref`"), // prettier-ignore
  sample("unevaluatedItems", { unevaluatedItems: false }, { ...LIST, anyOf: [{ minItems: 1 }, { items: [{}] }] }, "`unevaluatedItems` over branches"), // prettier-ignore
  sample("allOf", { allOf: [{ properties: { a: {} } }, { required: ["a"] }] }, OBJECT, "`allOf` of open objects"), // prettier-ignore
  sample("allOf", { allOf: [{ additionalProperties: false, properties: { a: {} } }] }, { ...OBJECT, properties: { b: {} } }, "`allOf`, otherwise"), // prettier-ignore
  sample("anyOf", { anyOf: [{ type: "string" }, { type: "number" }] }),
  sample("oneOf", { oneOf: [{ type: "string" }, { type: "string", maxLength: 1 }] }),
  sample("not", { not: { type: "string" } }),
  sample("if", { if: { required: ["a"] }, then: { required: ["b"] } }, { ...OBJECT, properties: { a: {}, b: {} } }, "`if`, `then`, `else`"), // prettier-ignore
  sample("$ref", { $ref: "#/definitions/a" }, { definitions: { a: { type: "string" } } }, "`$ref`, also into supplied documents"), // prettier-ignore
  sample("$ref", { $ref: "#a" }, { $defs: { a: { $anchor: "a", type: "string" } } }, "`$anchor`"),
  sample("$recursiveRef", { $recursiveRef: "#" }, {}, "`$recursiveRef`, `$recursiveAnchor`"),
  sample("$dynamicRef", { $dynamicRef: "#a" }, { $defs: { a: { $dynamicAnchor: "a", type: "string" } } }, "`$dynamicRef`, `$dynamicAnchor`"), // prettier-ignore
];

/** The list of `docs/generated-code.md`: how each keyword is printed in which dialects, found by printing. */
export function printSupport(): string {
  const byResult = new Map<string, string[]>();
  for (const one of SAMPLES) {
    const title = one.keyword.startsWith("`") ? one.keyword : `\`${one.keyword}\``;
    const result = describe(DIALECTS.map((dialect) => [dialect, printCell(one, dialect)]));
    byResult.set(result, [...(byResult.get(result) ?? []), title]);
  }
  return [...byResult].map(([result, titles]) => `- **${result}**: ${titles.join(" · ")}`).join("\n");
}

/** Returns for example "exact in 2019-09, 2020-12". Dialects that do not have the keyword are left out. */
function describe(cells: readonly (readonly [Dialect, string])[]): string {
  const known = cells.filter(([, cell]) => cell !== "–");
  const results = [...new Set(known.map(([, cell]) => cell))].map((result) => {
    const dialects = known.filter(([, cell]) => cell === result).map(([dialect]) => dialect);
    const names = dialects.map((name) => name.replace("draft-0", "draft ").replace("wordpress", "WordPress"));
    return `${result} in ${names.length === DIALECTS.length ? "all" : names.join(", ")}`;
  });
  return results.join("; ");
}

function printCell(one: Sample, dialect: Dialect): string {
  const printed = print(one.with, dialect);
  const plain = print(one.without, dialect);
  if (printed === undefined || printed.text === plain?.text) return "–";
  if (printed.diagnostics.some(({ code }) => code === "SCHEMA_FALLBACK")) return "interpreted";
  const known = importsOf(print(one.base, dialect)?.text ?? "");
  const checks = importsOf(printed.text).filter((check) => !known.includes(check));
  return checks.length === 0 ? "exact" : checks.map((check) => `\`${check}\``).join(", ");
}

type Printed = ReturnType<typeof printZodModule>;

/** Undefined for a keyword in a place or with a value that the dialect has no meaning for. */
function print(schema: JsonObject, dialect: Dialect): Printed | undefined {
  const inner = { type: "object", properties: { value: schema }, ...definitionsOf(schema) };
  const printed = printZodModule(inner, { name: "Printed", dialect, formats: "assert" });
  return printed.diagnostics.some(({ code }) => code === "KEYWORD_LOOSENED") ? undefined : printed;
}

// References start at the root.
function definitionsOf(schema: JsonObject): JsonObject {
  const kept = ["definitions", "$defs"].flatMap((key) =>
    schema[key] === undefined ? [] : [[key, schema[key]]],
  );
  return Object.fromEntries(kept) as JsonObject;
}

function importsOf(text: string): readonly string[] {
  return /^import \{ (.*) \} from "mcp-codegen\/runtime";$/m.exec(text)?.[1]?.split(", ") ?? [];
}
