import { ts } from "ts-morph";
import { ANY_STEP, joinProperty } from "../contract/consumer.js";
import { isReference, type ToolModule } from "./tool-finder.js";

/** A property in the generated type of an output, with the paths in the output that have this type. */
export interface OutputProperty {
  readonly tool: ToolModule;
  readonly paths: readonly string[];
}

/** Types as deep as no output, and a limit for recursive types. */
const DEEPEST = 16;
/** More paths than any output has; a type that many properties share has one for each. */
const MOST_PATHS = 5_000;

/**
 * Returns the output properties of tools by their declarations in generated modules. Symbols keep their declarations in
 * spreads, mapped types and destructuring, so a read is found wherever the value went.
 */
export function indexOutputs(
  tools: readonly ToolModule[],
  program: ts.Program,
  pathsOf: (path: string) => readonly string[],
): ReadonlyMap<ts.Node, OutputProperty> {
  const checker = program.getTypeChecker();
  const found: Found = new Map();
  for (const tool of tools)
    for (const file of pathsOf(tool.path).flatMap((path) => program.getSourceFile(path) ?? []))
      for (const type of outputTypes(file, tool.wrapper, checker))
        new OutputWalk(tool, file, checker, found).walk(type, "", []);
  return found;
}

function outputTypes(file: ts.SourceFile, wrapper: string, checker: ts.TypeChecker): readonly ts.Type[] {
  const module = checker.getSymbolAtLocation(file);
  const symbol = module?.exports?.get(ts.escapeLeadingUnderscores(wrapper));
  if (symbol === undefined) return [];
  return checker
    .getTypeOfSymbol(symbol)
    .getCallSignatures()
    .flatMap((signature) => checker.getAwaitedType(signature.getReturnType()) ?? []);
}

type Found = Map<ts.Node, { readonly tool: ToolModule; readonly paths: string[] }>;

class OutputWalk {
  #count = 0;
  readonly #tool: ToolModule;
  readonly #file: ts.SourceFile;
  readonly #checker: ts.TypeChecker;
  readonly #found: Found;

  constructor(tool: ToolModule, file: ts.SourceFile, checker: ts.TypeChecker, found: Found) {
    this.#tool = tool;
    this.#file = file;
    this.#checker = checker;
    this.#found = found;
  }

  walk(type: ts.Type, path: string, outer: readonly ts.Type[]): void {
    if (outer.length > DEEPEST || outer.includes(type)) return;
    const inner = [...outer, type];
    for (const part of type.isUnionOrIntersection() ? type.types : [type]) {
      if ((part.flags & ts.TypeFlags.Object) === 0) continue;
      for (const items of itemTypes(part, this.#checker)) this.walk(items, `${path}/${ANY_STEP}`, inner);
      for (const symbol of part.getProperties())
        this.#add(symbol, joinProperty(path, symbol.getName()), inner);
    }
  }

  #add(symbol: ts.Symbol, path: string, outer: readonly ts.Type[]): void {
    const own = (symbol.declarations ?? []).filter(
      (declaration) => declaration.getSourceFile() === this.#file,
    );
    if (own.length === 0 || this.#count >= MOST_PATHS) return;
    this.#count += 1;
    for (const declaration of own) {
      const known = this.#found.get(declaration) ?? { tool: this.#tool, paths: [] };
      if (!known.paths.includes(path)) known.paths.push(path);
      this.#found.set(declaration, known);
    }
    this.walk(this.#checker.getTypeOfSymbol(symbol), path, outer);
  }
}

/** The types of the items of a list or tuple, or of the values of a map; empty for other types. */
export function itemTypes(type: ts.Type, checker: ts.TypeChecker): readonly ts.Type[] {
  // The rest of a tuple may be unknown, and then so is the type of any item.
  if (checker.isTupleType(type) && isReference(type)) return checker.getTypeArguments(type);
  return checker.getIndexInfosOfType(type).map((info) => info.type);
}
