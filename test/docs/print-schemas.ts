/** Prints `docs/schemas`: reports from the types of `src/report/documents.ts`, files from their formats and types. */
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { getOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.js";
import { CONFIG_FORMAT } from "../../src/config/config.js";
import { LOCK_FORMAT } from "../../src/core/lockfile-text.js";
import { OBSERVED_FORMAT } from "../../src/core/observed.js";
import { WAIVERS_FORMAT } from "../../src/core/waivers.js";
import type { ReportDocument } from "../../src/report/documents.js";
import { CASSETTE_FORMAT } from "../../src/runtime/cassette/cassette-file.js";

const src = fileURLToPath(new URL("../../src/", import.meta.url));

/** The format of each file, with the module and the name of its constant. */
const FILES = {
  config: [CONFIG_FORMAT, "config/config", "CONFIG_FORMAT", "mcp-codegen.config.json"],
  lockfile: [LOCK_FORMAT.format, "core/lockfile-text", "LOCK_FORMAT", "mcp-codegen.lock.json"],
  waivers: [WAIVERS_FORMAT.format, "core/waivers", "WAIVERS_FORMAT", "mcp-codegen.waivers.json"],
  observed: [OBSERVED_FORMAT.format, "core/observed", "OBSERVED_FORMAT", "mcp-codegen.observed.json"],
  cassette: [CASSETTE_FORMAT.format, "runtime/cassette/cassette-file", "CASSETTE_FORMAT", "A file of a cassette"], // prettier-ignore
} as const;

/** The command that prints a report of another name. */
const COMMANDS: { readonly [Report in ReportDocument["report"]]?: string } = {
  context: "list --context",
  learn: "generate --learn",
  logout: "login --out",
  rules: "explain",
  version: "--version",
  whoami: "login --list",
};

/** The exit codes of a command that prints the report. */
const EXIT_CODES: Readonly<Record<ReportDocument["report"], readonly number[]>> = {
  call: [0, 1, 2, 3],
  check: [0, 1, 3],
  completion: [0],
  context: [0],
  describe: [0],
  diff: [0, 1],
  doctor: [0, 1, 3],
  error: [2, 3, 70, 130, 143],
  explain: [0],
  fix: [0, 1],
  generate: [0],
  init: [0],
  learn: [0],
  list: [0, 3],
  log: [0],
  login: [0],
  logout: [0],
  page: [0],
  pull: [0, 1, 3],
  replay: [0, 1, 3],
  rules: [0],
  run: [0, 1],
  search: [0],
  version: [0],
  whoami: [0, 1, 2],
};

const REPORTS = "reports";
const DRAFT = "https://json-schema.org/draft/2020-12/schema";

/** Returns the schemas by the name of their file. */
export function printSchemas(): ReadonlyMap<string, JsonObject> {
  const paths = ["report/documents", ...Object.values(FILES).map(([, path]) => path)].map(
    (path) => `${src}${path}.ts`,
  );
  const program = ts.createProgram(paths, {
    ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: true, types: ["node"] },
    ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext },
  });
  const checker = program.getTypeChecker();
  const find = (path: string, name: string): ts.Symbol => {
    const file = program.getSourceFile(`${src}${path}.ts`);
    const module = file && checker.getSymbolAtLocation(file);
    const symbol = module && checker.getExportsOfModule(module).find((one) => one.name === name);
    if (symbol === undefined) throw new Error(`"src/${path}.ts" does not export ${name}.`);
    return symbol;
  };
  const memberOf = (type: ts.Type, name: string): ts.Type | undefined => {
    const symbol = checker.getPropertyOfType(type, name);
    return symbol && checker.getTypeOfSymbol(symbol);
  };
  /** The type that a format prints. */
  const printedBy = (path: string, name: string): ts.Type => {
    const constant = checker.getTypeOfSymbol(find(path, name));
    const print = memberOf(memberOf(constant, "format") ?? constant, "print");
    const value = print?.getCallSignatures()[0]?.getParameters()[0];
    if (value === undefined) throw new Error(`${name} is not a format.`);
    return checker.getTypeOfSymbol(value);
  };
  const documents = checker.getDeclaredTypeOfSymbol(find("report/documents", "ReportDocument"));
  const kinds = (documents.isUnion() ? documents.types : [documents]).map((type): [string, ts.Type] => {
    const literal = memberOf(type, "report");
    if (literal?.isStringLiteral() !== true) throw new Error("A report has no kind.");
    return [literal.value, type];
  });

  const reports = printShared(checker, "#/$defs/", (printer) =>
    kinds.map(([kind, type]) => {
      const { properties, ...schema } = printer.print(type);
      const codes = EXIT_CODES[kind as ReportDocument["report"]];
      const exitCode = { enum: codes, description: "The exit code of the process." };
      const command = COMMANDS[kind as ReportDocument["report"]] ?? kind;
      const title =
        kind === "error"
          ? "What every command prints with --json when it could not do its work"
          : `What mcp-codegen ${command} --json prints`;
      const withCodes = { ...(isJsonObject(properties) ? properties : {}), exitCode };
      const name = `${kind}-report`;
      return [name, { title, ...schema, properties: withCodes }] as const;
    }),
  );
  const title = "What the commands of mcp-codegen print with --json";
  const anyOf = reports.printed.map(([name]) => ({ $ref: `#/$defs/${name}` }));
  const files = Object.entries(FILES).map(([name, [{ schema }, path, constant, file]]) => {
    const type = printedBy(path, constant);
    const { printed, $defs } = printShared(checker, "#/$defs/", (printer) => ({
      ...printer.describe(type.aliasSymbol ?? type.getSymbol()),
      ...printer.print(type, schema),
    }));
    const isAlone = Object.keys($defs).length === 0;
    return [name, { ...head(name, file), ...printed, ...(!isAlone && { $defs }) }] as const;
  });
  return new Map<string, JsonObject>([
    [REPORTS, { ...head(REPORTS, title), anyOf, $defs: { ...Object.fromEntries(reports.printed), ...reports.$defs } }], // prettier-ignore
    ...files,
  ]);
}

