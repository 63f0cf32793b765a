import {
  breakParent,
  conditionalGroup,
  fill,
  group,
  hardline,
  ifBreak,
  indent,
  indentIfBreak,
  join,
  line,
  lineSuffixBoundary,
  softline,
  willBreak,
  type Doc,
} from "./document.js";
import type { Layout } from "./layout-options.js";
import { isSimpleArgument, memberChainOf, type Link, type MemberChain } from "./member-chain.js";
import { braceLine, printKey, printNumber, printString, trailingComma } from "./print-parts.js";
import type { Expression, Member } from "./syntax.js";
import { Unsure } from "./unsure.js";

type Call = Extract<Expression, { kind: "call" }>;
type ObjectLiteral = Extract<Expression, { kind: "object" }>;
type ArrayLiteral = Extract<Expression, { kind: "array" }>;

/** An expression in the layout that Prettier gives it (its `src/language-js/print` has a file for each kind). */
export function printExpression(node: Expression, layout: Layout): Doc {
  switch (node.kind) {
    case "name":
    case "constant":
      return node.text;
    case "number":
      return printNumber(node.text);
    case "negative":
      return `-${printNumber(node.text)}`;
    case "string":
      return printString(node.text, layout);
    case "call":
      return printCall(node, layout);
    case "member":
      return [printExpression(node.object, layout), ".", node.name];
    case "object":
      return printObject(node, layout);
    case "array":
      return printArray(node, layout);
    case "arrow":
      return printArrow(node.body, printExpression(node.body, layout), layout, "alone");
    default:
      return node satisfies never;
  }
}

function printObject({ members, isBroken }: ObjectLiteral, layout: Layout): Doc {
  if (members.length === 0) return "{}";
  const printed = members.map((member, at): Doc => [
    at === 0 ? "" : [",", line],
    printMember(member, layout),
  ]);
  const inside = braceLine(layout);
  return group(["{", indent([inside, ...printed]), trailingComma(layout), inside, "}"], {
    shouldBreak: isBroken,
  });
}

function printMember({ key, value }: Member, layout: Layout): Doc {
  if (key === undefined) return printExpression(value, layout);
  const left = printKey(key, layout);
  // How wide other letters are is a matter of their own.
  if (!/^[\x20-\x7e]*$/.test(left)) throw new Unsure();
  // Below a short key a value would hardly stand further left than beside it.
  const isShort = !key.isComputed && left.length < layout.tabWidth + 3;
  return printAssignment(left, ":", value, layout, { isShort, canBreak: false });
}

/** A value beside its name, or below it where that makes more of it fit. */
export function printAssignment(
  left: Doc,
  operator: string,
  value: Expression,
  layout: Layout,
  options: {
    readonly isShort: boolean;
    readonly canBreak: boolean;
    readonly note?: string;
    readonly isUntyped?: boolean;
  },
): Doc {
  const { isShort, canBreak, note, isUntyped = false } = options;
  const printed: Doc = [printExpression(value, layout), isUntyped ? " as never" : ""];
  const right: Doc = note === undefined ? printed : [note, " ", printed];
  const mayGoBelow = value.kind === "string" || isPoorlyBreakable(value, layout, false);
  if (!isShort && !isUntyped && mayGoBelow)
    return group([group(left), operator, group(indent([line, right]))]);
  const isPlain =
    value.kind === "number" ||
    (value.kind === "constant" && (value.text === "true" || value.text === "false"));
  if (!canBreak && (isShort || (isPlain && !isUntyped))) return group([group(left), operator, " ", right]);
  const id = Symbol("assignment");
  return group([
    group(left),
    operator,
    group(indent(line), { id }),
    lineSuffixBoundary,
    indentIfBreak(right, { groupId: id }),
  ]);
}

/** Whether a value is a call, or a short chain of them, whose arguments leave no good place for a break. */
function isPoorlyBreakable(node: Expression, layout: Layout, isInside: boolean): boolean {
  if (node.kind === "member") return isPoorlyBreakable(node.object, layout, true);
  if (node.kind !== "call") return isInside && node.kind === "name";
  if (node.isNew || memberChainOf(node)?.isLong === true) return false;
  const [only, ...rest] = node.arguments;
  const isShort = only === undefined || (rest.length === 0 && isShortArgument(only, layout));
  return isShort && isPoorlyBreakable(node.callee, layout, true);
}

function isShortArgument(node: Expression, layout: Layout): boolean {
  const most = layout.printWidth / 4;
  switch (node.kind) {
    case "name":
      return node.text.length <= most;
    case "string":
      return printString(node.text, layout).length <= most;
    case "negative":
    case "constant":
    case "number":
      return true;
    case "call":
      return (
        !node.isNew &&
        node.arguments.length === 0 &&
        node.callee.kind === "name" &&
        node.callee.text.length <= most - 2
      );
    case "member":
    case "object":
    case "array":
    case "arrow":
      return false;
    default:
      return node satisfies never;
  }
}

function printArray({ items }: ArrayLiteral, layout: Layout): Doc {
  if (items.length === 0) return "[]";
  const id = Symbol("array");
  const isOfNumbers = isNumbers(items);
  const comma =
    layout.trailingComma === "none" ? "" : isOfNumbers ? ifBreak(",", "", { groupId: id }) : ifBreak(",");
  const last = items.length - 1;
  const printed = items.map((item) => printExpression(item, layout));
  const content: Doc = isOfNumbers
    ? fill(printed.flatMap((item, at) => (at === last ? [[item, comma]] : [[item, ","], line])))
    : [...printed.map((item, at): Doc => (at === last ? group(item) : [group(item), ",", line])), comma];
  return group(["[", indent([softline, content]), softline, "]"], { shouldBreak: isMatrix(items), id });
}

