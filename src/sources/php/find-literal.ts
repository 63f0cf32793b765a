import type { Change } from "../../contract/change.js";
import { getOwn, isJsonObject, type JsonValue } from "../../contract/json.js";
import type { PhpPlace } from "./harness-answer.js";

/** A PHP file that an ability may be written in, and its text. */
export interface PhpSource {
  readonly file: string;
  readonly text: string;
}

/**
 * Where the sources have what a change is about: first a text that is new, then the property by its name. A guess by the
 * words, since what PHP computes has no line; undefined where no source has them.
 */
export function findLiteral(change: Change, sources: readonly PhpSource[]): PhpPlace | undefined {
  const added = addedTexts(change.before, change.after).map((text) => quoted(text, ""));
  const property = propertyOf(change.path);
  const named = property === undefined ? [] : SCHEMAS.map((schema) => quoted(property, schema));
  for (const pattern of [...added, ...named]) {
    for (const { file, text } of sources) {
      const at = text.search(pattern);
      if (at >= 0) return { file, line: text.slice(0, at).split("\n").length };
    }
  }
  return undefined;
}

/**
 * What stands behind the name of a property where its schema is said: an array, or else what makes one. Plugins have the
 * same names before numbers and texts, in what they answer.
 */
const SCHEMAS = ["\\s*=>\\s*(?:array\\s*\\(|\\[)", "\\s*=>(?!\\s*[\"'\\d$-])"];

/** What the new value says that the old one does not. */
function addedTexts(before: JsonValue | undefined, after: JsonValue | undefined): readonly string[] {
  const old = new Set(textsOf(before));
  return textsOf(after).filter((text) => text !== "" && !old.has(text));
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.filter((item): item is string => typeof item === "string");
  return isJsonObject(value) ? textsOf(getOwn(value, "description")) : [];
}

/** The innermost property that a path leads through. */
function propertyOf(path: string): string | undefined {
  const keys = path.split("/").map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const at = keys.lastIndexOf("properties");
  return at < 0 ? undefined : keys[at + 1];
}

function quoted(text: string, after: string): RegExp {
  const escaped = text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  return new RegExp(`(["'])${escaped}\\1${after}`);
}
