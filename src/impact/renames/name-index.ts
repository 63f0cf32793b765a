import { ts } from "ts-morph";
import { originsOf, propertiesNamedBy } from "./property-origins.js";

/** A declaration that holds values: of a variable, a parameter or a property, or of a function, which holds its results. */
export type Holder = ts.Node;

/** Knows which declarations the names in some files mean, and where a declaration is named. */
export class NameIndex {
  readonly checker: ts.TypeChecker;
  readonly #files: ReadonlySet<ts.SourceFile>;
  readonly #references = new Map<Holder, readonly ts.Node[]>();
  readonly #meanings = new Map<string, ReadonlyMap<Holder, readonly ts.Node[]>>();
  #names: ReadonlyMap<string, readonly ts.Node[]> | undefined;

  constructor(files: readonly ts.SourceFile[], checker: ts.TypeChecker) {
    this.#files = new Set(files);
    this.checker = checker;
  }

  /** Returns the declarations that a name means. In `{ status }`, it means the variable. */
  meaningOf(name: ts.Node): readonly Holder[] {
    const { parent } = name;
    if (!ts.isShorthandPropertyAssignment(parent)) return this.keyMeaningOf(name);
    const symbol = this.checker.getShorthandAssignmentValueSymbol(parent);
    return symbol === undefined ? [] : originsOf(symbol, this.checker);
  }

  /** Returns the declarations that a name means. In `{ status }`, it means the property. */
  keyMeaningOf(name: ts.Node): readonly Holder[] {
    const { parent } = name;
    if (!ts.isJsxAttribute(parent) || !ts.isIdentifier(name))
      return propertiesNamedBy(name, this.checker).flatMap((symbol) => originsOf(symbol, this.checker));
    const type = this.checker.getContextualType(parent.parent);
    const symbol = type === undefined ? undefined : this.checker.getPropertyOfType(type, name.text);
    return symbol === undefined ? [] : originsOf(symbol, this.checker);
  }

  /** Returns the names in the files that mean a declaration, except its own. */
  referencesTo(holder: Holder): readonly ts.Node[] {
    const known = this.#references.get(holder);
    if (known !== undefined) return known;
    const own = nameOf(holder);
    const isHere = own !== undefined && this.#files.has(holder.getSourceFile());
    const found: ts.Node[] = [];
    const names = new Set(isHere ? [own.text] : []);
    for (const name of names)
      for (const node of this.#named(name).get(holder) ?? []) {
        if (node === own) continue;
        const { parent } = node;
        // `import { label as labelOf }`
        if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) names.add(parent.name.text);
        else found.push(node);
      }
    this.#references.set(holder, found);
    return found;
  }

  /** The names with this text, by what they mean. */
  #named(text: string): ReadonlyMap<Holder, readonly ts.Node[]> {
    const known = this.#meanings.get(text);
    if (known !== undefined) return known;
    this.#names ??= indexNames(this.#files);
    const found = new Map<Holder, ts.Node[]>();
    for (const name of this.#names.get(text) ?? [])
      for (const holder of new Set([...this.meaningOf(name), ...this.keyMeaningOf(name)]))
        addTo(found, holder, name);
    this.#meanings.set(text, found);
    return found;
  }
}

/** All names in some files by their text: identifiers, and strings that name a property. */
function indexNames(files: ReadonlySet<ts.SourceFile>): ReadonlyMap<string, readonly ts.Node[]> {
  const found = new Map<string, ts.Node[]>();
  const visit = (node: ts.Node): void => {
    const isKey =
      ts.isStringLiteralLike(node) &&
      (ts.isElementAccessExpression(node.parent) || ts.isObjectLiteralElement(node.parent));
    if (ts.isIdentifier(node) || isKey) addTo(found, node.text, node);
    ts.forEachChild(node, visit);
  };
  files.forEach(visit);
  return found;
}

function addTo<K>(lists: Map<K, ts.Node[]>, key: K, node: ts.Node): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [node]);
  else list.push(node);
}

/** The name in a declaration. */
function nameOf(node: ts.Node): ts.Identifier | ts.StringLiteralLike | undefined {
  const isNamed =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isEnumMember(node) ||
    ts.isFunctionLike(node) ||
    ts.isObjectLiteralElement(node) ||
    ts.isTypeElement(node) ||
    ts.isClassElement(node);
  const name = isNamed ? node.name : undefined;
  return name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) ? name : undefined;
}
