import { findOwn, getOwn, isJsonObject, type JsonValue } from "./json.js";
import { mapKeyword } from "./subschemas.js";

/** The keyword that names a parameter's HTTP header (specification 2026-07-28, "Custom Headers from Tool Parameters"). */
export const HEADER_KEYWORD = "x-mcp-header";

const PREFIX = "Mcp-Param-";
/** The token of RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** The specification excludes `number`: its text may differ between languages. */
const TYPES: readonly (JsonValue | undefined)[] = ["string", "integer", "boolean"];

/** A header keyword in a schema. */
export interface HeaderAnnotation {
  /** What the keyword holds: the name of the header without its prefix, if it is valid. */
  readonly value: JsonValue;
  /** JSON Pointer of the keyword in the schema. */
  readonly at: string;
  /** The names of the properties that lead to the parameter; undefined if another keyword is on the way. */
  readonly path: readonly string[] | undefined;
  /** The type of the parameter. */
  readonly type: JsonValue | undefined;
}

/** Returns every header keyword of a schema, valid or not, from the outside in. */
export function findHeaderAnnotations(schema: JsonValue): readonly HeaderAnnotation[] {
  const found: HeaderAnnotation[] = [];
  const open: { schema: JsonValue; at: string; path: readonly string[] | undefined }[] = [
    { schema, at: "", path: [] },
  ];
  for (const { schema: node, at, path } of open) {
    if (!isJsonObject(node)) continue;
    const value = getOwn(node, HEADER_KEYWORD);
    if (value !== undefined)
      found.push({ value, at: `${at}/${HEADER_KEYWORD}`, path, type: getOwn(node, "type") });
    for (const [keyword, holder] of Object.entries(node)) {
      mapKeyword(keyword, holder, at, (inner, place, name) => {
        const isChain = keyword === "properties" && path !== undefined && name !== undefined;
        open.push({ schema: inner, at: place, path: isChain ? [...path, name] : undefined });
        return inner;
      });
    }
  }
  return found;
}

/** Why a tool cannot be called over HTTP. */
export interface HeaderFault {
  /** JSON Pointer of the keyword in the input schema. */
  readonly path: string;
  readonly message: string;
}

/** Returns the first header keyword that the specification does not allow: such a tool must not be offered over HTTP. */
export function findHeaderFault(inputSchema: JsonValue): HeaderFault | undefined {
  const places = new Map<string, string>();
  for (const { value, at, path, type } of findHeaderAnnotations(inputSchema)) {
    const fail = (why: string): HeaderFault => {
      const shown = JSON.stringify(value).slice(0, 100);
      return { path: at, message: `The HTTP header ${shown} of a parameter ${why}.` };
    };
    if (path === undefined || path.length === 0)
      return fail(`is on a schema that "properties" alone do not lead to`);
    if (typeof value !== "string" || !TOKEN.test(value)) return fail("is not a valid header name");
    if (!TYPES.includes(type)) {
      const shown = type === undefined ? "no type" : `the type ${JSON.stringify(type).slice(0, 100)}`;
      return fail(`is on a parameter with ${shown}; a string, integer or boolean is required`);
    }
    const name = value.toLowerCase();
    const earlier = places.get(name);
    if (earlier !== undefined) return fail(`is also the header at ${earlier}`);
    places.set(name, at);
  }
  return undefined;
}

/**
 * Returns the headers of a call for the arguments that the input schema marks with `x-mcp-header`, if they are strings, integers or
 * booleans. The schema must have no {@link findHeaderFault}.
 */
export function parameterHeaders(
  inputSchema: JsonValue,
  input: JsonValue,
): { readonly [name: string]: string } {
  const headers = findHeaderAnnotations(inputSchema).flatMap(({ value: name, path = [] }) => {
    const value = path.reduce<JsonValue | undefined>((inner, key) => findOwn(inner, key), input);
    const text = textOf(value);
    return typeof name !== "string" || text === undefined ? [] : [[PREFIX + name, encode(text)] as const];
  });
  return Object.fromEntries(headers);
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : undefined;
  if (typeof value === "boolean") return String(value);
  return typeof value === "string" ? value : undefined;
}

/** Texts that a header can hold as they are: printable ASCII and tabs, without white space at the ends. */
const PLAIN = /^[!-~](?:[\t -~]*[!-~])?$/;
const ENCODED = /^=\?base64\?.*\?=$/;

function encode(text: string): string {
  if (PLAIN.test(text) && !ENCODED.test(text)) return text;
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte));
  return `=?base64?${btoa(bytes.join(""))}?=`;
}
