import { McpCodegenError } from "../contract/errors.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import type { Dialect } from "../contract/schema-ir.js";
import { isKnown, isSince } from "./dialect.js";
import { joinPointer } from "./json-pointer.js";

/** What a document says about its own addresses. */
interface Addresses {
  /** Pointers of the schemas that start a resource, by absolute address without fragment. */
  readonly resources: ReadonlyMap<string, string>;
  /** Pointers by absolute address, `#` and the anchor's name. */
  readonly anchors: ReadonlyMap<string, string>;
  /** The base address of each schema that starts a resource, by pointer. */
  readonly bases: ReadonlyMap<string, string>;
  /** How often each `$dynamicAnchor` or `$recursiveAnchor` is declared. */
  readonly dynamic: ReadonlyMap<string, number>;
}

// A document without an address still has a base, so that relative references inside it resolve against something.
const NO_ADDRESS = "schema:///";

/** Resolves the references of one document to JSON Pointers into it. Nothing is ever read or fetched. */
export class ReferenceResolver {
  readonly #root: JsonValue;
  readonly #dialect: Dialect;
  #addresses: Addresses | undefined;

  constructor(root: JsonValue, dialect: Dialect) {
    this.#root = root;
    this.#dialect = dialect;
  }

  /**
   * The pointer that a `$ref` written at `at` means; undefined for an anchor that nobody declares.
   *
   * @throws McpCodegenError `SCHEMA_INVALID` when it means something outside the document
   */
  resolve(ref: string, at: string): string | undefined {
    this.#addresses ??= findAddresses(this.#root, this.#dialect);
    const { resources, anchors, bases } = this.#addresses;
    const { address, fragment } = splitAddress(ref, baseAt(bases, at));
    const resource = resources.get(address);
    if (resource === undefined) {
      throw new McpCodegenError(
        "SCHEMA_INVALID",
        `The schema refers to "${ref}" (at "${at}"), which is outside it and is not fetched.`,
      );
    }
    if (fragment === "" || fragment.startsWith("/")) return resource + fragment;
    return anchors.get(`${address}#${fragment}`);
  }

  /** How many places a dynamic reference to `name` could mean. */
  countDynamic(name: string): number {
    this.#addresses ??= findAddresses(this.#root, this.#dialect);
    return this.#addresses.dynamic.get(name) ?? 0;
  }
}

function splitAddress(ref: string, base: string): { readonly address: string; readonly fragment: string } {
  const hash = ref.indexOf("#");
  const path = hash < 0 ? ref : ref.slice(0, hash);
  const fragment = hash < 0 ? "" : decode(ref.slice(hash + 1));
  if (path === "") return { address: base, fragment };
  return { address: URL.canParse(path, base) ? new URL(path, base).href : path, fragment };
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment; // A bare "%" is no escape.
  }
}

function baseAt(bases: ReadonlyMap<string, string>, at: string): string {
  for (let pointer = at; ; pointer = pointer.slice(0, pointer.lastIndexOf("/"))) {
    const base = bases.get(pointer);
    if (base !== undefined) return base;
    if (pointer === "") return NO_ADDRESS;
  }
}

const ONE_SCHEMA = [
  "additionalItems", "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then",
  "unevaluatedItems", "unevaluatedProperties",
]; // prettier-ignore
const LISTS = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
const MAPS = ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

function findAddresses(root: JsonValue, dialect: Dialect): Addresses {
  const resources = new Map<string, string>();
  const anchors = new Map<string, string>();
  const bases = new Map<string, string>();
  const dynamic = new Map<string, number>();
  resources.set(NO_ADDRESS, "");

  const visit = (schema: JsonValue | undefined, at: string, outer: string): void => {
    if (!isJsonObject(schema)) return;
    const base = visitId(schema, at, outer);
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const name = isKnown(keyword, dialect) ? getOwn(schema, keyword) : undefined;
      if (typeof name === "string") anchors.set(`${base}#${name}`, at);
      if (typeof name === "string" && keyword === "$dynamicAnchor")
        dynamic.set(name, (dynamic.get(name) ?? 0) + 1);
    }
    if (getOwn(schema, "$recursiveAnchor") === true) dynamic.set("", (dynamic.get("") ?? 0) + 1);
    for (const keyword of ONE_SCHEMA) visit(getOwn(schema, keyword), joinPointer(at, keyword), base);
    for (const keyword of LISTS) {
      const list = getOwn(schema, keyword);
      if (Array.isArray(list)) list.forEach((item: JsonValue, index) => { visit(item, joinPointer(at, keyword, index), base); }); // prettier-ignore
    }
    for (const keyword of MAPS) {
      const map = getOwn(schema, keyword);
      if (!isJsonObject(map)) continue;
      for (const [name, item] of Object.entries(map)) visit(item, joinPointer(at, keyword, name), base);
    }
  };

  const visitId = (schema: JsonObject, at: string, outer: string): string => {
    const id = getOwn(schema, isSince(dialect, "draft-06") ? "$id" : "id");
    // Until draft 7 a schema with `$ref` holds nothing else.
    if (typeof id !== "string" || (!isSince(dialect, "2019-09") && Object.hasOwn(schema, "$ref")))
      return outer;
    const { address, fragment } = splitAddress(id, outer);
    if (fragment !== "") anchors.set(`${address}#${fragment}`, at);
    if (id.startsWith("#")) return outer;
    resources.set(address, at);
    bases.set(at, address);
    return address;
  };

  visit(root, "", NO_ADDRESS);
  return { resources, anchors, bases, dynamic };
}
