import { decodeFragment, findAt, splitPointer } from "../core/json-pointer.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { subschemasOf } from "../core/subschemas.js";
import { type FindMetaschema, isKnown, isSince, type Language, languageOf } from "./dialect.js";

/** A reference as absolute address, as far as its base allows, and decoded fragment. */
export function splitAddress(
  reference: string,
  base: string,
): { readonly address: string; readonly fragment: string } {
  const hash = reference.indexOf("#");
  const path = hash < 0 ? reference : reference.slice(0, hash);
  const fragment = hash < 0 ? "" : decodeFragment(reference.slice(hash + 1));
  if (path === "") return { address: base, fragment };
  return { address: URL.canParse(path, base) ? new URL(path, base).href : path, fragment };
}

/** A schema with its own address: a document, or a subschema with an `$id`. */
export interface SchemaResource {
  readonly document: SchemaDocument;
  /** JSON Pointer into the document. */
  readonly pointer: string;
  /** Absolute, without a fragment. */
  readonly address: string;
  readonly language: Language;
  /** JSON Pointers into the document, by the name of an anchor. */
  readonly anchors: Map<string, string>;
  /** The dynamic anchors; `""` is the resource itself if it has `$recursiveAnchor`. */
  readonly dynamicAnchors: Map<string, Place>;
}

/** The place of a schema. */
export interface Place {
  readonly resource: SchemaResource;
  /** JSON Pointer into the document. */
  readonly pointer: string;
}

/** A JSON document with its resources, which are collected on first use. */
export class SchemaDocument {
  readonly root: JsonValue;
  readonly language: Language;
  /** The prefix of JSON Pointers into the document: empty for the main schema, otherwise its address. */
  readonly prefix: string;
  readonly #address: string;
  readonly #findMetaschema: FindMetaschema;
  #resources: Map<string, SchemaResource> | undefined;
  /** The number of pointer steps to the deepest resource. */
  #maxDepth = 0;

  constructor(
    root: JsonValue,
    options: {
      readonly address: string;
      readonly prefix: string;
      readonly language: Language;
      readonly findMetaschema: FindMetaschema;
    },
  ) {
    this.root = root;
    this.prefix = options.prefix;
    this.language = options.language;
    this.#address = options.address;
    this.#findMetaschema = options.findMetaschema;
  }

  /** The resources by JSON Pointer; the document itself first. */
  get resources(): ReadonlyMap<string, SchemaResource> {
    if (this.#resources === undefined) {
      this.#resources = new Map();
      const whole = this.#add("", this.#address, this.language);
      this.#visit(this.root, "", whole);
    }
    return this.#resources;
  }

  find(pointer: string): JsonValue | undefined {
    return findAt(this.root, pointer);
  }

  /** Returns the innermost resource around a place. */
  resourceAround(pointer: string): SchemaResource {
    let innermost = this.resources.get("");
    if (innermost === undefined) throw new Error("The document is not a resource.");
    // From the outside, and only to the depth of resources: a pointer may have any number of steps.
    for (let depth = 1, end = 0; depth <= this.#maxDepth && end < pointer.length; depth += 1) {
      const next = pointer.indexOf("/", end + 1);
      end = next === -1 ? pointer.length : next;
      innermost = this.resources.get(pointer.slice(0, end)) ?? innermost;
    }
    return innermost;
  }

  #add(pointer: string, address: string, language: Language): SchemaResource {
    const resource: SchemaResource = {
      document: this,
      pointer,
      address,
      language,
      anchors: new Map(),
      dynamicAnchors: new Map(),
    };
    this.#resources?.set(pointer, resource);
    this.#maxDepth = Math.max(this.#maxDepth, splitPointer(pointer).length);
    return resource;
  }

  #visit(schema: JsonValue, at: string, outer: SchemaResource): void {
    if (!isJsonObject(schema)) return;
    const resource = this.#visitId(schema, at, outer);
    this.#visitAnchors(schema, at, resource);
    for (const [subschema, pointer] of subschemasOf(schema, at)) this.#visit(subschema, pointer, resource);
  }

  #visitId(schema: JsonObject, at: string, outer: SchemaResource): SchemaResource {
    const language = at === "" ? outer.language : languageOf(schema, outer.language, this.#findMetaschema);
    const isModern = isSince(language.dialect, "2019-09");
    const id = getOwn(schema, isSince(language.dialect, "draft-06") ? "$id" : "id");
    // Up to draft 7, `$ref` overrides all other keywords of a schema.
    if (typeof id !== "string" || (!isModern && Object.hasOwn(schema, "$ref"))) return outer;
    const { address, fragment } = splitAddress(id, outer.address);
    if (id.startsWith("#")) {
      if (fragment !== "") outer.anchors.set(fragment, at);
      return outer;
    }
    const resource = this.#add(at, address, language);
    if (fragment !== "") resource.anchors.set(fragment, at);
    return resource;
  }

  #visitAnchors(schema: JsonObject, at: string, resource: SchemaResource): void {
    const { language } = resource;
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const name = isKnown(keyword, language) ? getOwn(schema, keyword) : undefined;
      if (typeof name !== "string") continue;
      resource.anchors.set(name, at);
      if (keyword === "$dynamicAnchor") resource.dynamicAnchors.set(name, { resource, pointer: at });
    }
    const isRecursive = isKnown("$recursiveAnchor", language) && getOwn(schema, "$recursiveAnchor") === true;
    if (isRecursive && at === resource.pointer) resource.dynamicAnchors.set("", { resource, pointer: at });
  }
}
