import { McpCodegenError } from "../../core/errors.js";
import { decodeFragment, findAt, splitPointer } from "../../core/json-pointer.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import type { Dialect } from "../../core/schema-ir.js";
import { isSchema, subschemasOf } from "../../core/subschemas.js";
import {
  assertBounded,
  DEFAULT_DIALECT,
  type FindMetaschema,
  isKnown,
  isSince,
  type Language,
  languageOf,
} from "./dialect.js";

/** Other schemas that references may lead to, by address. */
export type SchemaDocuments = { readonly [address: string]: JsonValue };

interface RootDialects {
  readonly dialect?: Dialect | undefined;
  readonly defaultDialect?: Dialect | undefined;
}

// The base of a document without an address, for its relative references.
const NO_ADDRESS = "schema:///";

/** The most scopes: twenty resources that refer to each other could have a million. The metaschemas need one. */
const MAX_SCOPES = 200;

/**
 * A resource with the targets of its dynamic references, which depend on the references that lead to it: the first resource on the
 * path with an anchor of the name counts. A schema is parsed once for each different set of targets.
 */
export interface Scope {
  /** 0 for the dynamic anchors of the root. */
  readonly id: number;
  readonly document: SchemaDocument;
  readonly language: Language;
  readonly resource: SchemaResource;
  readonly anchors: ReadonlyMap<string, ReferenceTarget>;
}

/** Resolves the references of a schema and of the documents that it refers to. Never fetches anything. */
export class ReferenceResolver {
  readonly #documents: SchemaDocuments;
  readonly #root: SchemaDocument;
  readonly #byAddress = new Map<string, SchemaResource>();
  readonly #scopes = new Map<string, number>();
  #hasAll = false;

  constructor(root: JsonValue, language: Language, documents: SchemaDocuments) {
    this.#documents = documents;
    this.#root = new SchemaDocument(root, [NO_ADDRESS, ""], language, this.#supplied);
  }

