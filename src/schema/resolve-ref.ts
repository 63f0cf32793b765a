import { McpCodegenError } from "../contract/errors.js";
import { getOwn, type JsonValue } from "../contract/json.js";
import type { Dialect } from "../contract/schema-ir.js";
import { assertBounded } from "./assert-bounded.js";
import { DEFAULT_DIALECT, type Language, languageOf } from "./dialect.js";
import { isSchema } from "./parse-context.js";
import { type Place, type Resource, SchemaDocument } from "./schema-document.js";
import { splitAddress } from "../contract/split-address.js";

/** Schemas by address, for references that leave a schema. */
export type SchemaDocuments = { readonly [address: string]: JsonValue };

interface RootDialects {
  readonly dialect?: Dialect | undefined;
  readonly defaultDialect?: Dialect | undefined;
}

// A document without an address still has a base, so that relative references inside it resolve against something.
const NO_ADDRESS = "schema:///";

/** Twenty resources that lead to each other could be reached in a million ways. The metaschemas need one. */
const MAX_SCOPES = 200;

/**
 * Where a reader stands: in which resource, and what dynamic references mean there. Those look at the way that led
 * here, and of that only the first resource with an anchor of that name counts. So every different set of such anchors
 * is a scope of its own, and a schema is read once for each scope that it is reached in.
 */
export interface Scope {
  /** 0 for what is reached from the root without passing a resource with other dynamic anchors. */
  readonly id: number;
  readonly document: SchemaDocument;
  readonly language: Language;
  readonly resource: Resource;
  readonly anchors: ReadonlyMap<string, Place>;
}

/** Resolves the references of one schema, and of those it leads to. Nothing is ever read or fetched. */
export class ReferenceResolver {
  readonly #documents: SchemaDocuments;
  readonly #root: SchemaDocument;
  readonly #byAddress = new Map<string, Resource>();
  readonly #scopes = new Map<string, number>();
  #hasAll = false;

  constructor(root: JsonValue, language: Language, documents: SchemaDocuments) {
    this.#documents = documents;
    const findMetaschema = (address: string): JsonValue | undefined => this.#supplied(address);
    this.#root = new SchemaDocument(root, { address: NO_ADDRESS, prefix: "", language, findMetaschema });
  }

  /** The scope in which the root is read. Its addresses are looked for when something asks for them. */
  get rootScope(): Scope {
    const document = this.#root;
    const rootResource = (): Resource => this.#resource(document, "");
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
   * Returns the scope in which a schema of a resource is read.
   *
   * @throws McpCodegenError `SCHEMA_INVALID` when there are too many
   */
  enter(scope: Scope, resource: Resource): Scope {
    const { document, language } = resource;
    const anchors = new Map([...resource.dynamicAnchors, ...scope.anchors]);
    const key = keyOf(anchors);
    const id = this.#scopes.get(key) ?? this.#scopes.size;
    if (id >= MAX_SCOPES)
      throw new McpCodegenError("SCHEMA_INVALID", `The schema's dynamic references mean more than ${MAX_SCOPES} different things.`); // prettier-ignore
    this.#scopes.set(key, id);
    return { id, document, language, resource, anchors };
  }

  /** The resource that starts at a place of the scope's document; undefined when none does. */
  findStart({ document }: Scope, pointer: string): Resource | undefined {
    return document.resources.get(pointer);
  }

  /**
   * Returns the target of a `$ref`; undefined for an anchor that is not declared.
   *
   * @throws McpCodegenError `SCHEMA_INVALID` when it means something outside the schema and the documents
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

  /** What a `$dynamicRef` or `$recursiveRef` means in a scope: 2020-12 core, section 8.2.3.2, 2019-09 core, 8.2.4.2. */
  resolveDynamic(ref: string, scope: Scope, at: string): Place | undefined {
    const place = this.resolve(ref, scope, at);
    if (place === undefined) return undefined;
    const name = ref.slice(ref.indexOf("#") + 1);
    const anchor = place.resource.dynamicAnchors.get(name);
    return anchor?.pointer === place.pointer ? (scope.anchors.get(name) ?? place) : place;
  }

  #resource(document: SchemaDocument, pointer: string): Resource {
    if (!this.#byAddress.has(NO_ADDRESS)) this.#register(this.#root, NO_ADDRESS);
    return document.resourceAround(pointer);
  }

  #findResource(address: string, scope: Scope): Resource | undefined {
    this.#resource(this.#root, "");
    const known = this.#byAddress.get(address);
    if (known !== undefined) return known;
    if (this.#supplied(address) !== undefined) return this.#open(address, scope.language);
    // It may have its address from an `$id` inside a document that is called otherwise.
    if (this.#hasAll) return undefined;
    this.#hasAll = true;
    for (const name of Object.keys(this.#documents)) {
      if (!this.#byAddress.has(bare(name))) this.#open(bare(name), scope.language);
    }
    return this.#byAddress.get(address);
  }

  #open(address: string, inherited: Language): Resource | undefined {
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
 * The language of a schema that nothing leads to: the dialect it is said to be written in, or what it declares, or the
 * default.
 */
export function rootLanguage(
  schema: JsonValue,
  { dialect, defaultDialect = DEFAULT_DIALECT }: RootDialects,
  documents: SchemaDocuments,
): Language {
  const unsaid: Language = { dialect: defaultDialect };
  const language = languageOf(schema, unsaid, (address) => getOwn(documents, bare(address)));
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
