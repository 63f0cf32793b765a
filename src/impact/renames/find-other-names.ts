/** Finds old names that the compiler cannot resolve: a person has to look at them. */
import { ts } from "ts-morph";
import { isEquality, isModuleName } from "../syntax.js";
import type { LeftoverNode } from "./find-leftovers.js";
import { isDeclared, unionMembersOf, propertiesNamedBy } from "../properties.js";
import type { PlacedPropertyRename, PlacedToolRename } from "./open-code.js";
import type { RenamedProperties } from "./renamed-declarations.js";

/** A place, and the rename that may be about it. */
export interface OtherName extends LeftoverNode {
  readonly rename: PlacedToolRename | PlacedPropertyRename;
}

function describe(node: ts.Node, from: string, to: string): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
  const text = (file.text.split("\n")[line] ?? "").trim();
  return `also names \`${from}\`, renamed to \`${to}\`: ${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}`;
}

const LONGEST = 80;

/**
 * Finds the names of renamed tools in the texts and keys of a file: policies, prompts, calls of a registry. A single word means
 * more than a tool, and counts with the server, as registries and hosts write it (`shop__search`), or where a property
 * says that it names tools (`{ tool: "search" }`).
 */
export function findOtherTools(
  file: ts.SourceFile,
  tools: readonly PlacedToolRename[],
): readonly OtherName[] {
  const found: OtherName[] = [];
  const patterns = tools.map((rename) => [rename, patternOf(rename.before)] as const);
  const visit = (node: ts.Node): void => {
    const isKey = ts.isIdentifier(node) && ts.isPropertyAssignment(node.parent) && node.parent.name === node;
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isKey || (isText && !isModuleName(node) && !ts.isLiteralTypeNode(node.parent)))
      for (const [rename, pattern] of patterns) {
        const { before, after } = rename;
        if (pattern.test(node.getText(file)) || isNamedAlone(node, before.tool))
          found.push({ node, rename, message: describe(node, before.tool, after.tool) });
      }
    ts.forEachChild(node, visit);
  };
  if (tools.some(({ before }) => file.text.includes(before.tool))) visit(file);
  return found;
}

function patternOf({ server: key, tool: name }: PlacedToolRename["before"]): RegExp {
  const [server, tool] = [key, name].map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const prefix = `(?:(?:mcp_{1,2})?${server}(?:_{1,2}|[/.:]))`;
  return new RegExp(`(?<![\\w/.:-])${prefix}${/[^A-Za-z0-9]/.test(name) ? "?" : ""}${tool}(?![\\w-])`);
}

function isNamedAlone(node: ts.Node, tool: string): boolean {
  if (!ts.isStringLiteralLike(node) || node.text !== tool) return false;
  const owner = ts.isArrayLiteralExpression(node.parent) ? node.parent.parent : node.parent;
  return ts.isPropertyAssignment(owner) && /^(?:names?|tools?)$/.test(owner.name.getText());
}

/**
 * Finds the names of renamed properties and values that no type checks: reads of `any`, keys of objects without a type,
 * strings, and optional properties of the user's own types, without which these take the new results as well.
 */
export function findOtherProperties(
  file: ts.SourceFile,
  targets: RenamedProperties["targets"],
  checker: ts.TypeChecker,
): readonly OtherName[] {
  const found: OtherName[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isStringLiteralLike(node))
      for (const { rename, from, to } of targets)
        if (from === node.text && isUnchecked(node, rename.kind, checker))
          found.push({ node, rename, message: describe(node, from, to) });
    ts.forEachChild(node, visit);
  };
  if (targets.length > 0) visit(file);
  return found;
}

function isUnchecked(
  node: ts.Identifier | ts.StringLiteralLike,
  kind: PlacedPropertyRename["kind"],
  checker: ts.TypeChecker,
): boolean {
  const { parent } = node;
  if (ts.isObjectLiteralElement(parent) && parent.name === node)
    // A table of values is often a constant; an object of the user's own is not a result.
    return !isDeclared(parent, checker) && (kind === "value" || isGiven(parent.parent));
  if (isRead(node)) return propertiesNamedBy(node, checker).length === 0;
  if ((ts.isPropertySignature(parent) || ts.isPropertyDeclaration(parent)) && parent.name === node)
    return kind === "property" && parent.questionToken !== undefined;
  if (!ts.isStringLiteralLike(node) || isModuleName(node)) return false;
  return ts.isLiteralTypeNode(parent) ? kind === "value" : !hasCheckedType(node, checker);
}

/** Whether a name is that of a property that code reads: `a.b`, `a["b"]`, `{ b } = a`. */
function isRead(node: ts.Node): boolean {
  const { parent } = node;
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isElementAccessExpression(parent) && parent.argumentExpression === node) ||
    (ts.isBindingElement(parent) && (parent.propertyName ?? parent.name) === node)
  );
}

/** Whether an object is passed or returned, alone or in others. */
function isGiven(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isCallExpression(parent)) return parent.expression !== node;
  if (ts.isReturnStatement(parent) || ts.isArrowFunction(parent)) return true;
  return (ts.isExpression(parent) || ts.isPropertyAssignment(parent)) && isGiven(parent);
}

/** Whether the compiler accepts only some strings at a place, so that it reports a wrong one. */
function hasCheckedType(node: ts.StringLiteralLike, checker: ts.TypeChecker): boolean {
  const { parent } = node;
  let type = checker.getContextualType(node);
  if (ts.isCaseClause(parent)) type = checker.getTypeAtLocation(parent.parent.parent.expression);
  if (ts.isBinaryExpression(parent)) {
    const { left, operatorToken, right } = parent;
    const other = checker.getTypeAtLocation(left === node ? right : left);
    if (operatorToken.kind === ts.SyntaxKind.InKeyword) return other.getProperty(node.text) !== undefined;
    if (isEquality(operatorToken.kind)) type = other;
  }
  const parts = type === undefined ? [] : unionMembersOf(checker.getNonNullableType(type));
  // One literal alone may be inferred from this one.
  return parts.length > 1 && parts.every((part) => part.isStringLiteral());
}
