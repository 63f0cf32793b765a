import { ts } from "ts-morph";
import type { LeftoverNode } from "./find-leftovers.js";
import { type OpenedCode, ownFilesOf } from "./open-code.js";
import type { PropertyRename } from "./rename-request.js";
import type { ValueRenames } from "./rename-values.js";
import type { ValueFlow } from "./value-flow.js";

/** A place that only the way of values shows to be a renamed name. */
export interface LikelyName extends LeftoverNode {
  readonly rename: PropertyRename;
}

/**
 * Returns the literals of the user's code that may meet a renamed value on the way through variables and functions:
 * `label(order.state)` and `const label = (text: string) => text === "PAID"`.
 */
export function findLikelyValues(
  opened: OpenedCode,
  renames: ValueRenames,
  flow: ValueFlow,
): readonly LikelyName[] {
  const names = new Set([...renames.values()].flatMap((values) => [...values.keys()]));
  if (names.size === 0) return [];
  const literals = ownFilesOf(opened).flatMap((file) => literalsIn(file, names));
  return literals.flatMap(({ node, text, value, isKeyOf = false }) => {
    const uses = isKeyOf ? flow.findLookups(value) : flow.findUses(value);
    const met = [...uses.takers, ...uses.compared.flatMap((other) => [...flow.findOrigins(other)])];
    const [found] = met.flatMap((holder): readonly LikelyName[] => {
      const renamed = renames.get(holder)?.get(text);
      if (renamed === undefined) return [];
      const [name = ""] = nameOf(holder);
      return [{ node, message: describeLikelyValue(name, text, renamed.after), rename: renamed.rename }];
    });
    return found === undefined ? [] : [found];
  });
}

export function describeLikelyValue(name: string, before: string, after: string): string {
  return `${JSON.stringify(before)} may be a value of \`${name}\`, renamed to ${JSON.stringify(after)}`;
}

interface Literal {
  readonly node: ts.Node;
  readonly text: string;
  /** The literal, or the object literal that has it as a key. */
  readonly value: ts.Expression;
  /** Whether the value is an object that the text is looked up in. */
  readonly isKeyOf?: boolean;
}

/** The literals, and keys of objects, with one of these texts. */
function literalsIn(file: ts.SourceFile, texts: ReadonlySet<string>): readonly Literal[] {
  const found: Literal[] = [];
  const visit = (node: ts.Node): void => {
    const isText = ts.isStringLiteralLike(node) || ts.isIdentifier(node);
    if (isText && texts.has(node.text)) {
      const { parent } = node;
      const isKey = ts.isObjectLiteralElement(parent) && parent.name === node;
      const isLookup =
        (ts.isElementAccessExpression(parent) && parent.argumentExpression === node) ||
        (ts.isPropertyAccessExpression(parent) && parent.name === node);
      if (isLookup) found.push({ node, text: node.text, value: parent.expression, isKeyOf: true });
      else if (isKey && ts.isObjectLiteralExpression(parent.parent))
        found.push({ node, text: node.text, value: parent.parent });
      else if (ts.isStringLiteralLike(node)) found.push({ node, text: node.text, value: node });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The name of a declared property; none for anything else. */
export function nameOf(node: ts.Node): readonly string[] {
  const name = ts.isPropertySignature(node) ? node.name : undefined;
  return name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? [name.text] : [];
}