function isNumbers(items: readonly Expression[]): boolean {
  return items.every(({ kind }) => kind === "number" || kind === "negative");
}

/** Lists of lists and of objects, each of more than one member, are never on one line. */
function isMatrix(items: readonly Expression[]): boolean {
  if (items.length < 2) return false;
  return (
    items.every((item) => item.kind === "array" && item.items.length > 1) ||
    items.every((item) => item.kind === "object" && item.members.length > 1)
  );
}

function printArrow(body: Expression, printed: Doc, layout: Layout, place: "alone" | "last argument"): Doc {
  if (body.kind === "arrow") throw new Unsure();
  if (body.kind === "object") return group(["()", " =>", group([" ", "(", printed, ")"])]);
  if (body.kind === "array") return group(["()", " =>", group([" ", printed])]);
  const end = place === "last argument" ? [trailingComma(layout, "call"), softline] : [];
  return group(["()", " =>", group([indent([line, printed]), ...end])]);
}

function printCall(node: Call, layout: Layout): Doc {
  const chain = memberChainOf(node);
  if (chain !== undefined) return printChain(chain, layout);
  return [node.isNew ? "new " : "", printExpression(node.callee, layout), printArguments(node, layout)];
}

function printChain({ groups, isFactory, isLong, calls }: MemberChain, layout: Layout): Doc {
  const printed = groups.map((links): Doc => links.map((link) => printLink(link, layout)));
  if (!isLong) return group(printed);
  const kept = isFactory ? 2 : 1;
  const expanded: Doc = [...printed.slice(0, kept), indent([hardline, join(hardline, printed.slice(kept))])];
  const last = printed.at(-1) ?? "";
  const mustExpand =
    (calls.length > 2 &&
      calls.some((call) => !call.arguments.every((argument) => isSimpleArgument(argument)))) ||
    printed.slice(0, -1).some(willBreak) ||
    (willBreak(last) &&
      calls.slice(0, -1).some((call) => call.arguments.some(({ kind }) => kind === "arrow")));
  if (mustExpand) return group(expanded);
  return [printed.some(willBreak) ? breakParent : "", conditionalGroup([printed, expanded])];
}

function printLink(link: Link, layout: Layout): Doc {
  switch (link.kind) {
    case "start":
      return printExpression(link.node, layout);
    case "name":
      return `.${link.name}`;
    case "arguments":
      return printArguments(link.call, layout);
    default:
      return link satisfies never;
  }
}

function printArguments({ arguments: nodes }: Call, layout: Layout): Doc {
  const last = nodes.at(-1);
  if (last === undefined) return "()";
  const before = nodes.slice(0, -1).map((node): Doc => [printExpression(node, layout), ",", line]);
  // Printed once: what is nested deep would otherwise be printed twice on every level.
  const inner = printExpression(last.kind === "arrow" ? last.body : last, layout);
  const alone = last.kind === "arrow" ? printArrow(last.body, inner, layout, "alone") : inner;
  const comma = trailingComma(layout, "call");
  const broken = (): Doc =>
    group(["(", indent([line, ...before, alone]), comma, line, ")"], { shouldBreak: true });
  const mustBreak = before.some(willBreak);
  if (isComposition(nodes)) return broken();
  if (isLastHugged(nodes)) {
    if (mustBreak) return broken();
    const hugged = last.kind === "arrow" ? printArrow(last.body, inner, layout, "last argument") : inner;
    const open: Doc = ["(", ...before, group(hugged, { shouldBreak: true }), ")"];
    return willBreak(hugged)
      ? [breakParent, conditionalGroup([open, broken()])]
      : conditionalGroup([["(", ...before, hugged, ")"], open, broken()]);
  }
  return group(["(", indent([softline, ...before, alone]), comma, softline, ")"], {
    shouldBreak: mustBreak || willBreak(alone),
  });
}

/** Functions among several arguments: each argument then gets a line. */
function isComposition(nodes: readonly Expression[]): boolean {
  if (nodes.length < 2) return false;
  const functions = nodes.filter(({ kind }) => kind === "arrow").length;
  return (
    functions > 1 ||
    nodes.some(
      (node) => node.kind === "call" && !node.isNew && node.arguments.some(({ kind }) => kind === "arrow"),
    )
  );
}

/** Whether the brackets of the last argument open on the line of the call. */
function isLastHugged(nodes: readonly Expression[]): boolean {
  const last = nodes.at(-1);
  const before = nodes.at(-2);
  if (last === undefined || !canBeHugged(last) || before?.kind === last.kind) return false;
  if (nodes.length === 2 && before?.kind === "arrow" && last.kind === "array") return false;
  return !(nodes.length > 1 && last.kind === "array" && isNumbers(last.items));
}

function canBeHugged(node: Expression): boolean {
  if (node.kind === "object") return node.members.length > 0;
  if (node.kind === "array") return node.items.length > 0;
  if (node.kind !== "arrow") return false;
  const { body } = node;
  return body.kind === "object" || body.kind === "array" || (body.kind === "call" && !body.isNew);
}
