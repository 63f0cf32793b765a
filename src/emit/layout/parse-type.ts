import { parseKey, parseList } from "./parse-expression.js";
import type { CallSignature, Comment, Signature, Type } from "./syntax.js";
import type { TokenReader } from "./token-reader.js";
import { Unsure } from "./unsure.js";

const KEYWORDS: ReadonlySet<string> = new Set([
  ...[
    "any",
    "boolean",
    "false",
    "never",
    "null",
    "number",
    "object",
    "string",
    "true",
    "undefined",
    "unknown",
  ],
]);

/** Reads one type. Throws {@link Unsure} for what generated code does not hold. */
export function parseType(reader: TokenReader): Type {
  return parseJoined(reader, "|", "union", (inner) => parseJoined(inner, "&", "intersection", parsePostfix));
}

function parseJoined(
  reader: TokenReader,
  mark: "|" | "&",
  kind: "union" | "intersection",
  parse: (reader: TokenReader) => Type,
): Type {
  reader.skip(mark);
  const first = parse(reader);
  const types = [first];
  while (reader.skip(mark)) types.push(parse(reader));
  return types.length === 1 ? first : { kind, types };
}

function parsePostfix(reader: TokenReader): Type {
  let type = parseStart(reader);
  // On the next line it would be an index signature.
  while (reader.isNext("[") && reader.peek().lines === 0) {
    reader.take();
    reader.expect("]");
    type = { kind: "list", item: type };
  }
  return type;
}

function parseStart(reader: TokenReader): Type {
  const token = reader.peek();
  if (token.kind === "string" || token.kind === "number")
    return { kind: "literal", text: reader.take().text };
  if (reader.skip("(")) {
    const inner = parseType(reader);
    reader.expect(")");
    return inner;
  }
  if (reader.skip("[")) return { kind: "tuple", types: parseList(reader, "]", parseType) };
  if (reader.skip("{")) {
    const isBroken = reader.peek().lines > 0;
    const members = parseSignatures(reader);
    return { kind: "shape", members, isBroken: isBroken && members.length > 0 };
  }
  const name = reader.takeKind("name");
  if (KEYWORDS.has(name)) return { kind: "keyword", text: name };
  if (name === "typeof") return parseTypeof(reader);
  return parseReference(reader, name);
}

function parseTypeof(reader: TokenReader): Type {
  if (!reader.skip("import")) return { kind: "keyword", text: `typeof ${reader.takeKind("name")}` };
  reader.expect("(");
  const from = reader.takeKind("string");
  reader.expect(")");
  return { kind: "module", from };
}

export function parseReference(reader: TokenReader, start: string): Type {
  let name = start;
  while (reader.skip(".")) name += `.${reader.takeKind("name")}`;
  return { kind: "reference", name, arguments: reader.skip("<") ? parseList(reader, ">", parseType) : [] };
}

/** The members of a type, up to the closing brace, which is taken. */
export function parseSignatures(reader: TokenReader): readonly Signature[] {
  return parseMembers(reader, () => parseSignature(reader));
}

/** The members of an interface, which may be called, up to the closing brace, which is taken. */
export function parseInterface(reader: TokenReader): readonly (Signature | CallSignature)[] {
  return parseMembers(reader, () => {
    const comments = parseComments(reader);
    if (!reader.skip("(")) return parseSignature(reader, comments);
    const parameters = parseList(reader, ")", parseSignature);
    reader.expect(":");
    return { comments, parameters, type: parseType(reader) };
  });
}

function parseMembers<Member>(reader: TokenReader, parse: () => Member): readonly Member[] {
  const members: Member[] = [];
  while (!reader.isNext("}")) {
    // An empty line would stay one.
    if (reader.peek().lines > 1 && members.length > 0) throw new Unsure();
    members.push(parse());
    if (!reader.skip(";") && !reader.skip(",") && !reader.isNext("}") && reader.peek().lines === 0)
      throw new Unsure();
  }
  reader.expect("}");
  return members;
}

/** Reads a property, or a parameter. */
export function parseSignature(reader: TokenReader, comments = parseComments(reader)): Signature {
  const isReadonly = reader.isNext("readonly") && reader.peek(1).kind === "name" && reader.skip("readonly");
  const index = parseIndex(reader);
  const key = index?.key ?? parseKey(reader);
  const isOptional = reader.skip("?");
  reader.expect(":");
  return {
    comments,
    isReadonly,
    key,
    ...(index !== undefined && { keyType: index.keyType }),
    isOptional,
    type: parseType(reader),
  };
}

function parseIndex(
  reader: TokenReader,
): { readonly key: Signature["key"]; readonly keyType: Type } | undefined {
  if (!reader.isNext("[") || reader.peek(1).kind !== "name") return undefined;
  reader.take();
  const key = { text: reader.takeKind("name"), isComputed: true };
  reader.expect(":");
  const keyType = parseType(reader);
  reader.expect("]");
  return { key, keyType };
}

/** The comments before a member or a statement, each on lines of its own. */
export function parseComments(reader: TokenReader): readonly Comment[] {
  const comments: Comment[] = [];
  while (reader.peek().kind === "comment") {
    const { text } = reader.take();
    const { lines } = reader.peek();
    if (lines === 0) throw new Unsure();
    comments.push({ text, isApart: lines > 1 });
  }
  return comments;
}
