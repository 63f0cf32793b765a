import { parseExpression } from "./parse-expression.js";
import { parseComments, parseInterface, parseReference, parseSignature, parseType } from "./parse-type.js";
import type { Statement, StatementBody } from "./syntax.js";
import { TokenReader } from "./token-reader.js";
import { Unsure } from "./unsure.js";

/** Reads a generated module. Throws {@link Unsure} for anything that is not known to stand in one. */
export function parseModule(text: string): readonly Statement[] {
  const reader = new TokenReader(text);
  const statements: Statement[] = [];
  while (reader.peek().kind !== "end") {
    const comments = parseComments(reader);
    const body = parseBody(reader);
    statements.push({ comments, body, isApart: reader.peek().lines > 1 });
  }
  return statements;
}

function parseBody(reader: TokenReader): StatementBody {
  const isExported = reader.skip("export");
  if (!isExported && reader.skip("import")) return parseNames(reader, "import");
  if (isExported && (reader.isNext("{") || reader.isNext("*"))) return parseNames(reader, "export");
  if (reader.skip("interface")) {
    const name = reader.takeKind("name");
    const base = reader.skip("extends") ? parseReference(reader, reader.takeKind("name")) : undefined;
    reader.expect("{");
    return { kind: "interface", isExported, name, ...(base && { base }), members: parseInterface(reader) };
  }
  if (reader.skip("type")) {
    const name = reader.takeKind("name");
    reader.expect("=");
    const type = parseType(reader);
    reader.skip(";");
    return { kind: "alias", isExported, name, type };
  }
  if (reader.skip("function")) return parseFunction(reader, isExported);
  reader.expect("const");
  const name = reader.takeKind("name");
  reader.expect(":");
  const type = parseType(reader);
  reader.expect("=");
  const note = reader.takeKind("comment");
  const value = parseExpression(reader);
  const isUntyped = reader.skip("as");
  if (isUntyped) reader.expect("never");
  reader.expect(";");
  return { kind: "const", isExported, name, type, note, value, isUntyped };
}

function parseFunction(reader: TokenReader, isExported: boolean): StatementBody {
  const name = reader.takeKind("name");
  reader.expect("(");
  const parameter = reader.isNext(")") ? undefined : parseSignature(reader);
  reader.expect(")");
  reader.expect(":");
  const type = parseType(reader);
  reader.expect("{");
  reader.expect("return");
  const value = parseExpression(reader);
  reader.expect(";");
  reader.expect("}");
  return { kind: "function", isExported, name, ...(parameter && { parameter }), type, value };
}

function parseNames(reader: TokenReader, keyword: "import" | "export"): StatementBody {
  if (reader.skip("*")) {
    reader.expect("as");
    const name = reader.takeKind("name");
    return { kind: "star", keyword, name, from: parseFrom(reader) };
  }
  const names: string[] = [];
  reader.expect("{");
  while (!reader.skip("}")) {
    const isType = reader.skip("type");
    names.push(`${isType ? "type " : ""}${reader.takeKind("name")}`);
    if (!reader.skip(",") && !reader.isNext("}")) throw new Unsure();
  }
  return { kind: "names", keyword, names, from: parseFrom(reader) };
}

function parseFrom(reader: TokenReader): string {
  reader.expect("from");
  const from = reader.takeKind("string");
  reader.expect(";");
  return from;
}
