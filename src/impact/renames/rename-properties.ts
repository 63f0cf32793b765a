import { posix } from "node:path";
import { ts } from "ts-morph";
import { type ChangePlace, namesOf, placeOf } from "../change-place.js";
import { describeLikelyValue } from "./find-likely-values.js";
import { editName, nameAt } from "./edit-name.js";
import { findCalls, findPassedAt, findPassedValues, type LeftoverNode } from "./find-leftovers.js";
import { type AddEdits, findLocations, type OpenedCode } from "./open-code.js";
import { originsOf, propertiesNamedBy } from "./property-origins.js";
import type { CodeLocation, PropertyRename } from "./rename-request.js";
import { renamePassed } from "./rename-passed.js";
import { editValue, renameValues, type ValueRename, type ValueRenames } from "./rename-values.js";
import { propertiesAt, rootOf } from "./renamed-declarations.js";

/** A rename with the declarations in generated code that it is about. */
interface Target {
  readonly rename: PropertyRename;
  readonly from: string;
  readonly to: string;
  readonly place: ChangePlace;
  /** The names of the declared properties. */
  readonly names: readonly ts.Node[];
}

/** The renamed properties and values of generated code. */
export interface RenamedProperties {
  readonly targets: readonly Target[];
  /** By declaration. */
  readonly properties: ReadonlyMap<ts.Node, Target>;
  /** By declaration, then by old value. */
  readonly values: ValueRenames;
}

/** Finds the declarations that renames are about. */
export function findRenamedProperties(
  { program, folder }: OpenedCode,
  renames: readonly PropertyRename[],
): RenamedProperties {
  const checker = program.getTypeChecker();
  const properties = new Map<ts.Node, Target>();
  const values = new Map<ts.Node, Map<string, ValueRename>>();
  const targets = renames.flatMap((rename): readonly Target[] => {
    const { kind, tool, type, change } = rename;
    const file = program.getSourceFile(posix.join(folder, tool.path));
    const place = placeOf(change);
    const { before: from, after: to } = change;
    if (file === undefined || place === undefined || typeof from !== "string" || typeof to !== "string")
      return [];
    const names = propertiesAt(file, type, place, { checker, root: rootOf(change, tool) });
    const target = { rename, from, to, place, names };
    for (const { parent } of names)
      if (kind === "property") properties.set(parent, properties.get(parent) ?? target);
      else {
        const own = values.get(parent) ?? new Map<string, ValueRename>();
        values.set(parent, own.set(from, { after: to, rename }));
      }
    return [target];
  });
  return { targets, properties, values };
}

/**
 * Adds the edits of renamed properties and values, and returns the places that keep their name, such as those of a property
 * that also belongs to another type. Names in strings are left out.
 */
export function renameProperties(
  opened: OpenedCode,
  { targets, properties, values }: RenamedProperties,
  { before }: Pick<CodeLocation, "before">,
  { add, use }: { readonly add: AddEdits; readonly use: (rename: PropertyRename) => void },
): readonly LeftoverNode[] {
  const { program, users, folder } = opened;
  const checker = program.getTypeChecker();
  const left: LeftoverNode[] = [];
  renameValues(opened, values, add);
  const renamed = targets.filter(({ rename }) => rename.kind === "property");
  for (const { rename, to, names } of renamed)
    for (const name of names)
      for (const { fileName, textSpan, prefixText, suffixText } of findLocations(opened, name, true)) {
        const file = program.getSourceFile(fileName);
        if (file === undefined || fileName.startsWith(`${folder}/`)) continue;
        use(rename);
        const node = nameAt(file, textSpan.start, textSpan.length);
        const at = { ...textSpan, prefix: prefixText ?? "", suffix: suffixText ?? "" };
        const isShared = propertiesNamedBy(node, checker).some((symbol) =>
          originsOf(symbol, checker).some((one) => properties.get(one)?.to !== to),
        );
        const edit = isShared ? undefined : editName(file, at, to);
        if (edit !== undefined) add(rename, fileName, [edit]);
        else left.push({ node, message: describeKept(node, isShared, to) });
      }
  const calls = targets.length === 0 ? [] : findCalls(users, program, { tools: before.tools, folder });
  for (const { rename, from, to, place } of targets) {
    if (rename.kind !== "value" || place.side === "output") continue;
    for (const { tool, node: call } of calls)
      for (const literal of tool === rename.tool ? findPassedValues(call, place, { from, checker }) : []) {
        // An object in a variable may be used elsewhere as well.
        const isOwn = ts.findAncestor(literal, (node) => node === call) !== undefined;
        if (isOwn) add(rename, literal.getSourceFile().fileName, [editValue(literal, to)]);
        else
          left.push({ node: literal, message: describeLikelyValue(namesOf(place).at(-1) ?? "", from, to) });
      }
  }
  for (const { rename, to, place } of renamed) {
    if (place.side === "output") continue;
    const own = new Set(calls.flatMap((call) => (call.tool === rename.tool ? [call.node] : [])));
    if (!place.isAnywhere)
      for (const [file, found] of renamePassed({ steps: place.steps, after: to, calls: own }, checker))
        add(rename, file.fileName, found);
    if ([...own].some((call) => findPassedAt(call, place, checker).length > 0)) use(rename);
  }
  return left;
}

function describeKept(node: ts.Node, isShared: boolean, to: string): string {
  const name = `\`${node.getText()}\``;
  return isShared
    ? `${name} also belongs to another type, so it keeps its name`
    : `${name} cannot be renamed to ${JSON.stringify(to)} here`;
}
