import { McpCodegenError } from "../core/errors.js";
import { getOwn, type JsonValue } from "../core/json.js";
import type { Dialect } from "../core/schema-ir.js";
import { assertBounded } from "./assert-bounded.js";
import { DEFAULT_DIALECT, type Language, languageOf } from "./dialect.js";
import { isSchema } from "./parse-context.js";
import { type Place, type SchemaResource, SchemaDocument, splitAddress } from "./schema-document.js";

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
 * A resource with the targets of its dynamic references. These depend on the path of references that leads to the
 * resource: the first resource on the path with an anchor of the name counts. Each different set of targets is a scope,
 * and a schema is parsed once for each of its scopes.
 */
export interface Scope {
  /** 0 for the dynamic anchors of the root. */
  readonly id: number;
  readonly document: SchemaDocument;
  readonly language: Language;
  readonly resource: SchemaResource;
  readonly anchors: ReadonlyMap<string, Place>;
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
    const findMetaschema = (address: string): JsonValue | undefined => this.#supplied(address);
    this.#root = new SchemaDocument(root, { address: NO_ADDRESS, prefix: "", language, findMetaschema });
  }

  /** The scope of the root. Its addresses are collected on first use. */
  get rootScope(): Scope {
    const document = this.#root;
    const rootResource = (): SchemaResource => this.#resource(document, "");
    const intern = (): ReadonlyMap<string, Place> => {
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

  /**
   * Returns the scope for a schema of a resource that is reached from a scope.
   *
   * @throws McpCodegenError `SCHEMA_INVALID` if there are too many scopes
   */
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

  /** Returns the resource that starts at a place of the scope's document; undefined if there is none. */
  findStart({ document }: Scope, pointer: string): SchemaResource | undefined {
    return document.resources.get(pointer);
  }

  /**
   * Returns the target of a `$ref`; undefined for an anchor that is not declared.
   *
   * @throws McpCodegenError `SCHEMA_INVALID` if it leads outside the schema and the documents
   */
  resolve(ref: string, scope: Scope, at: string): Place | undefined {
    const { address, fragment } = splitAddress(ref, scope.resource.address);
    const resource = address === scope.resource.address ? scope.resource : this.#findResource(address, scope);
    if (resource === undefined) {
      throw new McpCodegenError(
        "SCHEMA_INVALID",
        `The schema refers to "${ref}" (at "${at}"), which is outside it and is not fetched.`,
      );
    }
    if (fragment === "") return { resource, pointer: resource.pointer };
    if (!fragment.startsWith("/")) {
      const pointer = resource.anchors.get(fragment);
      return pointer === undefined
        ? undefined
        : { resource: resource.document.resourceAround(pointer), pointer };
    }
    const pointer = resource.pointer + fragment;
    return { resource: resource.document.resourceAround(pointer), pointer };
  }

  /** Returns the target of a `$dynamicRef` or `$recursiveRef`: 2020-12 core, section 8.2.3.2; 2019-09 core, 8.2.4.2. */
  resolveDynamic(ref: string, scope: Scope, at: string): Place | undefined {
    const place = this.resolve(ref, scope, at);
    if (place === undefined) return undefined;
    const name = ref.slice(ref.indexOf("#") + 1);
    const anchor = place.resource.dynamicAnchors.get(name);
    return anchor?.pointer === place.pointer ? (scope.anchors.get(name) ?? place) : place;
  }

  #resource(document: SchemaDocument, pointer: string): SchemaResource {
    if (!this.#byAddress.has(NO_ADDRESS)) this.#register(this.#root, NO_ADDRESS);
    return document.resourceAround(pointer);
  }

  #findResource(address: string, scope: Scope): SchemaResource | undefined {
    this.#resource(this.#root, "");
    const known = this.#byAddress.get(address);
    if (known !== undefined) return known;
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
    const findMetaschema = (name: string): JsonValue | undefined => this.#supplied(name);
    const language = languageOf(root, inherited, findMetaschema);
    const document = new SchemaDocument(root, { address, prefix: `${address}#`, language, findMetaschema });
    this.#register(document, address);
    return this.#byAddress.get(address);
  }

  #register(document: SchemaDocument, address: string): void {
    for (const resource of document.resources.values()) {
      if (resource.pointer === "") this.#byAddress.set(address, resource);
      if (!this.#byAddress.has(resource.address)) this.#byAddress.set(resource.address, resource);
    }
  }

  #supplied(address: string): JsonValue | undefined {
    const name = bare(address);
    return getOwn(this.#documents, name) ?? getOwn(this.#documents, `${name}#`);
  }
}

/**
 * Returns the language of a root schema: the dialect of the options, or the declared dialect, or the default.
 */
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

function keyOf(anchors: ReadonlyMap<string, Place>): string {
  const entries = [...anchors].map(
    ([name, { resource, pointer }]) => [name, resource.document.prefix + pointer] as const,
  );
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
