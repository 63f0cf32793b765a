import { findOwn, getOwn, isJsonObject, type JsonObject, type JsonValue, type NamedObject } from "./json.js";

/** A registered ability, as far as the source returns it. WordPress prints an absent schema as `[]`; it is removed. */
export interface AbilitySnapshot extends NamedObject {
  /** `namespace/name`. */
  readonly name: string;
}

/** Whether the adapter wraps the values of a schema in an object (`input`, `result`), since MCP allows only objects. */
export function isWrapped(schema: JsonValue | undefined): boolean {
  return isJsonObject(schema) && Object.hasOwn(schema, "type") && getOwn(schema, "type") !== "object";
}

/** Which values of calls of an ability the adapter wraps. */
export function wrappedValues(ability: AbilitySnapshot): readonly ("input" | "result")[] {
  return [
    ...(isWrapped(getOwn(ability, "input_schema")) ? (["input"] as const) : []),
    ...(isWrapped(getOwn(ability, "output_schema")) ? (["result"] as const) : []),
  ];
}

/** Whether the tools of a server are abilities that are called through the adapter's execute tool. */
export function isThroughAdapter({
  wordpress,
}: {
  readonly wordpress?: { readonly route?: string | undefined } | undefined;
}): boolean {
  return wordpress !== undefined && wordpress.route !== "tools";
}

/** The deprecation of an ability; empty if it has no details. */
export type Deprecation = {
  readonly since?: string;
  /** The ability to use instead. */
  readonly replacement?: string;
  readonly message?: string;
};

/**
 * Returns `meta.deprecated` of an ability, as proposed for WordPress 7.2; undefined if it is not deprecated.
 */
export function deprecationOf({ meta }: AbilitySnapshot): Deprecation | undefined {
  const value = findOwn(meta, "deprecated");
  if (value === true) return {};
  if (!isJsonObject(value) || Object.keys(value).length === 0) return undefined;
  const texts = (["since", "replacement", "message"] as const).flatMap((key) => {
    const text = getOwn(value, key);
    return typeof text === "string" && text !== "" ? [[key, text] as const] : [];
  });
  return Object.fromEntries(texts);
}

/** Returns the name of the adapter's tool. It is not unique: `a/b-c` and `a-b/c` have the same. */
export function toolNameOf(ability: string): string {
  return ability.replaceAll("/", "-");
}

/** The ability of a tool. */
export interface LockedAbility {
  /** As WordPress registered it. */
  readonly definition: AbilitySnapshot;
  /** The PHP file that registers it, if known: posix, relative to the configuration. */
  readonly file?: string;
}

/** The adapter versions that list abilities differently. A version between two of them lists them as the earlier one. */
export const ADAPTER_PROFILES = ["0.4", "0.5", "0.6"] as const;

export type AdapterProfile = (typeof ADAPTER_PROFILES)[number];

/**
 * How abilities are listed and called. `tools`: the tools of the server are the abilities. `execute`: through
 * the three meta-tools of the adapter. `rest`: as `execute`, but listed only with the REST API.
 */
export const ABILITY_ROUTES = ["tools", "execute", "rest"] as const;

export type AbilityRoute = (typeof ABILITY_ROUTES)[number];

/** The WordPress settings of a server. */
export interface WordPressListing {
  /** The adapter version whose tool definitions are used. */
  readonly profile: AdapterProfile;
  /** tools: the server's tools are the abilities. execute: abilities are found and called through the adapter's three meta-tools. rest: like execute, but abilities are found only through the REST API. */
  readonly route: AbilityRoute;
  /** Whether the tools were projected from PHP instead of being listed by a server. */
  readonly projected?: true;
  /**
   * The answers of the site with which its PHP registers the locked abilities, by question, such as `get_option("acme_pro")`; none
   * for a new site. Absent if the PHP was not compared.
   */
  readonly answers?: JsonObject;
}

/** Whether a URL, which may hold `${VAR}`, belongs to the REST API of a WordPress. */
export function isWordPressUrl(url: string): boolean {
  return /\/wp-json\/|[?&]rest_route=/.test(url);
}
