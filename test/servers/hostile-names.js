// Names and texts that would end a string, a template, a comment or a folder if they were read as code. Each text of
// hostile-texts.json is once in every place of a definition. Each payload sets globalThis.pwned.
import { readFileSync } from "node:fs";
import { URL } from "node:url";
import { plainTool, readOptions, serve, textResult } from "./raw-server.js";

/** @type {string[]} */
const TEXTS = JSON.parse(readFileSync(new URL("hostile-texts.json", import.meta.url), "utf8"));

// All are distinct as file names and exports.
const NAMES = [
  "class",
  "default",
  "await",
  "enum",
  "arguments",
  "undefined",
  "null",
  "then",
  "connect",
  "server",
  "index",
  "Tools",
  "safe",
  "close",
  "name",
  "length",
  "z",
  "tool",
  "define-tool",
  "String",
  "Promise",
  "con",
  "aux",
  "nul",
  "com1",
  "1st-tool",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "../evil",
  "../../etc/passwd",
  "/absolute/path",
  "back\\slash",
  "C:\\windows\\path",
  "quote\"'`quotes",
  "${template}",
  "comment */ globalThis.pwned = true; /*",
  "new\nline",
  "line\u2028separator",
  "nul\u0000byte",
  "with spaces in it",
  "имя",
  "名前",
  "🎉",
  "..",
  "dotted.name.ts",
  `long-${"x".repeat(995)}`,
];

/** @param {string} text @param {number} index */
function toolOf(text, index) {
  return {
    name: `text-${index}`,
    title: text,
    description: text,
    // Only entries create an own key __proto__.
    inputSchema: {
      type: "object",
      title: text,
      description: text,
      properties: Object.fromEntries([
        [text, { type: "string", title: text, description: text, default: text, examples: [text] }],
        ["choice", { enum: [text, "other"], description: text }],
        ["fixed", { const: text }],
        ["nested", { type: "object", properties: Object.fromEntries([[text, { $ref: "#/$defs/Shared" }]]) }],
        ["matching", { type: "string", pattern: escapePattern(text), format: text }],
      ]),
      required: [text],
      $defs: Object.fromEntries([
        ["Shared", { type: "integer", description: text }],
        [text === "" ? "Empty" : text, { type: "string" }],
      ]),
    },
    outputSchema: {
      type: "object",
      properties: Object.fromEntries([[text, { enum: [text], description: text }]]),
      required: [text],
    },
    annotations: { title: text },
    _meta: { note: text },
  };
}

/** @param {string} text */
function escapePattern(text) {
  return `^${text.replace(/[\\^$.*+?()[\]{}|/-]/gu, "\\$&")}$`;
}

serve(
  {
    name: "hostile-names */ globalThis.pwned = true; /*",
    version: "1.0.0`${globalThis.pwned = true}",
    instructions: TEXTS.join("\n"),
    list: () => ({
      tools: [...NAMES.map((name) => plainTool(name, { description: TEXTS[0] })), ...TEXTS.map(toolOf)],
    }),
    call: ({ name, arguments: given }) => ({ ...textResult(String(name)), structuredContent: given ?? {} }),
  },
  readOptions({}),
);
