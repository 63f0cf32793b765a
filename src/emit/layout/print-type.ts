import { align, group, hardline, ifBreak, indent, join, line, softline, type Doc } from "./document.js";
import type { Layout } from "./layout-options.js";
import {
  braceLine,
  printComments,
  printKey,
  printNumber,
  printString,
  trailingComma,
} from "./print-parts.js";
import type { CallSignature, Signature, Type } from "./syntax.js";

/** Where a type stands, as far as that changes its layout. */
type Place = "plain" | "member" | "item" | "argument" | "tuple" | "lone tuple" | "below";

/** A type in the layout that Prettier gives it. */
export function printType(type: Type, layout: Layout, place: Place = "plain"): Doc {
  switch (type.kind) {
    case "keyword":
      return type.text;
    case "literal":
      return type.text.startsWith('"') ? printString(type.text, layout) : printNumber(type.text);
    case "reference":
      return [type.name, printTypeArguments(type.arguments, layout)];
    case "list":
      return [printType(type.item, layout, "item"), "[]"];
    case "module":
      return ["typeof import(", printString(type.from, layout), ")"];
    case "shape":
      return printShape(type, layout);
    case "tuple":
      return printTuple(type.types, layout);
    case "intersection": {
      const printed = printIntersection(type.types, layout);
      return place === "item" || place === "member" ? ["(", printed, ")"] : printed;
    }
    case "union":
      return printUnion(type.types, layout, place);
    default:
      return type satisfies never;
  }
}

function printTypeArguments(types: readonly Type[], layout: Layout): Doc {
  const [only, ...rest] = types;
  if (only === undefined) return "";
  const isSimple = only.kind === "reference" && only.arguments.length === 0;
  if (rest.length === 0 && (isSimple || only.kind === "keyword" || only.kind === "shape"))
    return ["<", printType(only, layout, "argument"), ">"];
  const printed = types.map((type) => printType(type, layout, "argument"));
  return group(["<", indent([softline, join([",", line], printed)]), softline, ">"]);
}

function printShape({ members, isBroken }: Extract<Type, { kind: "shape" }>, layout: Layout): Doc {
  if (members.length === 0) return "{}";
  const last = members.length - 1;
  const printed = members.map((member, at): Doc => [
    printSignature(member, layout),
    at < last ? [layout.semicolon === "" ? ifBreak("", ";") : ";", line] : ifBreak(layout.semicolon),
  ]);
  const inside = braceLine(layout);
  return group(["{", indent([inside, ...printed]), inside, "}"], { shouldBreak: isBroken });
}

/** The members of an interface between its braces. */
export function printBody(members: readonly (Signature | CallSignature)[], layout: Layout): Doc {
  if (members.length === 0) return "{}";
  const printed = members.map((member) => [
    "parameters" in member ? printCallSignature(member, layout) : printSignature(member, layout),
    layout.semicolon,
  ]);
  return ["{", indent([hardline, join(hardline, printed)]), hardline, "}"];
}

function printCallSignature({ comments, parameters, type }: CallSignature, layout: Layout): Doc {
  const list = join(
    [",", line],
    parameters.map((parameter) => printSignature(parameter, layout)),
  );
  return [
    ...printComments(comments),
    group([
      ...["(", indent([softline, list]), trailingComma(layout, "call"), softline, "): "],
      printType(type, layout),
    ]),
  ];
}

/** A property without what ends it, or a parameter. */
export function printSignature(member: Signature, layout: Layout): Doc {
  const { comments, isReadonly, key, keyType, isOptional, type } = member;
  const name =
    keyType === undefined
      ? printKey(key, layout)
      : ["[", group([indent([softline, key.text, ": ", printType(keyType, layout)]), softline]), "]"];
  return [
    ...printComments(comments),
    group([isReadonly ? "readonly " : "", name, isOptional ? "?" : "", ": ", printType(type, layout)]),
  ];
}

function printTuple(types: readonly Type[], layout: Layout): Doc {
  if (types.length === 0) return "[]";
  const place = types.length > 1 ? "tuple" : "lone tuple";
  const items = types.map((type) => group(printType(type, layout, place)));
  return group(["[", indent([softline, join([",", line], items), trailingComma(layout)]), softline, "]"]);
}

function printIntersection(types: readonly Type[], layout: Layout): Doc {
  let wasMixed = false;
  return group(
    types.map((type, at): Doc => {
      const printed = printType(type, layout, "member");
      const before = types[at - 1];
      if (before === undefined) return printed;
      const [wasShape, isShape] = [before.kind === "shape", type.kind === "shape"];
      if (wasShape && isShape) return [" & ", wasMixed ? indent(printed) : printed];
      if (!wasShape && !isShape) return indent([" &", line, printed]);
      if (at > 1) wasMixed = true;
      return [" & ", at > 1 ? indent(printed) : printed];
    }),
  );
}

function printUnion(types: readonly Type[], layout: Layout, place: Place): Doc {
  const needsParentheses = place === "item" || place === "member";
  if (isHugged(types)) {
    const printed = join(
      " | ",
      types.map((type) => printType(type, layout, "member")),
    );
    return needsParentheses ? ["(", printed, ")"] : printed;
  }
  const printed = group(
    types.map((type, at): Doc => [
      at === 0 ? ifBreak("| ") : [line, "| "],
      align(2, printType(type, layout, "member")),
    ]),
  );
  if (needsParentheses) return ["(", group([indent([softline, printed]), softline]), ")"];
  if (place === "tuple") return group([indent([ifBreak(["(", softline]), printed]), softline, ifBreak(")")]);
  if (place === "below" || place === "lone tuple" || place === "argument") return printed;
  return group(indent([softline, printed]));
}

/** An object or a name, and beside it nothing but null: its braces stay on the line. */
export function isHugged(types: readonly Type[]): boolean {
  const main = types.find(({ kind }) => kind === "shape" || kind === "reference");
  return (
    main !== undefined &&
    types.every((type) => type === main || (type.kind === "keyword" && type.text === "null"))
  );
}
