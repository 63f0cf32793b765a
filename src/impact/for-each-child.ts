import { ts } from "ts-morph";

/**
 * Visits the children of a node, and those of its comments that have types, as in JavaScript.
 *
 * @returns whether a visit returned true, which ends it
 */
export function forEachChildOrDoc(node: ts.Node, visit: (child: ts.Node) => boolean): boolean {
  const docs = ts.getJSDocCommentsAndTags(node).filter(({ parent }) => parent === node);
  return docs.some(visit) || (ts.forEachChild(node, (child) => visit(child) || undefined) ?? false);
}
