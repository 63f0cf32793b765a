import { ts } from "ts-morph";
import { followAlias, isReference, unwrap, isModuleName } from "./syntax.js";
import type { ToolSnapshot } from "../core/snapshot.js";

/** The generated module of a locked tool. */
export interface ToolModule {
  readonly server: string;
  /** The tool's name on the server. */
  readonly tool: string;
  /** Posix, relative to the output folder, like `index`. */
  readonly path: string;
  /** The server's index, which also exports the tool. */
  readonly index: string;
  /** The name of the tool's function. */
  readonly wrapper: string;
  readonly definition: ToolSnapshot;
}

/** A limit for aliases, variables and type arguments between a use and its tool. */
const DEEPEST = 8;

/**
 * Finds the tool that a node in the user's code refers to: imported from the tool's module or from an index, through
 * a namespace, a connection, a destructuring, a variable, a re-export, `import()`. Uses the compiler's symbols and
 * types, never names.
 */
export class GeneratedToolFinder {
  readonly #checker: ts.TypeChecker;
  readonly #byPath: ReadonlyMap<string, ToolModule>;
  /** By path of the server's index, then by wrapper. */
  readonly #byIndex: ReadonlyMap<string, ReadonlyMap<string, ToolModule>>;

  constructor(
    checker: ts.TypeChecker,
    tools: readonly ToolModule[],
    pathsOf: (path: string) => readonly string[],
  ) {
    this.#checker = checker;
    this.#byPath = new Map(tools.flatMap((tool) => pathsOf(tool.path).map((path) => [path, tool] as const)));
    const indexes = new Map<string, Map<string, ToolModule>>();
    for (const tool of tools)
      for (const path of pathsOf(tool.index)) {
        const members = indexes.get(path) ?? new Map<string, ToolModule>();
        indexes.set(path, members.set(tool.wrapper, tool));
      }
    this.#byIndex = indexes;
  }

  /** The tools whose generated declarations an identifier refers to, directly or through its type. */
  toolsAt(node: ts.Node): readonly ToolModule[] {
    const symbol = this.#symbolAt(node);
    const modules = symbol === undefined ? [] : this.#toolsOfSymbol(symbol);
    return modules.length > 0 ? modules : this.#toolsOfType(this.#checker.getTypeAtLocation(node), 0);
  }

  /** The tools that an identifier names: their wrappers, schemas or types, or properties of them. */
  toolsNamedAt(node: ts.Node): readonly ToolModule[] {
    const symbol = this.#symbolAt(node);
    return symbol === undefined ? [] : this.#toolsOfSymbol(symbol);
  }

  toolOf(expression: ts.Expression, depth = 0): ToolModule | undefined {
    const node = unwrap(expression);
    const symbol = this.#symbolAt(ts.isPropertyAccessExpression(node) ? node.name : node);
    const named = symbol === undefined ? undefined : this.#wrapperOf(symbol, depth);
    if (named !== undefined) return named;
    return this.#toolOfWrapperType(this.#checker.getTypeAtLocation(node));
  }

  toolOfInput(expression: ts.Expression): ToolModule | undefined {
    const node = unwrap(expression);
    const symbol = this.#symbolAt(ts.isPropertyAccessExpression(node) ? node.name : node);
    return symbol?.name.endsWith("Input") === true ? this.#toolsOfSymbol(symbol)[0] : undefined;
  }

  /** The index with all tools of a value: a connection, or a module namespace. */
  indexOf(node: ts.Node): ReadonlyMap<string, ToolModule> | undefined {
    const type = this.#checker.getTypeAtLocation(node);
    const parts = type.isIntersection() ? type.types : [type];
    for (const part of parts)
      for (const symbol of [part.aliasSymbol, part.getSymbol()])
        for (const declaration of symbol?.declarations ?? []) {
          const isWhole = ts.isSourceFile(declaration) || part.aliasSymbol?.name === "Tools";
          const index = this.#byIndex.get(declaration.getSourceFile().fileName);
          if (isWhole && index !== undefined) return index;
        }
    return undefined;
  }

