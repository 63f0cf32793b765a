/** Rules of our own for oxlint. */
export default {
  meta: { name: "own" },
  rules: {
    "no-double-assertion": {
      create: (context) => ({
        TSAsExpression(node) {
          if (node.expression.type === "TSAsExpression")
            context.report({ node, message: "A double assertion hides a doubt: narrow the value instead." });
        },
      }),
    },
    "no-literal-spread": {
      create: (context) => ({
        SpreadElement({ argument, parent }) {
          const isLiteral = argument.type === "ArrayExpression" && parent.type === "ArrayExpression";
          if (isLiteral || argument.type === "ObjectExpression")
            context.report({
              node: argument,
              message: "Write the members of a literal where they are spread.",
            });
        },
      }),
    },
    "no-tuple-declaration": {
      create: (context) => ({
        VariableDeclarator({ id, init }) {
          const isPair =
            id.type === "ArrayPattern" &&
            init?.type === "ArrayExpression" &&
            id.elements.every((element) => element?.type === "Identifier") &&
            init.elements.every((element) => element !== null && element.type !== "SpreadElement");
          if (isPair) context.report({ node: id, message: "Declare each variable on a line of its own." });
        },
      }),
    },
    "noun-names": {
      create: (context) => ({
        ":matches(VariableDeclarator, AssignmentPattern, ArrayPattern, ObjectPattern, RestElement, ArrowFunctionExpression, FunctionDeclaration, FunctionExpression) > Identifier"(
          node,
        ) {
          const { parent } = node;
          const isUse =
            (parent.type === "VariableDeclarator" && parent.init === node) ||
            (parent.type === "AssignmentPattern" && parent.right === node) ||
            (parent.type === "ArrowFunctionExpression" && parent.body === node);
          if (!isUse) reportName(context, node);
        },
        "Property[kind=init] > Identifier.value"(node) {
          if (node.parent.parent.type === "ObjectPattern") reportName(context, node);
        },
      }),
    },
  },
};

function reportName(context, node) {
  if (NO_NOUNS.has(node.name))
    context.report({ node, message: `"${node.name}" is not a noun: say what it holds.` });
  if (STATES.has(node.name))
    context.report({ node, message: `"${node.name}" is one of two states: use "before" and "after".` });
}

/** Names that say how a variable came about, and not what it holds. */
const NO_NOUNS = new Set(["found", "known", "one", "own", "given", "taken"]);
/** Other names for two states; `now` is a time. */
const STATES = new Set(["is", "old", "was"]);