/** Prints twice: the first pass finds the named types that are used in several places, and become definitions. */
function printShared<T>(
  checker: ts.TypeChecker,
  prefix: string,
  print: (printer: SchemaPrinter) => T,
): { readonly printed: T; readonly $defs: JsonObject } {
  const uses = new Map<string, number>();
  print(
    new SchemaPrinter(checker, (name) => {
      uses.set(name, (uses.get(name) ?? 0) + 1);
      return undefined;
    }),
  );
  const printer = new SchemaPrinter(checker, (name) =>
    (uses.get(name) ?? 0) > 1 ? prefix + name : undefined,
  );
  const printed = print(printer);
  return { printed, $defs: printer.definitions() };
}

function head(name: string, title: string): JsonObject {
  return { $schema: DRAFT, $id: `${name}.schema.json`, title };
}

/** Numbers are counts, places and sizes, but for these. */
const FRACTIONS: ReadonlySet<string> = new Set(["score", "confidence"]);

class SchemaPrinter {
  readonly #checker: ts.TypeChecker;
  /** Called for each use of a named type. Returns a reference, or nothing to print the type in its place. */
  readonly #refer: (name: string) => string | undefined;
  readonly #definitions = new Map<string, JsonObject>();

  constructor(checker: ts.TypeChecker, refer: (name: string) => string | undefined) {
    this.#checker = checker;
    this.#refer = refer;
  }

