import { ts } from "ts-morph";
import type { Change } from "../core/change.js";
import { describeRenamed } from "../core/rename.js";
import type { JsonValue } from "../core/json.js";
import { propertyNamesOf, placeOfChange } from "./changes.js";
import { forEachChildOrDoc, isModuleDeclaration, isModuleName } from "./syntax.js";

const LONGEST = 120;

/** Describes the effect of a change on code that no longer compiles. */
export function describeMismatch(spot: Spot, change: Change, message: string): string {
  const place = placeOfChange(change);
  if (place === undefined) {
    const name = spot.names.at(-1);
    if (name === undefined || !/^tool-(?:removed|renamed)$/.test(change.rule))
      return `no longer compiles: ${cut(message)}`;
    const verb = spot.does === "imports" || spot.does === "calls" ? spot.does : "uses";
    return `${verb} ${nameWithTool(name, change.tool ?? "")}, ${whatBecame(change)}`;
  }
  const name = propertyNamesOf(place).at(-1);
  if (spot.does === "imports") return `imports \`${spot.names.at(-1) ?? ""}\`, removed`;
  const touched = spot.names.at(-1);
  if (change.rule === "output-schema-removed" && touched !== undefined)
    return `reads \`${touched}\`, no longer declared`;
  if (name === undefined) return `no longer compiles: ${cut(message)}`;
  if (/-(?:required-property-added|property-became-required)$/.test(change.rule) && place.side === "input")
    return `does not pass \`${name}\`, now required`;
  if (touched === name && spot.does !== "uses") return `${spot.does} \`${name}\`, ${whatBecame(change)}`;
  return `no longer compiles (\`${name}\`, ${whatBecame(change)}): ${cut(message)}`;
}

