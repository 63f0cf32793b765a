import { ts } from "ts-morph";

/**
 * Visits the children of a node, and those of its comments that have types, as in JavaScript.
 *
 * @returns whether a visit returned true, which ends it
 */
export function forEachChildOrDoc(node: ts.Node, visit: (child: ts.Node) => boolean): boolean {
  return docsOf(node).some(visit) || (ts.forEachChild(node, (child) => visit(child) || undefined) ?? false);
}

/** The comments of a node that the compiler reads. */
function docsOf(node: ts.Node): readonly ts.Node[] {
  const file = node.getSourceFile();
  const before = file.text.slice(node.getFullStart(), node.getStart(file));
  return before.includes("/**") ? node.getChildren(file).filter(ts.isJSDoc) : [];
}
