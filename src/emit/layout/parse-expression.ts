import type { Expression, Key, Member } from "./syntax.js";
import type { TokenReader } from "./token-reader.js";
import { Unsure } from "./unsure.js";

const CONSTANTS: ReadonlySet<string> = new Set(["true", "false", "null"]);

/** Reads one expression. Throws {@link Unsure} for what generated code does not hold. */
export function parseExpression(reader: TokenReader): Expression {
  let expression = parseStart(reader);
  for (;;) {
    if (reader.skip(".")) {
      expression = { kind: "member", object: expression, name: reader.takeKind("name") };
    } else if (reader.isNext("(")) {
      expression = { kind: "call", isNew: false, callee: expression, arguments: parseArguments(reader) };
    } else return expression;
  }
}

function parseStart(reader: TokenReader): Expression {
  const token = reader.peek();
  if (token.kind === "string" || token.kind === "number")
    return { kind: token.kind, text: reader.take().text };
  if (reader.skip("-")) return { kind: "negative", text: reader.takeKind("number") };
  if (reader.skip("{")) return parseObject(reader);
  if (reader.skip("[")) return { kind: "array", items: parseList(reader, "]", parseExpression) };
  if (reader.skip("(")) return parseParenthesis(reader);
  if (token.kind !== "name") throw new Unsure();
  const name = reader.take().text;
  if (name === "new") {
    const callee: Expression = { kind: "name", text: reader.takeKind("name") };
    return { kind: "call", isNew: true, callee, arguments: parseArguments(reader) };
  }
  return { kind: CONSTANTS.has(name) ? "constant" : "name", text: name };
}

/** An object in parentheses, or a function without parameters. */
function parseParenthesis(reader: TokenReader): Expression {
  if (reader.skip(")")) {
    reader.expect("=>");
    return { kind: "arrow", body: parseExpression(reader) };
  }
  const inner = parseExpression(reader);
  reader.expect(")");
  return inner;
}

function parseArguments(reader: TokenReader): readonly Expression[] {
  reader.expect("(");
  return parseList(reader, ")", parseExpression);
}

function parseObject(reader: TokenReader): Expression {
  const isBroken = reader.peek().lines > 0;
  const members = parseList(reader, "}", parseMember);
  return { kind: "object", members, isBroken: isBroken && members.length > 0 };
}

function parseMember(reader: TokenReader): Member {
  const next = reader.peek(1);
  if (reader.peek().kind === "name" && (next.text === "," || next.text === "}"))
    return { value: { kind: "name", text: reader.take().text } };
  const key = parseKey(reader);
  reader.expect(":");
  return { key, value: parseExpression(reader) };
}

/** A key of an object or of a type. */
export function parseKey(reader: TokenReader): Key {
  if (reader.skip("[")) {
    const text = reader.takeKind("string");
    reader.expect("]");
    return { text, isComputed: true };
  }
  const token = reader.take();
  if (token.kind !== "name" && token.kind !== "string") throw new Unsure();
  return { text: token.text, isComputed: false };
}

/** What stands between commas up to a closing mark, which is taken. */
export function parseList<Item>(
  reader: TokenReader,
  end: string,
  parse: (reader: TokenReader) => Item,
): readonly Item[] {
  const items: Item[] = [];
  while (!reader.skip(end)) {
    // An empty line would stay one.
    if (reader.peek().lines > 1) throw new Unsure();
    items.push(parse(reader));
    if (!reader.skip(",") && !reader.isNext(end)) throw new Unsure();
  }
  return items;
}