  /** The scope of the root. Its addresses are collected on first use. */
  get rootScope(): Scope {
    const document = this.#root;
    const rootResource = (): SchemaResource => {
      this.#registerRoot();
      return document.resourceAround("");
    };
    const intern = (): ReadonlyMap<string, ReferenceTarget> => {
      const { dynamicAnchors } = rootResource();
      if (this.#scopes.size === 0) this.#scopes.set(keyOf(dynamicAnchors), 0);
      return dynamicAnchors;
    };
    return {
      id: 0,
      document,
      language: document.language,
      get resource() {
        return rootResource();
      },
      get anchors() {
        return intern();
      },
    };
  }

  /** Returns the scope of a resource that is reached from a scope. Throws `SCHEMA_INVALID` beyond the limit of scopes. */
  enter(scope: Scope, resource: SchemaResource): Scope {
    const { document, language } = resource;
    const anchors = new Map([...resource.dynamicAnchors, ...scope.anchors]);
    const key = keyOf(anchors);
    const id = this.#scopes.get(key) ?? this.#scopes.size;
    if (id >= MAX_SCOPES)
      throw new McpCodegenError("SCHEMA_INVALID", `The schema's dynamic references have more than ${MAX_SCOPES} different sets of targets.`); // prettier-ignore
    this.#scopes.set(key, id);
    return { id, document, language, resource, anchors };
  }

  /** Returns the target of a `$ref`; undefined for an unknown anchor. Throws `SCHEMA_INVALID` if it leads outside. */
  resolve(ref: string, scope: Scope, at: string): ReferenceTarget | undefined {
    const { address, fragment } = splitAddress(ref, scope.resource.address);
    const resource = address === scope.resource.address ? scope.resource : this.#findResource(address, scope);
    if (resource === undefined) {
      throw new McpCodegenError(
        "SCHEMA_INVALID",
        `The schema refers to "${ref}" (at "${at}"), which is outside it and is not fetched.`,
      );
    }
    const isPointer = fragment === "" || fragment.startsWith("/");
    const pointer = isPointer ? resource.pointer + fragment : resource.anchors.get(fragment);
    return pointer === undefined
      ? undefined
      : { resource: resource.document.resourceAround(pointer), pointer };
  }

  /** Returns the target of a `$dynamicRef` or `$recursiveRef`: 2020-12 core, section 8.2.3.2; 2019-09 core, 8.2.4.2. */
  resolveDynamic(ref: string, scope: Scope, at: string): ReferenceTarget | undefined {
    const place = this.resolve(ref, scope, at);
    if (place === undefined) return undefined;
    const name = ref.slice(ref.indexOf("#") + 1);
    const anchor = place.resource.dynamicAnchors.get(name);
    return anchor?.pointer === place.pointer ? (scope.anchors.get(name) ?? place) : place;
  }

  #registerRoot(): void {
    if (!this.#byAddress.has(NO_ADDRESS)) this.#register(this.#root, NO_ADDRESS);
  }

  #findResource(address: string, scope: Scope): SchemaResource | undefined {
    this.#registerRoot();
    const resource = this.#byAddress.get(address);
    if (resource !== undefined) return resource;
    if (this.#supplied(address) !== undefined) return this.#open(address, scope.language);
    // The address may be an `$id` inside a document with another name.
    if (this.#hasAll) return undefined;
    this.#hasAll = true;
    for (const name of Object.keys(this.#documents)) {
      if (!this.#byAddress.has(bare(name))) this.#open(bare(name), scope.language);
    }
    return this.#byAddress.get(address);
  }

  #open(address: string, inherited: Language): SchemaResource | undefined {
    const root = this.#supplied(address);
    if (root === undefined || !isSchema(root)) return undefined;
    assertBounded(root);
    const language = languageOf(root, inherited, this.#supplied);
    const document = new SchemaDocument(root, [address, `${address}#`], language, this.#supplied);
    this.#register(document, address);
    return this.#byAddress.get(address);
  }

  #register(document: SchemaDocument, address: string): void {
    for (const resource of document.resources.values()) {
      if (resource.pointer === "") this.#byAddress.set(address, resource);
      if (!this.#byAddress.has(resource.address)) this.#byAddress.set(resource.address, resource);
    }
  }

  readonly #supplied = (address: string): JsonValue | undefined => {
    const name = bare(address);
    return getOwn(this.#documents, name) ?? getOwn(this.#documents, `${name}#`);
  };
}

/** Returns the language of a root schema: that of the options, else the declared one, else the default. */
export function rootLanguage(
  schema: JsonValue,
  { dialect, defaultDialect = DEFAULT_DIALECT }: RootDialects,
  documents: SchemaDocuments,
): Language {
  const fallback: Language = { dialect: defaultDialect };
  const language = languageOf(schema, fallback, (address) => getOwn(documents, bare(address)));
  return dialect === undefined ? language : { ...language, dialect };
}

function bare(address: string): string {
  const hash = address.indexOf("#");
  return hash < 0 ? address : address.slice(0, hash);
}

function keyOf(anchors: ReadonlyMap<string, ReferenceTarget>): string {
  const entries = [...anchors].map(
    ([name, { resource, pointer }]) => [name, resource.document.prefix + pointer] as const,
  );
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A reference as absolute address, as far as its base allows, and decoded fragment. */
function splitAddress(
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
interface SchemaResource {
  readonly document: SchemaDocument;
  /** JSON Pointer into the document. */
  readonly pointer: string;
  /** Absolute, without a fragment. */
  readonly address: string;
  readonly language: Language;
  /** JSON Pointers into the document, by the name of an anchor. */
  readonly anchors: Map<string, string>;
  /** The dynamic anchors; `""` is the resource itself if it has `$recursiveAnchor`. */
  readonly dynamicAnchors: Map<string, ReferenceTarget>;
}

interface ReferenceTarget {
  readonly resource: SchemaResource;
  /** JSON Pointer into the document. */
  readonly pointer: string;
}

/** A JSON document with its resources, which are collected on first use. */
class SchemaDocument {
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
    [address, prefix]: readonly [address: string, prefix: string],
    language: Language,
    findMetaschema: FindMetaschema,
  ) {
    this.root = root;
    this.prefix = prefix;
    this.language = language;
    this.#address = address;
    this.#findMetaschema = findMetaschema;
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
