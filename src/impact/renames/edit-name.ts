import { ts } from "ts-morph";
import type { TextEdit } from "../../core/rename.js";
import { nodeAt } from "../describe-hit.js";

/** A name in a file, and the text that the language service writes before and after the new one. */
interface NamePlace {
  readonly start: number;
  readonly length: number;
  readonly prefix?: string;
  readonly suffix?: string;
}

/**
 * Returns the edit that replaces a property's name at a place. The new name comes from a server: if it is not an identifier,
 * it is written as a string, as in `order["per-page"]`. Undefined where the syntax allows no string.
 */
export function editName(file: ts.SourceFile, place: NamePlace, to: string): TextEdit | undefined {
  const { start, length, prefix = "", suffix = "" } = place;
  const node = nameAt(file, start, length);
  if (ts.isStringLiteralLike(node))
    return {
      start,
      length,
      text: `${prefix}${escapeFor(file.text.charAt(node.getStart(file)), to)}${suffix}`,
    };
  if (isIdentifier(to)) return { start, length, text: `${prefix}${to}${suffix}` };
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
    const dots = parent.getChildren(file).find(({ kind }) => kind === ts.SyntaxKind.DotToken);
    const from = dots?.getStart(file) ?? start;
    return { start: from, length: start + length - from, text: `[${JSON.stringify(to)}]` };
  }
  const isKey =
    ts.isBindingElement(parent) || ts.isShorthandPropertyAssignment(parent) || isNamedBy(parent, node);
  return isKey ? { start, length, text: `${prefix}${JSON.stringify(to)}${suffix}` } : undefined;
}

/** The name at a place. In `{ limit }`, and in `import { getOrder }`, the name is not all that is there. */
export function nameAt(file: ts.SourceFile, start: number, length: number): ts.Node {
  const node = nodeAt(file, start, start + length);
  const isAlone =
    ts.isShorthandPropertyAssignment(node) ||
    ts.isBindingElement(node) ||
    ts.isImportSpecifier(node) ||
    ts.isExportSpecifier(node);
  return isAlone ? node.name : node;
}

function isNamedBy(parent: ts.Node, node: ts.Node): boolean {
  const isMember = ts.isObjectLiteralElement(parent) || ts.isClassElement(parent) || ts.isTypeElement(parent);
  return isMember && parent.name === node;
}

function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

/** A property's name in an object literal. */
export function keyText(name: string): string {
  return isIdentifier(name) ? name : JSON.stringify(name);
}

/** The text of a string literal with this quote. Values come from servers, so they must not end it. */
export function escapeFor(quote: string, value: string): string {
  const escaped = JSON.stringify(value).slice(1, -1);
  if (quote === "'") return escaped.replaceAll('\\"', '"').replaceAll("'", "\\'");
  return quote === "`"
    ? escaped.replaceAll('\\"', '"').replaceAll("`", "\\`").replaceAll("${", "\\${")
    : escaped;
}

/** The edit of a property's name. In `{ limit }`, the variable keeps its name. */
export function editKey(node: ts.Node, to: string): TextEdit | undefined {
  const { parent } = node;
  const file = node.getSourceFile();
  const quote = ts.isStringLiteralLike(node) ? 1 : 0;
  const start = node.getStart(file) + quote;
  const isShort =
    ts.isShorthandPropertyAssignment(parent) ||
    (ts.isBindingElement(parent) && parent.propertyName === undefined);
  const suffix = isShort ? `: ${node.getText(file)}` : "";
  return editName(file, { start, length: node.getEnd() - quote - start, suffix }, to);
}

/** Whether one of the edits changes a node. */
export function isEdited(node: ts.Node, edits: ReadonlyMap<string, readonly TextEdit[]>): boolean {
  const file = node.getSourceFile();
  const [from, to] = [node.getStart(file), node.getEnd()];
  return edits.get(file.fileName)?.some(({ start }) => start >= from && start < to) === true;
}

/** Joins edits by path, without those that are the same or overlap. */
export function mergeEdits(
  all: readonly { readonly edits: ReadonlyMap<string, readonly TextEdit[]> }[],
): ReadonlyMap<string, readonly TextEdit[]> {
  const edits = new Map<string, Map<string, TextEdit>>();
  for (const found of all)
    for (const [path, added] of found.edits) {
      const known = edits.get(path) ?? new Map<string, TextEdit>();
      for (const edit of added) known.set(keyOf(edit), edit);
      edits.set(path, known);
    }
  return new Map([...edits].map(([path, found]) => [path, sorted([...found.values()])]));
}

function keyOf({ start, length, text }: TextEdit): string {
  return JSON.stringify([start, length, text]);
}

/** Edits in order, without those that overlap an earlier one. */
function sorted(edits: readonly TextEdit[]): readonly TextEdit[] {
  let end = 0;
  return [...edits]
    .sort((a, b) => a.start - b.start || b.length - a.length)
    .filter((edit) => {
      const isFree = edit.start >= end;
      if (isFree) end = edit.start + edit.length;
      return isFree;
    });
}
