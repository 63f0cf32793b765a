import { McpCodegenError } from "../contract/errors.js";
import { isJsonObject, type JsonValue } from "../contract/json.js";
import type {
  Definitions,
  Dialect,
  ParsedSchema,
  SchemaDiagnostic,
  SchemaIR,
} from "../contract/schema-ir.js";
import { assertBounded } from "./assert-bounded.js";
import { dialectOf } from "./dialect.js";
import { findAt } from "./json-pointer.js";
import { childrenOf } from "./name-definitions.js";
import { isSchema, Keywords, type ParseContext } from "./parse-context.js";
import { parseKeywords } from "./parse-keywords.js";
import { ReferenceResolver } from "./resolve-ref.js";

/**
 * Reads a schema of any dialect. What has no meaning where it stands (a keyword with a value of the wrong kind, a
 * reference to nothing) is ignored, with a diagnostic.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` for what cannot be read at all: no schema, too deep or too large, a `$ref`
 *   that leaves the document, a `$ref` that leads back to itself without a step into the value
 */
export function parseSchema(schema: JsonValue, dialect: Dialect = dialectOf(schema)): ParsedSchema {
  if (!isSchema(schema)) {
    throw new McpCodegenError("SCHEMA_INVALID", "The schema is neither an object nor a boolean.");
  }
  assertBounded(schema);
  const resolver = new ReferenceResolver(schema, dialect);
  const definitions = new Map<string, SchemaIR>();
  const waiting = new Map<string, JsonValue>();
  const diagnostics: SchemaDiagnostic[] = [];
  const context: ParseContext = {
    dialect,
    diagnostics,
    parse: (subschema, at) => parseAt(subschema, at, context),
    refer: (ref, at) => {
      const pointer = resolver.resolve(ref, at);
      const target = pointer === undefined ? undefined : findAt(schema, pointer);
      if (pointer === undefined || target === undefined || !isSchema(target)) {
        diagnostics.push({
          code: "KEYWORD_LOOSENED",
          path: at,
          message: `"${ref}" points at no schema, and is ignored.`,
        });
        return undefined;
      }
      if (!definitions.has(pointer)) waiting.set(pointer, target);
      return pointer;
    },
    countDynamic: (name) => resolver.countDynamic(name),
  };

  const ir = context.parse(schema, "");
  // What is pointed at is read after what points at it, so that recursion in the schema is none here.
  for (const [pointer, target] of waiting) {
    definitions.set(pointer, pointer === "" ? ir : context.parse(target, pointer));
    waiting.delete(pointer);
  }
  for (const pointer of definitions.keys()) assertStep(pointer, definitions);
  return { dialect, ir, definitions, diagnostics: unique(diagnostics) };
}

function parseAt(schema: JsonValue, at: string, context: ParseContext): SchemaIR {
  if (schema === false) return { kind: "never", at };
  if (!isJsonObject(schema)) return { kind: "any", at };
  return parseKeywords(new Keywords(schema, at, context));
}

/** Refuses a definition that is defined by itself alone: no value could ever be judged by it. */
function assertStep(pointer: string, definitions: Definitions): void {
  const seen = new Set<string>();
  const open: SchemaIR[] = [...inPlace(definitions.get(pointer))];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.kind !== "ref") open.push(...inPlace(node));
    else if (node.target === pointer) {
      throw new McpCodegenError("SCHEMA_INVALID", `The schema at "${pointer}" is defined by itself alone.`);
    } else if (!seen.has(node.target)) {
      seen.add(node.target);
      open.push(...inPlace(definitions.get(node.target)));
    }
  }
}

/** The schemas that judge the same value as this one. */
function inPlace(node: SchemaIR | undefined): readonly SchemaIR[] {
  if (node === undefined) return [];
  if (node.kind === "ref") return [node];
  if (node.kind === "object") return node.dependents.flatMap(({ schema }) => schema ?? []);
  // Items are other values than the list that holds them.
  return node.kind === "array" ? [] : childrenOf(node);
}

// A schema that several references point at is read once for each way to it.
function unique(diagnostics: readonly SchemaDiagnostic[]): readonly SchemaDiagnostic[] {
  return [...new Map(diagnostics.map((item) => [`${item.path}\n${item.message}`, item])).values()];
}
