import { McpCodegenError } from "../../core/errors.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import type {
  Definitions,
  Dialect,
  FormatRule,
  ParsedSchema,
  SchemaDiagnostic,
  SchemaIR,
} from "../../core/schema-ir.js";
import { isSchema } from "../../core/subschemas.js";
import { assertBounded } from "../raw/dialect.js";
import { Keywords, type ParseContext } from "./parse-context.js";
import { parseKeywords } from "./parse-keywords.js";
import { childrenOf, sameValueParts } from "./subschemas.js";
import { readPattern } from "../pattern/pattern.js";
import { ReferenceResolver, rootLanguage, type SchemaDocuments, type Scope } from "../raw/resolve-ref.js";

export interface ParseOptions {
  /** The dialect of the schema. Default: the dialect that it declares. */
  readonly dialect?: Dialect | undefined;
  /** The dialect of a schema that does not declare one. Default: 2020-12. */
  readonly defaultDialect?: Dialect | undefined;
  /** `assert`: a string must have the required `format`. Default: formats are annotations. */
  readonly formats?: FormatRule | undefined;
  /** Other schemas that references may lead to, and metaschemas. Nothing is fetched. */
  readonly documents?: SchemaDocuments | undefined;
  /** The nodes of earlier schemas: those of the same objects at the same places are not read again. */
  readonly memo?: ParseMemo | undefined;
}

/** The nodes of schemas that were read, for schemas that share objects with them. */
export class ParseMemo {
  readonly nodes: WeakMap<JsonObject, RememberedNode> = new WeakMap();
  /** How many schema objects were read. */
  count = 0;
}

interface RememberedNode {
  readonly node: SchemaIR;
  readonly at: string;
  readonly language: string;
  readonly references: readonly FollowedReference[];
}

interface FollowedReference {
  readonly keyword: string;
  readonly ref: string;
  readonly at: string;
  readonly target: string | undefined;
}

/**
 * Parses a schema of any dialect. Ignores a keyword with an invalid value and a reference without a target, with a
 * diagnostic.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` for a value that is not a schema, a schema that is too deep or too large, a
 *   `$ref` that leaves the schema and the documents, patterns that take too many steps to analyse, a definition that only
 *   refers to itself, and references that validate one value too many times
 */
export function parseSchema(schema: JsonValue, options: ParseOptions = {}): ParsedSchema {
  if (!isSchema(schema)) {
    throw new McpCodegenError("SCHEMA_INVALID", "The schema is neither an object nor a boolean.");
  }
  assertBounded(schema);
  const { documents = {} } = options;
  const language = rootLanguage(schema, options, documents);
  const resolver = new ReferenceResolver(schema, language, documents);
  const reader = new Reader(resolver, options.formats === "assert", options.memo);
  const ir = reader.read(schema);
  assertFiniteValidation(ir, reader.definitions);
  const { definitions, pointers, targets } = reader;
  const diagnostics = distinctDiagnostics(reader.diagnostics);
  return { dialect: language.dialect, ir, definitions, pointers, targets, diagnostics };
}

interface PendingTarget {
  readonly schema: JsonValue;
  readonly pointer: string;
  readonly scope: Scope;
}

class Reader {
  readonly definitions = new Map<string, SchemaIR>();
  readonly pointers = new Map<SchemaIR, string>();
  readonly targets = new Map<string, string>();
  readonly diagnostics: SchemaDiagnostic[] = [];
  readonly #resolver: ReferenceResolver;
  readonly #assertsFormats: boolean;
  readonly #pending = new Map<string, PendingTarget>();
  readonly #countPattern = createPatternBudget();

  readonly #memo: ParseMemo | undefined;
  /** The references in the schema object that is being read. */
  #references: FollowedReference[] = [];

  constructor(resolver: ReferenceResolver, assertsFormats: boolean, memo?: ParseMemo) {
    this.#resolver = resolver;
    this.#assertsFormats = assertsFormats;
    this.#memo = memo;
  }

