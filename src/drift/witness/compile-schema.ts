import type { ErrorObject, Options, ValidateFunction } from "ajv";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import { ASSERTED_FORMATS } from "../../schema/asserted-formats.js";
import { joinPointer } from "../../schema/json-pointer.js";
import type { CleanSchema } from "./clean-schema.js";

/** What Ajv has against an instance. */
export interface Objection {
  /** JSON Pointer into the instance; to the property itself where its name, or its absence, is the fault. */
  readonly at: string;
  readonly keyword: string;
}

/** Judges an instance by one schema; empty when the schema accepts it. */
export type Judge = (instance: JsonValue) => readonly Objection[];

/** @throws Error when Ajv cannot compile the schema */
export type Compile = (clean: CleanSchema) => Judge;

const OPTIONS: Options = {
  // Every objection is wanted: one of them must be to the change in question.
  allErrors: true,
  strict: false,
  validateSchema: false,
  validateFormats: false,
  addUsedSchema: false,
  logger: false,
  // A property named `toString` is there only when the instance has it.
  ownProperties: true,
  messages: false,
  // What judges a few small instances and is then thrown away is not worth making fast.
  code: { regExp: compilePattern, optimize: false },
};

/** The part of each of Ajv's classes that is used. */
interface Compiler {
  compile(schema: boolean | JsonObject): ValidateFunction;
  removeSchema(schema: JsonObject): unknown;
}

/** What an Ajv is needed for. */
export type Reading = Pick<CleanSchema, "dialect" | "formats">;

/** Loads the Ajv of each reading that is asked for. Rejects with `ERR_MODULE_NOT_FOUND` when it is not installed. */
export async function loadCompile(readings: readonly Reading[]): Promise<Compile> {
  const compilers = new Map<string, Compiler>();
  for (const reading of readings)
    if (!compilers.has(keyOf(reading))) compilers.set(keyOf(reading), await loadCompiler(reading));
  return (clean) => {
    const { schema } = clean;
    if (typeof schema !== "boolean" && !isJsonObject(schema)) throw new TypeError("Not a schema.");
    const compiler = compilers.get(keyOf(clean));
    if (compiler === undefined) throw new RangeError(`No Ajv was loaded for ${clean.dialect}.`);
    const validate = compiler.compile(schema);
    // It would keep every schema that it has seen.
    if (typeof schema !== "boolean") compiler.removeSchema(schema);
    return (instance) => (validate(instance) ? [] : (validate.errors ?? []).map(readObjection));
  };
}

function keyOf({ dialect, formats }: Reading): string {
  return `${dialect} ${formats ?? ""}`;
}

async function loadCompiler({ dialect, formats }: Reading): Promise<Compiler> {
  const options = formats === "assert" ? { ...OPTIONS, ...(await loadFormats()) } : OPTIONS;
  switch (dialect) {
    case "draft-04":
    case "wordpress": {
      const { default: module } = await import("ajv-draft-04");
      return new module.default(options);
    }
    case "draft-06":
    case "draft-07":
      return new (await import("ajv")).Ajv(options);
    case "2019-09":
      return new (await import("ajv/dist/2019.js")).Ajv2019(options);
    case "2020-12":
      return new (await import("ajv/dist/2020.js")).Ajv2020(options);
    default:
      return dialect satisfies never;
  }
}

/** Formats as generated code judges them. */
async function loadFormats(): Promise<Pick<Options, "formats" | "validateFormats">> {
  const { hasFormat } = await import("../../runtime/checks/format.js");
  const judges = [...ASSERTED_FORMATS].map(
    (name) => [name, (text: string) => hasFormat(text, name)] as const,
  );
  return { validateFormats: true, formats: Object.fromEntries(judges) };
}

/** The parameters of Ajv's errors that name the property at fault. */
const NAMED = ["missingProperty", "additionalProperty", "unevaluatedProperty", "propertyName"];

function readObjection({ instancePath, keyword, params }: ErrorObject): Objection {
  const named: { readonly [key: string]: unknown } = params;
  const name = NAMED.map((key) => getOwn(named, key)).find((value) => typeof value === "string");
  return { at: typeof name === "string" ? joinPointer(instancePath, name) : instancePath, keyword };
}

/** With the flag that JSON Schema asks for where the pattern allows it, and without it elsewhere, as our own Zod does. */
function compilePattern(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern, flags.replace("u", ""));
  }
}
// What Ajv would write into a module of its own, which it is never asked for.
compilePattern.code = "new RegExp";
