/**
 * Compiles the templates to text pieces: `npm run templates` writes src/emit/template-pieces.ts, `--check` only
 * compares. In a template
 *
 * - `"__name__"` and names imported from `__literals__` are placeholders for JSON, written as literals;
 * - any other `__name__`, also in comments, is a placeholder for text; `/** __comment__ *\/` as a whole is one;
 * - `// @when x` keeps the next node only when x has a value, `// @each xs` repeats it for every item of xs,
 *   `// @slot x` puts x in its place, `// @drop` leaves it out;
 * - other `//` comments are for the reader of the template.
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath, URL } from "node:url";
import { format, resolveConfig } from "prettier";
import { Node, Project } from "ts-morph";

const TEMPLATES = {
  TOOL: "tool",
  SCHEMAS: "schemas",
  SERVER: "server",
  SERVER_INDEX: "server-index",
  INDEX: "index",
  PROMPTS: "prompts",
  RESOURCES: "resources",
};
const target = fileURLToPath(new URL("../src/emit/template-pieces.ts", import.meta.url));

const project = new Project({ compilerOptions: { allowJs: false }, skipFileDependencyResolution: true });
const exports = Object.entries(TEMPLATES).map(([name, file]) => {
  const source = project.addSourceFileAtPath(fileURLToPath(new URL(`${file}.ts`, import.meta.url)));
  return `export const ${name}_TEMPLATE: readonly Piece[] = ${JSON.stringify(compile(source))};`;
});
const text = await format(
  `// Compiled from templates/ by "npm run templates". Do not edit.\nimport type { Piece } from "./fill-template.js";\n\n${exports.join("\n\n")}\n`,
  { ...(await resolveConfig(target)), filepath: target },
);
if (!process.argv.includes("--check")) writeFileSync(target, text);
else if (readFileSync(target, "utf8") !== text) {
  process.stderr.write('src/emit/template-pieces.ts lags behind templates/. Run "npm run templates".\n');
  process.exitCode = 1;
}

function compile(source) {
  return piecesBetween(source.getFullText(), 0, source.getEnd(), [...marksOf(source)]);
}

/** Returns the directives and placeholders of a file, outer before inner. */
function* marksOf(source) {
  const text = source.getFullText();
  const literals = literalNames(source);
  const seen = new Set();
  for (const node of source.getDescendants()) {
    if (Node.isSyntaxList(node)) continue;
    for (const comment of node.getLeadingCommentRanges()) {
      if (seen.has(comment.getPos())) continue;
      seen.add(comment.getPos());
      const directive = /^\/\/ @(when|each|slot|drop)\b ?(\w*)$/.exec(comment.getText());
      if (directive !== null) {
        const [, kind, name] = directive;
        yield {
          kind,
          name,
          from: lineStart(text, comment.getPos()),
          inner: comment.getEnd() + 1,
          to: lineEnd(text, node.getEnd()),
        };
      } else if (comment.getText() === "/** __comment__ */") {
        yield { kind: "text", name: "comment", from: comment.getPos(), to: comment.getEnd() };
      } else if (!comment.getText().startsWith("//")) {
        for (const { 0: found, 1: name, index } of comment.getText().matchAll(/__(\w+?)__/g)) {
          const from = comment.getPos() + index;
          yield { kind: "text", name, from, to: from + found.length };
        }
      }
    }
    if (Node.isStringLiteral(node)) yield* marksOfString(node);
    else if (Node.isIdentifier(node)) {
      const name = /^__(\w+)__$/.exec(node.getText())?.[1];
      if (name !== undefined)
        yield {
          kind: literals.has(node.getText()) ? "literal" : "text",
          name,
          from: node.getStart(),
          to: node.getEnd(),
        };
    }
  }
}

/** Returns `"__name__"` as a whole, and the names and the extension in a relative module specifier. */
function* marksOfString(node) {
  const value = node.getLiteralText();
  const [from, to] = [node.getStart(), node.getEnd()];
  const parent = node.getParent();
  if (!Node.isImportDeclaration(parent) && !Node.isExportDeclaration(parent)) {
    const name = /^__(\w+)__$/.exec(value)?.[1];
    if (name !== undefined) yield { kind: "literal", name, from, to };
  } else if (value === "./__codegen__.js") {
    yield { kind: "constant", text: '"mcp-codegen/codegen"', from, to };
  } else if (value.startsWith("./")) {
    for (const { 0: found, 1: name, index } of value.matchAll(/__(\w+?)__/g))
      yield { kind: "text", name, from: from + 1 + index, to: from + 1 + index + found.length };
    yield { kind: "text", name: "extension", from: to - ".js".length - 1, to: to - 1 };
  }
}

function literalNames(source) {
  const stands = source.getImportDeclaration(
    (declaration) => declaration.getModuleSpecifierValue() === "./__literals__.js",
  );
  return new Set(stands?.getNamedImports().map((specifier) => specifier.getName()));
}

function piecesBetween(text, from, to, marks) {
  const pieces = [];
  const inside = marks
    .filter((mark) => mark.from >= from && mark.to <= to)
    .sort((a, b) => a.from - b.from || b.to - a.to);
  let at = from;
  const add = (piece) => {
    const last = pieces.length - 1;
    if (piece === "") return;
    if (typeof piece === "string" && typeof pieces[last] === "string") pieces[last] += piece;
    else pieces.push(piece);
  };
  for (const mark of inside) {
    if (mark.from < at) continue;
    add(withoutNotes(text.slice(at, mark.from)));
    at = mark.to;
    switch (mark.kind) {
      case "when":
      case "each":
        add({ [mark.kind]: mark.name, pieces: piecesBetween(text, mark.inner, mark.to, marks) });
        break;
      case "slot":
        add({ text: mark.name });
        add("\n");
        break;
      case "constant":
        add(mark.text);
        break;
      case "text":
      case "literal":
        add({ [mark.kind]: mark.name });
        break;
    }
  }
  add(withoutNotes(text.slice(at, to)));
  return pieces;
}

function withoutNotes(text) {
  return text.replace(/^[ \t]*\/\/.*\n/gm, "");
}

function lineStart(text, position) {
  return text.lastIndexOf("\n", position - 1) + 1;
}

function lineEnd(text, position) {
  const end = text.indexOf("\n", position);
  return end === -1 ? text.length : end + 1;
}
