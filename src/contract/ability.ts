import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "./json.js";

/**
 * An ability as WordPress has it registered: `name`, `label`, `description`, `category`, `input_schema`,
 * `output_schema`, `meta`, whatever of them the source tells. A schema that it does not have is absent: what WordPress
 * prints for it, `[]`, is taken out when it is read.
 */
export interface AbilitySnapshot extends JsonObject {
  /** `namespace/name`. */
  readonly name: string;
}

/** Whether a value can be an ability at all: it has a name to be called by. */
export function isAbilitySnapshot(value: JsonValue | undefined): value is AbilitySnapshot {
  if (!isJsonObject(value)) return false;
  const name = getOwn(value, "name");
  return typeof name === "string" && name !== "";
}

/**
 * Whether the adapter puts what a schema describes into an object, under `input` or `result`: MCP knows objects alone. One
 * that may be something beside an object is wrapped too.
 */
export function isWrapped(schema: JsonValue | undefined): boolean {
  return isJsonObject(schema) && Object.hasOwn(schema, "type") && getOwn(schema, "type") !== "object";
}

/** What an ability says of its deprecation; empty where it only says that it is deprecated. */
export type Deprecation = {
  readonly since?: string;
  /** The name of the ability to use in its place. */
  readonly replacement?: string;
  readonly message?: string;
};

/** `meta.deprecated` of an ability, as proposed for WordPress 7.2; undefined where it is not deprecated. */
export function deprecationOf({ meta }: AbilitySnapshot): Deprecation | undefined {
  const value = isJsonObject(meta) ? getOwn(meta, "deprecated") : undefined;
  if (value === true) return {};
  if (!isJsonObject(value) || Object.keys(value).length === 0) return undefined;
  const texts = (["since", "replacement", "message"] as const).flatMap((key) => {
    const text = getOwn(value, key);
    return typeof text === "string" && text !== "" ? [[key, text] as const] : [];
  });
  return Object.fromEntries(texts);
}

/** The name that the adapter gives a tool. It cannot be turned back: `a/b-c` and `a-b/c` have the same. */
export function toolNameOf(ability: string): string {
  return ability.replaceAll("/", "-");
}

/** The ability behind a tool. */
export interface LockedAbility {
  readonly definition: AbilitySnapshot;
  /** The PHP file that registers it, where that is known: posix, relative to the configuration. */
  readonly file?: string;
}

/**
 * The versions of the WordPress MCP adapter that tell abilities as tools in different words. A version between two of
 * them has the words of the earlier one.
 */
export const ADAPTER_PROFILES = ["0.4", "0.5", "0.6"] as const;

export type AdapterProfile = (typeof ADAPTER_PROFILES)[number];

/**
 * How abilities are reached. `tools`: the server's tools are the abilities. `execute`: they are found and called through
 * the adapter's three meta-tools. `rest`: as `execute`, but found through the REST API alone.
 */
export const ABILITY_ROUTES = ["tools", "execute", "rest"] as const;

export type AbilityRoute = (typeof ABILITY_ROUTES)[number];

/** What is known of a server that is WordPress. */
export interface WordPressListing {
  /** How its abilities are written as tools. */
  readonly profile: AdapterProfile;
  readonly route: AbilityRoute;
  /** The tools were projected from PHP and not seen on a server. */
  readonly projected?: true;
}
