import { ts } from "ts-morph";
import { originsOf, propertiesNamedBy } from "./property-origins.js";

/** A declaration that holds values: of a variable, a parameter or a property, or of a function, which holds its results. */
export type Holder = ts.Node;

/** Knows which declarations the names in some files mean, and where a declaration is named. */
export class NameIndex {
  readonly checker: ts.TypeChecker;
  readonly #files: ReadonlySet<ts.SourceFile>;
  readonly #references = new Map<Holder, readonly ts.Node[]>();
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
      for (const node of this.#nodesNamed(name)) {
        if (node === own || !this.#means(node, holder)) continue;
        const { parent } = node;
        // `import { label as labelOf }`
        if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) names.add(parent.name.text);
        else found.push(node);
      }
    this.#references.set(holder, found);
    return found;
  }

  #means(name: ts.Node, holder: Holder): boolean {
    return this.meaningOf(name).includes(holder) || this.keyMeaningOf(name).includes(holder);
  }

  #nodesNamed(name: string): readonly ts.Node[] {
    this.#names ??= indexNames(this.#files);
    return this.#names.get(name) ?? [];
  }
}

/** All names in some files by their text: identifiers, and strings that name a property. */
function indexNames(files: ReadonlySet<ts.SourceFile>): ReadonlyMap<string, readonly ts.Node[]> {
  const found = new Map<string, ts.Node[]>();
  const visit = (node: ts.Node): void => {
    const isKey =
      ts.isStringLiteralLike(node) &&
      (ts.isElementAccessExpression(node.parent) || ts.isObjectLiteralElement(node.parent));
    if (ts.isIdentifier(node) || isKey) {
      const alike = found.get(node.text) ?? [];
      found.set(node.text, alike);
      alike.push(node);
    }
    ts.forEachChild(node, visit);
  };
  files.forEach(visit);
  return found;
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
