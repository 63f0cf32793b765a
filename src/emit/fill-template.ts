import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { quoteLiteral } from "../schema/print/identifiers.js";

/**
 * A piece of a compiled template: fixed text; a placeholder for text or for JSON, which is printed as a literal; or
 * pieces that are conditional, or repeated for every item of a list.
 */
export type Piece =
  | string
  | { readonly text: string }
  | { readonly literal: string }
  | { readonly when: string; readonly pieces: readonly Piece[] }
  | { readonly each: string; readonly pieces: readonly Piece[] };

/** Values of the placeholders, by name. In a list, an item's values take precedence over outer ones. */
export interface Values {
  readonly [slot: string]: JsonValue | undefined;
}

/** Fills every placeholder of a template. Throws for a placeholder without a value, which is a bug. */
export function fillTemplate(pieces: readonly Piece[], values: Values): string {
  return pieces.map((piece) => fillPiece(piece, values)).join("");
}

function fillPiece(piece: Piece, values: Values): string {
  if (typeof piece === "string") return piece;
  if ("text" in piece) return textOf(piece.text, values);
  if ("literal" in piece) return literalOf(piece.literal, values);
  if ("when" in piece) return values[piece.when] === undefined ? "" : fillTemplate(piece.pieces, values);
  return itemsOf(piece.each, values)
    .map((item) => fillTemplate(piece.pieces, { ...values, ...item }))
    .join("");
}

function valueOf(slot: string, values: Values): JsonValue {
  const value = values[slot];
  if (value === undefined) throw new TypeError(`The template's placeholder "${slot}" has no value.`);
  return value;
}

function literalOf(slot: string, values: Values): string {
  const value = valueOf(slot, values);
  // In parentheses, an object literal is valid anywhere, even as the body of an arrow function.
  return isJsonObject(value) ? `(${quoteLiteral(value)})` : quoteLiteral(value);
}

function textOf(slot: string, values: Values): string {
  const value = valueOf(slot, values);
  if (typeof value !== "string") throw new TypeError(`The template's placeholder "${slot}" holds text.`);
  return value;
}

function itemsOf(slot: string, values: Values): readonly JsonObject[] {
  const value = valueOf(slot, values);
  if (!Array.isArray(value)) throw new TypeError(`The template's placeholder "${slot}" holds a list.`);
  return value.filter(isJsonObject);
}
