import {
  canBreak,
  group,
  hardline,
  indent,
  indentIfBreak,
  join,
  line,
  lineSuffixBoundary,
  softline,
  type Doc,
} from "./document.js";
import type { Layout } from "./layout-options.js";
import { printAssignment, printExpression } from "./print-expression.js";
import { braceLine, printComments, printString, trailingComma } from "./print-parts.js";
import { isHugged, printBody, printSignature, printType } from "./print-type.js";
import type { Signature, Statement, StatementBody, Type } from "./syntax.js";
import { Unsure } from "./unsure.js";

/** A module in the layout that Prettier gives it. */
export function printModule(statements: readonly Statement[], layout: Layout): Doc {
  const last = statements.length - 1;
  return statements.map(({ comments, body, isApart }, at): Doc => [
    ...printComments(comments),
    printStatement(body, layout),
    hardline,
    isApart && at < last ? hardline : "",
  ]);
}

function printStatement(body: StatementBody, layout: Layout): Doc {
  const { semicolon } = layout;
  switch (body.kind) {
    case "names":
      return [
        body.keyword,
        " ",
        printNames(body.names, layout),
        " from ",
        printString(body.from, layout),
        semicolon,
      ];
    case "star":
      return [body.keyword, ` * as ${body.name} from `, printString(body.from, layout), semicolon];
    case "interface":
      return [
        exported(body),
        printInterfaceHead(body.name, body.base, layout),
        printBody(body.members, layout),
      ];
    case "alias":
      return [exported(body), printAlias(body.name, body.type, layout), semicolon];
    case "const": {
      const left = [`${body.name}: `, printType(body.type, layout)];
      const value = printAssignment(left, " =", body.value, layout, {
        isShort: false,
        canBreak: canBreak(left),
        note: body.note,
        isUntyped: body.isUntyped,
      });
      return [exported(body), group(["const ", value, semicolon])];
    }
    case "function": {
      const type = [": ", printType(body.type, layout)];
      return [
        `${exported(body)}function ${body.name}`,
        group(["(", ...printParameter(body.parameter, layout), ")", type]),
        " {",
        indent([hardline, "return ", printExpression(body.value, layout), semicolon]),
        hardline,
        "}",
      ];
    }
    default:
      return body satisfies never;
  }
}

function printInterfaceHead(name: string, base: Type | undefined, layout: Layout): Doc {
  return [`interface ${name} `, ...(base === undefined ? [] : ["extends ", printType(base, layout), " "])];
}

function printParameter(parameter: Signature | undefined, layout: Layout): readonly Doc[] {
  if (parameter === undefined) return [];
  return [indent([softline, printSignature(parameter, layout)]), trailingComma(layout, "call"), softline];
}

function exported({ isExported }: { readonly isExported: boolean }): string {
  return isExported ? "export " : "";
}

function printNames(names: readonly string[], layout: Layout): Doc {
  const [only, ...rest] = names;
  if (only === undefined) throw new Unsure();
  const inside = braceLine(layout);
  if (rest.length === 0) return layout.isSpaced ? `{ ${only} }` : `{${only}}`;
  return group(["{", indent([inside, join([",", line], [...names])]), trailingComma(layout), inside, "}"]);
}

function printAlias(name: string, type: Type, layout: Layout): Doc {
  const left = `type ${name}`;
  if (type.kind === "union" && !isHugged(type.types))
    return group([left, " =", group(indent([line, printType(type, layout, "below")]))]);
  const id = Symbol("alias");
  return group([
    left,
    " =",
    group(indent(line), { id }),
    lineSuffixBoundary,
    indentIfBreak(printType(type, layout), { groupId: id }),
  ]);
}
