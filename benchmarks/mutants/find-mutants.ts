import { createHash } from "node:crypto";
import ts from "typescript";

/** The kinds of mistakes that are planted. */
export type MutantKind = "comparison" | "bound" | "branch" | "await" | "default" | "boolean";

/** A mistake in a file: the text of a range and what replaces it. */
export interface Mutant {
  /** The path of the file, as passed in. */
  readonly file: string;
  readonly kind: MutantKind;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

const REVERSED = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [ts.SyntaxKind.LessThanToken, ">="],
  [ts.SyntaxKind.LessThanEqualsToken, ">"],
  [ts.SyntaxKind.GreaterThanToken, "<="],
  [ts.SyntaxKind.GreaterThanEqualsToken, "<"],
]);
const MOVED = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.LessThanToken, "<="],
  [ts.SyntaxKind.LessThanEqualsToken, "<"],
  [ts.SyntaxKind.GreaterThanToken, ">="],
  [ts.SyntaxKind.GreaterThanEqualsToken, ">"],
]);

/** A constant of this size bounds time or space. */
const LEAST_LIMIT = 100;

/** Returns each mistake that can be planted in a file, in the order of the text. */
export function findMutants(file: string, text: string): readonly Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const add = (kind: MutantKind, node: ts.Node, after: string): void => {
    const start = node.getStart(source);
    mutants.push({ file, kind, start, end: node.end, before: text.slice(start, node.end), after });
  };
  const visit = (node: ts.Node): void => {
    // Types do not run.
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const { kind } = node.operatorToken;
      const reversed = REVERSED.get(kind);
      const moved = MOVED.get(kind);
      if (reversed !== undefined) add("comparison", node.operatorToken, reversed);
      if (moved !== undefined) add("bound", node.operatorToken, moved);
      // Parentheses on both sides, since operators bind differently and "??" needs them.
      if (kind === ts.SyntaxKind.AmpersandAmpersandToken || kind === ts.SyntaxKind.BarBarToken) {
        const operator = kind === ts.SyntaxKind.BarBarToken ? "&&" : "||";
        add("boolean", node, `((${node.left.getText()}) ${operator} (${node.right.getText()}))`);
      }
      if (kind === ts.SyntaxKind.QuestionQuestionToken) {
        // The default of an element that is always there only satisfies the compiler.
        if (ts.isElementAccessExpression(node.left)) {
          visit(node.left);
          return;
        }
        add("default", node, `(${node.left.getText()})`);
      }
    } else if (ts.isNumericLiteral(node)) {
      if (isBound(node)) add("bound", node, isLimit(node) ? "Infinity" : `(${node.text} + 1)`);
    } else if (ts.isIfStatement(node)) add("branch", node.expression, "false");
    else if (ts.isConditionalExpression(node)) add("branch", node.condition, "false");
    else if (ts.isAwaitExpression(node) && !isReturned(node) && !ts.isExpressionStatement(node.parent))
      add("await", node, `(${node.expression.getText()})`);
    else if ((ts.isParameter(node) || ts.isBindingElement(node)) && node.initializer !== undefined)
      add("default", node.initializer, "undefined");
    else if (isNegation(node)) add("boolean", node, `(${node.operand.getText()})`);
    else if (node.kind === ts.SyntaxKind.TrueKeyword) add("boolean", node, "false");
    else if (node.kind === ts.SyntaxKind.FalseKeyword) add("boolean", node, "true");
    ts.forEachChild(node, visit);
  };
  visit(source);
  return mutants;
}

function isNegation(node: ts.Node): node is ts.PrefixUnaryExpression {
  return ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken;
}

/** Whether the caller waits instead, so that only a `try` shows that the await is missing. */
function isReturned({ parent }: ts.AwaitExpression): boolean {
  return ts.isReturnStatement(parent) || ts.isArrowFunction(parent);
}

/** Whether a number is an operand or a constant, and not a name of a property. */
function isBound({ parent }: ts.NumericLiteral): boolean {
  return ts.isBinaryExpression(parent) || ts.isVariableDeclaration(parent) || ts.isCallExpression(parent);
}

/** Whether a constant bounds time or space: no test can see one more, but each should see that the limit is gone. */
function isLimit({ text, parent }: ts.NumericLiteral): boolean {
  return ts.isVariableDeclaration(parent) && Number(text) >= LEAST_LIMIT;
}

/** Returns the text of a file with a mistake. */
export function plant(text: string, { start, end, after }: Mutant): string {
  return text.slice(0, start) + after + text.slice(end);
}

/**
 * Chooses mistakes by a seed: one of each kind and each group in turn. A change of a file leaves the order of the mistakes in
 * other files, since a digest of the mistake sorts them.
 */
export function chooseMutants(
  mutants: readonly Mutant[],
  seed: number,
  groupOf: (file: string) => string,
): readonly Mutant[] {
  const orderOf = ({ file, kind, start }: Mutant): string =>
    createHash("sha256").update(`${seed}:${file}:${kind}:${start}`).digest("hex");
  const sorted = mutants
    .map((mutant) => ({ mutant, order: orderOf(mutant) }))
    .toSorted((one, other) => (one.order < other.order ? -1 : 1));
  const counts = new Map<string, number>();
  return sorted
    .map(({ mutant, order }) => {
      const group = `${groupOf(mutant.file)} ${mutant.kind}`;
      const round = counts.get(group) ?? 0;
      counts.set(group, round + 1);
      return { mutant, order, round };
    })
    .toSorted((one, other) => one.round - other.round || (one.order < other.order ? -1 : 1))
    .map(({ mutant }) => mutant);
}