/** Names a tool as the code does; with the name of the tool, unless the code has only that. */
function nameWithTool(name: string, tool: string): string {
  const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const code = lettersOf(name.replace(/^.*\//, "").replace(/\.[cm]?[jt]s$/, ""));
  const wrapper = lettersOf(tool);
  // A wrapper may lack a prefix of its tool.
  if (code === wrapper || wrapper.includes(code)) return `\`${name}\``;
  return `${code.includes(wrapper) ? `\`${name}\` of ` : ""}tool \`${tool}\``;
}

/** Describes a passed value that is no longer accepted. */
export function describeRejected(name: string | undefined, change: Change, value?: JsonValue): string {
  const what = name === undefined ? "an input" : `\`${name}\``;
  if (/-property-(?:removed|renamed)$/.test(change.rule)) return `passes ${what}, ${whatBecame(change)}`;
  return value === undefined
    ? `passes ${what}, which may now be rejected`
    : `passes ${what}: ${cut(JSON.stringify(value))}, now rejected`;
}

/** Describes passed properties that a closed input does not declare. */
export function describeExtra(names: readonly string[]): string {
  const [first, ...others] = [...new Set(names)].map((name) => `\`${cut(name)}\``);
  const rest = others.length > 1 ? [`${others.length} others`] : others;
  return `passes ${[first ?? "", ...rest].join(" and ")}, which the input schema does not declare`;
}

/** Describes a call of a removed tool. */
export function describeGone(wrapper: string, change: Change): string {
  return `calls \`${wrapper}\`, ${whatBecame(change)}`;
}

function whatBecame(change: Change): string {
  const { rule } = change;
  if (rule.endsWith("-renamed")) return describeRenamed(change, cut);
  if (
    rule.endsWith("-removed") &&
    !/-(?:value|null|format|pattern|of|items|default|description)-removed$/.test(rule)
  )
    return "removed";
  if (rule.endsWith("-null-added")) return "which may now be null";
  if (rule.endsWith("-became-optional")) return "which may now be absent";
  if (rule === "input-enum-value-removed") return "which lost an allowed value";
  if (rule === "output-enum-value-added") return "which may now have other values";
  return /-(?:type|null|const|enum)-/.test(rule) ? "which changed type" : "which changed";
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}…`;
}

/** The code at a place in the user's files, according to its syntax. */
export interface Spot {
  readonly node: ts.Node;
  readonly does: "imports" | "calls" | "passes" | "reads" | "uses";
  /**
   * Names of the properties on the path to the passed or read value, the innermost last; for an import, the imported
   * name.
   */
  readonly names: readonly string[];
}

/** The spot of a diagnostic: the outermost node that it marks, or else the token at its start. */
export function describeSpot(file: ts.SourceFile, start: number, length: number): Spot {
  const node = nodeAt(file, start, start + length);
  const isImport = (at: ts.Node): boolean =>
    ts.isImportSpecifier(at) || ts.isExportSpecifier(at) || isModuleDeclaration(at);
  const imported = ts.findAncestor(node, isImport);
  if (imported !== undefined) return { node, does: "imports", names: [importedName(imported)] };
  if (isModuleName(node)) return { node, does: "imports", names: [node.text] };
  const read = readNames(node);
  if (read.length > 0) return { node, does: isCalled(node) ? "calls" : "reads", names: read };
  const passed = passedNames(node);
  if (passed.length > 0) return { node, does: "passes", names: passed };
  const isArgument = ts.isCallExpression(node.parent) && node.parent.expression !== node;
  return { node, does: isArgument ? "passes" : "uses", names: [] };
}

/** The outermost node at these positions, or else the token at the start. Types in comments of JavaScript count as nodes. */
export function nodeAt(file: ts.SourceFile, start: number, end: number): ts.Node {
  let innermost: ts.Node = file;
  const visit = (node: ts.Node): boolean => {
    if (node.getFullStart() > start || node.getEnd() <= start) return false;
    innermost = node;
    if (node.getStart(file) === start && node.getEnd() === end) return true;
    return forEachChildOrDoc(node, visit);
  };
  visit(file);
  return innermost;
}

function importedName(node: ts.Node): string {
  if (ts.isImportSpecifier(node) || ts.isExportSpecifier(node)) return (node.propertyName ?? node.name).text;
  const specifier = isModuleDeclaration(node) ? node.moduleSpecifier : undefined;
  return specifier !== undefined && ts.isStringLiteral(specifier) ? specifier.text : "";
}

/**
 * The names in `order.total.cents`, for any part of it: the property that is read last, after the ones it is read
 * from.
 */
function readNames(node: ts.Node): readonly string[] {
  const { parent } = node;
  const element = ts.isBindingElement(node) ? node : ts.isBindingElement(parent) ? parent : undefined;
  if (element !== undefined && ts.isObjectBindingPattern(element.parent) && element.initializer !== node)
    return [(element.propertyName ?? element.name).getText()];
  const access = ts.isPropertyAccessExpression(parent) && parent.name === node ? parent : node;
  if (ts.isStringLiteralLike(node) && ts.isElementAccessExpression(parent))
    return [...chainOf(parent.expression), node.text];
  return chainOf(access);
}

/** Whether a node is the name in `wp.cancelOrder(…)` or `wp.cancelOrder.safe(…)`. */
function isCalled({ parent }: ts.Node): boolean {
  if (!ts.isPropertyAccessExpression(parent)) return false;
  const outer = parent.parent;
  const callee = ts.isPropertyAccessExpression(outer) && outer.name.text === "safe" ? outer : parent;
  return ts.isCallExpression(callee.parent) && callee.parent.expression === callee;
}

function chainOf(expression: ts.Node): readonly string[] {
  if (ts.isPropertyAccessExpression(expression))
    return [...chainOf(expression.expression), expression.name.text];
  if (ts.isElementAccessExpression(expression) && ts.isStringLiteralLike(expression.argumentExpression))
    return [...chainOf(expression.expression), expression.argumentExpression.text];
  const isThrough =
    ts.isNonNullExpression(expression) ||
    ts.isElementAccessExpression(expression) ||
    ts.isParenthesizedExpression(expression);
  return isThrough ? chainOf(expression.expression) : [];
}

/** The properties of the object literals around a node, up to their call or declaration. */
function passedNames(node: ts.Node): readonly string[] {
  const names: string[] = [];
  for (let at = node; !ts.isSourceFile(at); at = at.parent) {
    if (ts.isFunctionLike(at) || ts.isBlock(at) || (ts.isCallExpression(at) && at !== node)) break;
    if (ts.isObjectLiteralElement(at) && at.name !== undefined)
      names.unshift(ts.isStringLiteralLike(at.name) ? at.name.text : at.name.getText());
  }
  return names;
}
