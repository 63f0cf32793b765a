import { isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { quoteLiteral } from "../schema/identifiers.js";

/**
 * One piece of a compiled template: fixed text; a place for text, or for JSON that is written as a literal; pieces
 * that are kept only when a value is given, or repeated for every item of a list.
 */
export type Piece =
  | string
  | { readonly text: string }
  | { readonly literal: string }
  | { readonly when: string; readonly pieces: readonly Piece[] }
  | { readonly each: string; readonly pieces: readonly Piece[] };

/** What goes into the places, by name. Inside a list, an item's own values come before those around it. */
export interface Values {
  readonly [slot: string]: JsonValue | undefined;
}

/** The text of a template with every place filled. A place without a value is a bug of ours, and throws. */
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
  if (value === undefined) throw new TypeError(`The template's place "${slot}" has no value.`);
  return value;
}

function literalOf(slot: string, values: Values): string {
  const value = valueOf(slot, values);
  // In parentheses an object is an object wherever it stands, in the body of an arrow function too.
  return isJsonObject(value) ? `(${quoteLiteral(value)})` : quoteLiteral(value);
}

function textOf(slot: string, values: Values): string {
  const value = valueOf(slot, values);
  if (typeof value !== "string") throw new TypeError(`The template's place "${slot}" holds text.`);
  return value;
}

function itemsOf(slot: string, values: Values): readonly JsonObject[] {
  const value = valueOf(slot, values);
  if (!Array.isArray(value)) throw new TypeError(`The template's place "${slot}" holds a list.`);
  return value.filter(isJsonObject);
}