  definitions(): JsonObject {
    return Object.fromEntries([...this.#definitions].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** @param given the schema of the same type in a format, whose rules are added */
  print(type: ts.Type, given?: JsonObject): JsonObject {
    return this.#object(type, given);
  }

  describe(symbol: ts.Symbol | undefined): { readonly description?: string } {
    const text = ts
      .displayPartsToString(symbol?.getDocumentationComment(this.#checker))
      .replace(/\{@link (?:\w+\.)*(\w+)\}/g, "$1")
      .replace(/\s+/g, " ")
      .trim();
    return text === "" ? {} : { description: text };
  }

  #node(type: ts.Type, given: JsonObject | undefined, name: string): JsonObject {
    if (type.getSymbol()?.name === "JsonObject") return { type: "object" };
    if (given?.["anyOf"] !== undefined) return this.#choice(type.aliasSymbol?.name ?? name, given);
    if (given !== undefined && !isStructure(given)) return given;
    if (type.isUnion()) {
      const parts = type.types.filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0);
      const [only] = parts;
      if (only !== undefined && parts.length === 1) return this.#node(only, given, name);
      // JsonValue, with or without undefined.
      if (parts.some((part) => part.getSymbol()?.name === "JsonObject") && parts.length > 4) return {};
      if (given === undefined) return this.#union(parts, name);
    }
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if ((type.flags & ts.TypeFlags.BooleanLiteral) !== 0)
      return { const: this.#checker.typeToString(type) === "true" };
    if ((type.flags & ts.TypeFlags.Boolean) !== 0) return { type: "boolean" };
    if ((type.flags & ts.TypeFlags.String) !== 0) return { type: "string" };
    if ((type.flags & ts.TypeFlags.Null) !== 0) return { type: "null" };
    if ((type.flags & ts.TypeFlags.Number) !== 0)
      return { type: FRACTIONS.has(name) ? "number" : "integer", minimum: 0 };
    if ((type.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) !== 0) return {};
    if (this.#checker.isTupleType(type)) {
      const parts = this.#checker.getTypeArguments(type as ts.TypeReference);
      const prefixItems = parts.map((part) => this.#node(part, undefined, name));
      return { type: "array", prefixItems, items: false, minItems: parts.length };
    }
    const item = this.#checker.isArrayType(type)
      ? this.#checker.getIndexTypeOfType(type, ts.IndexKind.Number)
      : undefined;
    if (item !== undefined) {
      const items = getOwn(given ?? {}, "items");
      return {
        type: "array",
        ...given,
        items: this.#node(item, isJsonObject(items) ? items : undefined, name),
      };
    }
    return this.#named(type, given);
  }

  /** A choice of values, as its format defines it. */
  #choice(title: string, given: JsonObject): JsonObject {
    const name = title.charAt(0).toLowerCase() + title.slice(1);
    const $ref = name === "" ? undefined : this.#refer(name);
    if ($ref === undefined) return given;
    this.#definitions.set(name, given);
    return { $ref };
  }

  #named(type: ts.Type, given: JsonObject | undefined): JsonObject {
    const symbol = type.aliasSymbol ?? type.getSymbol();
    if (symbol === undefined || symbol.name === "__type") return this.#object(type, given);
    const name = symbol.name.charAt(0).toLowerCase() + symbol.name.slice(1);
    const $ref = this.#refer(name);
    if ($ref === undefined) return { ...this.describe(symbol), ...this.#object(type, given) };
    if (!this.#definitions.has(name)) {
      this.#definitions.set(name, {});
      this.#definitions.set(name, { ...this.describe(symbol), ...this.#object(type, given) });
    }
    return { $ref };
  }

  #union(types: readonly ts.Type[], name: string): JsonObject {
    const isBoolean = types.filter(({ flags }) => (flags & ts.TypeFlags.BooleanLiteral) !== 0).length === 2;
    const rest = isBoolean ? types.filter(({ flags }) => (flags & ts.TypeFlags.BooleanLiteral) === 0) : types;
    const nodes = [
      ...(isBoolean ? [{ type: "boolean" }] : []),
      ...rest.map((type) => this.#node(type, undefined, name)),
    ];
    const [only] = nodes;
    if (only !== undefined && nodes.length === 1) return only;
    if (nodes.every((node) => Object.hasOwn(node, "const")))
      return { enum: nodes.map((node) => getOwn(node, "const") ?? null) };
    if (nodes.every((node) => Object.keys(node).length === 1 && typeof node["type"] === "string"))
      return { type: nodes.map((node) => node["type"] ?? "null") };
    return { anyOf: nodes };
  }

  #object(type: ts.Type, given: JsonObject | undefined): JsonObject {
    const index = this.#checker.getIndexTypeOfType(type, ts.IndexKind.String);
    const inner = getOwn(given ?? {}, "additionalProperties");
    if (index !== undefined && (given === undefined || isJsonObject(inner))) {
      const items = this.#node(index, isJsonObject(inner) ? inner : undefined, "");
      const names = getOwn(given ?? {}, "propertyNames");
      return {
        type: "object",
        ...(names !== undefined && { propertyNames: names }),
        additionalProperties: items,
      };
    }
    const formats = getOwn(given ?? {}, "properties");
    const names = isJsonObject(formats)
      ? Object.keys(formats)
      : this.#properties(type).map((symbol) => symbol.name);
    const required: string[] = [];
    const properties = names.map((name): readonly [string, JsonObject] => {
      const symbol = this.#property(type, name);
      if (symbol === undefined) throw new Error(`${this.#checker.typeToString(type)} is not JSON: ${name}`);
      if ((symbol.flags & ts.SymbolFlags.Optional) === 0) required.push(name);
      const format = isJsonObject(formats) ? getOwn(formats, name) : undefined;
      const described = this.describe(symbol);
      const least = /^(?:line|column)$/.test(name) || /\bfrom 1\b/i.test(described.description ?? "") ? 1 : 0;
      const node = this.#node(
        this.#checker.getTypeOfSymbol(symbol),
        isJsonObject(format) ? format : undefined,
        name,
      );
      return [name, { ...node, ...(node["minimum"] === 0 && { minimum: least }), ...described }];
    });
    const rules = given ?? {
      type: "object",
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    };
    return { ...rules, properties: Object.fromEntries(properties) };
  }

  /** The properties as declared. The compiler orders those of `Pick` and `Omit` by what it happened to read first. */
  #properties(type: ts.Type): readonly ts.Symbol[] {
    const properties = this.#checker.getPropertiesOfType(type);
    const isMapped =
      (type.flags & ts.TypeFlags.Object) !== 0 &&
      ((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Mapped) !== 0;
    if (!isMapped) return properties;
    const placeOf = (symbol: ts.Symbol): number => symbol.declarations?.[0]?.pos ?? 0;
    return properties.toSorted((one, other) => placeOf(one) - placeOf(other));
  }

  /** The property of a type, or of one part of a union. */
  #property(type: ts.Type, name: string): ts.Symbol | undefined {
    const parts = type.isUnion() ? type.types : [type];
    for (const part of parts) {
      const symbol = this.#checker.getPropertyOfType(part, name);
      if (symbol !== undefined) return symbol;
    }
    return undefined;
  }
}

function isStructure(schema: JsonObject): boolean {
  const parts: readonly (JsonValue | undefined)[] = ["properties", "items", "additionalProperties"].map(
    (key) => getOwn(schema, key),
  );
  return parts.some((part) => isJsonObject(part) || isJsonArray(part));
}
