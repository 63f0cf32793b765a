import { hash } from "node:crypto";
import { canonicalJson } from "./canonical-json.js";
import type { JsonValue } from "./json.js";

/** Returns `sha256-` and the hexadecimal SHA-256 of the canonical JSON of a value. */
export function digestOf(value: JsonValue): string {
  return `sha256-${sha256(canonicalJson(value))}`;
}

/** Returns the hexadecimal SHA-256 of bytes, or of the UTF-8 bytes of a text. */
export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data);
}
