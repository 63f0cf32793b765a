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
  },
};