  read(root: JsonValue): SchemaIR {
    const ir = this.#parse(root, "", this.#contextOf(this.#resolver.rootScope));
    // A target is parsed after the reference to it, so that recursive schemas do not recurse here.
    for (const [key, { schema, pointer, scope }] of this.#pending) {
      const at = scope.document.prefix + pointer;
      this.definitions.set(key, key === "" ? ir : this.#parse(schema, at, this.#contextOf(scope)));
      this.#pending.delete(key);
    }
    return ir;
  }

  #contextOf(scope: Scope): ParseContext {
    const { language, document } = scope;
    const context: ParseContext = {
      dialect: language.dialect,
      language,
      assertsFormats: this.#assertsFormats,
      diagnostics: this.diagnostics,
      countPattern: this.#countPattern,
      parse: (schema, at) => {
        const pointer = at.slice(document.prefix.length);
        const resource = mayStart(schema) ? document.resources.get(pointer) : undefined;
        const isOther = resource !== undefined && resource !== scope.resource;
        return this.#parse(
          schema,
          at,
          isOther ? this.#contextOf(this.#resolver.enter(scope, resource)) : context,
        );
      },
      refer: (keyword, ref, at) => {
        const target = this.#refer(keyword, ref, at, scope);
        this.#references.push({ keyword, ref, at, target });
        return target;
      },
    };
    return context;
  }

  #parse(schema: JsonValue, at: string, context: ParseContext): SchemaIR {
    const node: SchemaIR = isJsonObject(schema)
      ? this.#parseObject(schema, at, context)
      : { kind: schema === false ? "never" : "any", at };
    // A schema whose only keyword is a list with one schema has the same node, which now stands for the outer one.
    this.pointers.set(node, at);
    return node;
  }

  #parseObject(schema: JsonObject, at: string, context: ParseContext): SchemaIR {
    if (this.#memo === undefined) return parseKeywords(new Keywords(schema, at, context));
    const { nodes } = this.#memo;
    const language = `${context.dialect} ${context.assertsFormats}`;
    const cached = nodes.get(schema);
    const isSame = cached?.at === at && cached.language === language;
    if (
      isSame &&
      cached.references.every((each) => context.refer(each.keyword, each.ref, each.at) === each.target)
    )
      return cached.node;
    this.#memo.count += 1;
    const outer = this.#references;
    this.#references = [];
    const node = parseKeywords(new Keywords(schema, at, context));
    nodes.set(schema, { node, at, language, references: this.#references });
    for (const reference of this.#references) outer.push(reference);
    this.#references = outer;
    return node;
  }

  #refer(keyword: string, ref: string, at: string, scope: Scope): string | undefined {
    const resolver = this.#resolver;
    const place =
      keyword === "$ref" ? resolver.resolve(ref, scope, at) : resolver.resolveDynamic(ref, scope, at);
    const schema = place?.resource.document.find(place.pointer);
    if (place === undefined || schema === undefined || !isSchema(schema)) {
      const message = `"${ref}" does not refer to a schema, and is ignored.`;
      this.diagnostics.push({ code: "KEYWORD_LOOSENED", path: at, message });
      return undefined;
    }
    const inner = resolver.enter(scope, place.resource);
    const pointer = inner.document.prefix + place.pointer;
    const key = inner.id === 0 ? pointer : `${inner.id}:${pointer}`;
    const site = at.slice(0, at.lastIndexOf("/"));
    if (!this.targets.has(site)) this.targets.set(site, pointer);
    if (!this.definitions.has(key)) this.#pending.set(key, { schema, pointer: place.pointer, scope: inner });
    return key;
  }
}

// Search a document for addresses only if it may have one.
function mayStart(schema: JsonValue): boolean {
  return isJsonObject(schema) && (Object.hasOwn(schema, "$id") || Object.hasOwn(schema, "id"));
}

/** Removes duplicates: a schema may be parsed for several scopes, and printed in several places. */
export function distinctDiagnostics(diagnostics: readonly SchemaDiagnostic[]): readonly SchemaDiagnostic[] {
  return [...new Map(diagnostics.map((item) => [`${item.path}\n${item.message}`, item])).values()];
}

/** The most steps for all patterns of one schema: about a second. A real schema takes less than 80,000. */
const MAX_STEPS = 5_000_000;

/** Returns a function that counts the steps to analyse a schema's patterns. It throws `SCHEMA_INVALID` beyond the limit. */
function createPatternBudget(): (pattern: string) => void {
  const seen = new Set<string>();
  let steps = 0;
  return (pattern) => {
    if (seen.has(pattern)) return;
    seen.add(pattern);
    steps += readPattern(pattern).steps;
    if (steps <= MAX_STEPS) return;
    const message = `The patterns of the schema take more than ${MAX_STEPS} steps to analyse.`;
    throw new McpCodegenError("SCHEMA_INVALID", message);
  };
}

/** The most references to follow for one value. Real schemas need less than a hundred. */
const MAX_REFERENCES = 10_000;
/** The longest chain of references for one value. */
const MAX_CHAIN = 256;

/**
 * Throws for schemas whose validation would not end, or would take very long: a definition that only refers to itself, and
 * references that validate one value very many times. Twenty definitions that each refer to the next one twice validate
 * it a million times.
 *
 * @throws McpCodegenError `SCHEMA_INVALID`
 */
function assertFiniteValidation(root: SchemaIR, definitions: Definitions): void {
  if (definitions.size === 0) return;
  const cache = new Map<SchemaIR, References>();
  const open = new Set<SchemaIR>();
  const count = (node: SchemaIR, depth: number): References => {
    const cached = cache.get(node);
    if (cached !== undefined) return cached;
    const target = node.kind === "ref" ? definitions.get(node.target) : undefined;
    const parts = target === undefined ? sameValueParts(node) : [target];
    const step = target === undefined ? 0 : 1;
    if (target !== undefined && open.has(target)) {
      const message = `The schema at "${target.at}" only refers to itself.`;
      throw new McpCodegenError("SCHEMA_INVALID", message);
    }
    open.add(node);
    const references = { count: 0, chain: 0 };
    for (const part of depth > MAX_CHAIN ? [] : parts) {
      const inner = count(part, depth + step);
      references.count += inner.count + step;
      references.chain = Math.max(references.chain, inner.chain + step);
    }
    if (references.count > MAX_REFERENCES || Math.max(references.chain, depth) > MAX_CHAIN) {
      const message = `The schema at "${node.at}" follows too many references to validate one value.`;
      throw new McpCodegenError("SCHEMA_INVALID", message);
    }
    open.delete(node);
    cache.set(node, references);
    return references;
  };
  const reached = new Set([root, ...definitions.values()]);
  for (const node of reached) {
    count(node, 0);
    for (const child of childrenOf(node)) reached.add(child);
  }
}

/** The references to follow to validate one value: all, and in the longest chain. */
interface References {
  readonly count: number;
  readonly chain: number;
}
