import type { ts } from "ts-morph";
import type { TextEdit } from "../../contract/text-edit.js";

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
