import { ts } from "ts-morph";

/** Returns what a symbol stands for that is imported or exported under a name; any other symbol is its own. */
export function followAlias(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}
