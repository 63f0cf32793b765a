import { getOwn, isJsonArray, isJsonObject, type JsonValue } from "./json.js";

/** A JSON Pointer (RFC 6901) with one more step. */
export function joinPointer(pointer: string, ...steps: readonly (string | number)[]): string {
  let joined = pointer;
  for (const step of steps) {
    joined += `/${typeof step === "string" && ESCAPED.test(step) ? escapeStep(step) : step}`;
  }
  return joined;
}

/** Few steps have to be escaped, and pointers are made by the hundred thousand. */
const ESCAPED = /[~/]/;

function escapeStep(step: string): string {
  return step.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The steps of a JSON Pointer, unescaped. */
export function splitPointer(pointer: string): readonly string[] {
  const steps = pointer.split("/").slice(1);
  return pointer.includes("~")
    ? steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    : steps;
}

/** Decodes the fragment of a reference; returns it unchanged if it is not encoded: a bare "%" is not an escape. */
export function decodeFragment(fragment: string): string {
  if (!fragment.includes("%")) return fragment;
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Returns the value that a JSON Pointer points at, of own keys only; undefined if there is none. */
export function findAt(root: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const step of splitPointer(pointer)) {
    if (isJsonObject(value)) value = getOwn(value, step);
    else if (isJsonArray(value) && /^(0|[1-9]\d*)$/.test(step)) value = value[Number(step)];
    else return undefined;
  }
  return value;
}

/** The keys and indices that lead from the root of a document to a value. */
export type KeyPath = readonly (string | number)[];

/** A place in a JSON document as people write it: `servers.shop.tools["get-post"].digest`, `args[0]`. */
export function formatKeyPath(path: KeyPath): string {
  return path
    .map((key, index) => {
      if (typeof key === "number" || !/^[A-Za-z_$][\w$]*$/.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
}