  #symbolAt(node: ts.Node): ts.Symbol | undefined {
    const symbol = this.#checker.getSymbolAtLocation(node);
    // Uses the value of `{ createPost }`, not the property that it defines.
    if (symbol === undefined || !ts.isShorthandPropertyAssignment(node.parent))
      return this.#followAlias(symbol);
    return this.#followAlias(this.#checker.getShorthandAssignmentValueSymbol(node.parent));
  }

  #followAlias(symbol: ts.Symbol | undefined): ts.Symbol | undefined {
    return symbol && followAlias(symbol, this.#checker);
  }

  #toolsOfSymbol(symbol: ts.Symbol): readonly ToolModule[] {
    const tools = (symbol.declarations ?? []).flatMap((declaration) => this.#declaredIn(declaration) ?? []);
    return [...new Set(tools)];
  }

  #declaredIn(declaration: ts.Node): ToolModule | undefined {
    const path = declaration.getSourceFile().fileName;
    const module = this.#byPath.get(path);
    if (module !== undefined) return module;
    const isMember = ts.isPropertySignature(declaration) || ts.isExportSpecifier(declaration);
    return isMember ? this.#byIndex.get(path)?.get(declaration.name.getText()) : undefined;
  }

  #wrapperOf(symbol: ts.Symbol, depth: number): ToolModule | undefined {
    if (depth > DEEPEST) return undefined;
    for (const declaration of symbol.declarations ?? []) {
      const tool = this.#declaredIn(declaration);
      if (tool !== undefined && symbol.name === tool.wrapper) return tool;
      if (ts.isVariableDeclaration(declaration) && declaration.initializer !== undefined) {
        const module = this.toolOf(declaration.initializer, depth + 1);
        if (module !== undefined) return module;
      }
      if (ts.isBindingElement(declaration)) {
        const property = this.#boundProperty(declaration);
        const wrapper = property === undefined ? undefined : this.#wrapperOf(property, depth + 1);
        if (wrapper !== undefined) return wrapper;
      }
    }
    return undefined;
  }

  #boundProperty(element: ts.BindingElement): ts.Symbol | undefined {
    const name = element.propertyName ?? element.name;
    if (!ts.isIdentifier(name) && !ts.isStringLiteral(name)) return undefined;
    return this.#followAlias(this.#checker.getTypeAtLocation(element.parent).getProperty(name.text));
  }

  /** The types of its input and its answer are declared in the tool's module. */
  #toolOfWrapperType(type: ts.Type): ToolModule | undefined {
    if (type.getSymbol()?.name !== "Tool" || type.getCallSignatures().length === 0) return undefined;
    return this.#argumentsOf(type).flatMap((part) => this.#toolsOfType(part, DEEPEST))[0];
  }

  #toolsOfType(type: ts.Type, depth: number): readonly ToolModule[] {
    const named = [type.aliasSymbol, type.getSymbol()].flatMap((symbol) =>
      symbol === undefined ? [] : this.#toolsOfSymbol(symbol),
    );
    if (named.length > 0 || depth >= 3) return named;
    const parts = type.isUnionOrIntersection() ? type.types : this.#argumentsOf(type);
    return [...new Set(parts.slice(0, 16).flatMap((part) => this.#toolsOfType(part, depth + 1)))];
  }

  #argumentsOf(type: ts.Type): readonly ts.Type[] {
    return isReference(type) ? this.#checker.getTypeArguments(type) : [];
  }
}

/** A call of a tool, plain or by `.safe`. */
export interface ToolCall {
  readonly tool: ToolModule;
  readonly node: ts.CallExpression;
  /** The name of the tool in the call: the last name of the callee, without `.safe`. */
  readonly name: ts.Node;
}

interface Uses {
  /** Every tool whose function, schemas or types are referred to. */
  readonly tools: ReadonlySet<ToolModule>;
  readonly calls: readonly ToolCall[];
  /** Where values are given to the input schemas of tools: `CreatePostInput.parse({ … })`. */
  readonly parses: readonly ToolCall[];
}

/** Returns the tools that a file uses. A connection that is passed on without its type uses all of its tools. */
export function findUses(file: ts.SourceFile, finder: GeneratedToolFinder, checker: ts.TypeChecker): Uses {
  const tools = new Set<ToolModule>();
  const calls: ToolCall[] = [];
  const parses: ToolCall[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || isModuleName(node))
      for (const tool of finder.toolsNamedAt(node)) tools.add(tool);
    if (ts.isExpression(node) && escapes(node, finder, checker))
      for (const tool of finder.indexOf(node)?.values() ?? []) tools.add(tool);
    if (ts.isElementAccessExpression(node)) {
      const index = finder.indexOf(node.expression);
      const key = ts.isStringLiteralLike(node.argumentExpression) ? node.argumentExpression.text : undefined;
      const meant = key === undefined ? [...(index?.values() ?? [])] : [index?.get(key)];
      for (const tool of meant) if (tool !== undefined) tools.add(tool);
    }
    if (ts.isCallExpression(node)) {
      const call = findCall(node, finder);
      if (call !== undefined) calls.push(call);
      const parse = findParse(node, finder);
      if (parse !== undefined) parses.push(parse);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  for (const { tool } of calls) tools.add(tool);
  return { tools, calls, parses };
}

function findCall(node: ts.CallExpression, finder: GeneratedToolFinder): ToolCall | undefined {
  const callee = unwrap(node.expression);
  const isSafe = ts.isPropertyAccessExpression(callee) && callee.name.text === "safe";
  for (const target of isSafe ? [unwrap(callee.expression), callee] : [callee]) {
    const tool = finder.toolOf(target);
    if (tool !== undefined)
      return { tool, node, name: ts.isPropertyAccessExpression(target) ? target.name : target };
  }
  return undefined;
}

const PARSES = /^(?:safe)?parse(?:Async)?$/i;

function findParse(node: ts.CallExpression, finder: GeneratedToolFinder): ToolCall | undefined {
  if (!ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression: schema, name } = node.expression;
  const tool = PARSES.test(name.text) ? finder.toolOfInput(schema) : undefined;
  return tool && { tool, node, name: schema };
}

/** Whether a whole connection or namespace is used where its type is lost: `Object.values(wp)`, `register(shop)`. */
function escapes(node: ts.Expression, finder: GeneratedToolFinder, checker: ts.TypeChecker): boolean {
  const { parent } = node;
  if (ts.isForInStatement(parent) || ts.isAsExpression(parent)) return finder.indexOf(node) !== undefined;
  const isHandedOver =
    ((ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.expression !== node) ||
    (ts.isPropertyAssignment(parent) && parent.initializer === node) ||
    (ts.isVariableDeclaration(parent) && parent.initializer === node && parent.type !== undefined) ||
    ts.isShorthandPropertyAssignment(parent) ||
    ts.isReturnStatement(parent);
  const index = isHandedOver ? finder.indexOf(node) : undefined;
  const wanted = index === undefined ? undefined : checker.getContextualType(node);
  if (index === undefined || wanted === undefined) return false;
  const type = checker.getTypeAtLocation(node);
  return [...index.keys()].some((name) => {
    const [declaration] = type.getProperty(name)?.declarations ?? [];
    return declaration !== undefined && wanted.getProperty(name)?.declarations?.[0] !== declaration;
  });
}
