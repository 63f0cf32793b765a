// Tools whose definitions or answers are unusual, wrong, or attack a generator.
import { readFileSync } from "node:fs";
import { plainTool, textResult } from "./raw-server.js";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const OUTPUT = {
  type: "object",
  properties: { celsius: { type: "number" }, note: { type: "string" } },
  required: ["celsius"],
};
const image = { type: "image", data: PNG, mimeType: "image/png" };
const text = (/** @type {string} */ value) => ({ type: "text", text: value });
const offline = { isError: true, content: [text("The station is offline.")] };

/** One tool per kind of answer, and its output schema. @type {Record<string, [answer: Record<string, unknown>, output?: object]>} */
export const RICH = {
  image: [{ content: [image] }],
  audio: [{ content: [{ type: "audio", data: "UklGRg==", mimeType: "audio/wav" }] }],
  link: [{ content: [{ type: "resource_link", uri: "file:///report.pdf", name: "report.pdf" }] }],
  embedded: [{ content: [{ type: "resource", resource: { uri: "note://1", mimeType: "text/plain", text: "A note." } }] }],
  mixed: [{ content: [text("first"), image, text("second")] }],
  "text-that-looks-like-json": [{ content: [text('{"celsius":21}')] }],
  nothing: [{ content: [] }],
  "no-content-key": [{}],
  "unknown-block": [{ content: [{ type: "hologram", data: [1, 2] }] }],
  "meta-kept": [{ content: [text("ok")], _meta: { cost: 3 } }],
  structured: [{ content: [text('{"celsius":21}')], structuredContent: { celsius: 21, note: "mild" } }, OUTPUT],
  "structured-alone": [{ structuredContent: { celsius: 21 } }, OUTPUT],
  "structured-undeclared": [{ content: [text("21")], structuredContent: { celsius: 21 } }],
  "structured-mismatch": [{ content: [text('{"celsius":"warm"}')], structuredContent: { celsius: "warm" } }, OUTPUT],
  "structured-unknown-key": [
    { content: [], structuredContent: { celsius: 21, wind: "mild", "rain\u001b[2J": 0 } },
    { ...OUTPUT, additionalProperties: false },
  ],
  // PHP prints an empty object as an empty array.
  "structured-empty-array": [{ content: [], structuredContent: [] }, { type: "object" }],
  "structured-missing": [{ content: [text("It is 21 degrees.")] }, OUTPUT],
  "json-text-only": [{ content: [text('{"celsius":21}')] }, OUTPUT],
  error: [offline],
  "error-with-output-schema": [offline, OUTPUT],
  "error-structured": [{ isError: true, content: [text("Offline.")], structuredContent: { code: "offline" } }, OUTPUT],
  "error-without-content": [{ isError: true }],
}; // prettier-ignore

/** @type {string[]} */
const TEXTS = JSON.parse(readFileSync(new URL("hostile-texts.json", import.meta.url), "utf8"));

/** Names that would end a string, a template, a comment or a folder if they were read as code, distinct as file names and exports. */
const NAMES = [
  "class", "default", "await", "enum", "arguments", "undefined", "null", "then", "connect", "server", "index", "Tools", "safe", "close", "name",
  "length", "z", "tool", "define-tool", "String", "Promise", "con", "aux", "nul", "com1", "1st-tool", "__proto__", "constructor", "hasOwnProperty",
  "toString", "../evil", "../../etc/passwd", "/absolute/path", "back\\slash", "C:\\windows\\path", "quote\"'`quotes", "${template}",
  "comment */ globalThis.pwned = true; /*", "new\nline", "line\u2028separator", "nul\u0000byte", "with spaces in it", "имя", "名前", "🎉", "..",
  "dotted.name.ts", `long-${"x".repeat(995)}`,
]; // prettier-ignore

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

export const HOSTILE = {
  name: "hostile-names */ globalThis.pwned = true; /*",
  version: "1.0.0`${globalThis.pwned = true}",
  instructions: TEXTS.join("\n"),
  tools: [...NAMES.map((name) => plainTool(name, { description: TEXTS[0] })), ...TEXTS.map(toolOf)],
};

/** The rest of a definition by tool name, as raw JSON text, since some do not survive parsing. @type {Record<string, string>} */
const TOOLS = {
  good: `"inputSchema":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`,
  "boolean-properties": `"inputSchema":{"type":"object","properties":{"anything":true,"nothing":false},"required":["anything"]}`,
  "boolean-root-true": `"inputSchema":true`,
  "boolean-root-false": `"inputSchema":false`,
  "properties-empty-array": `"inputSchema":{"type":"object","properties":[]}`,
  "nested-properties-empty-array": `"inputSchema":{"type":"object","properties":{"meta":{"type":"object","properties":[],"default":[]}}}`,
  "input-missing": `"description":"Has no input schema."`,
  "input-null": `"inputSchema":null`,
  "input-empty": `"inputSchema":{}`,
  "input-array-root": `"inputSchema":{"type":"array","items":{"type":"string"}}`,
  "input-string-root": `"inputSchema":{"type":"string"}`,
  "input-is-text": `"inputSchema":"object"`,
  "output-array-root": `"inputSchema":{"type":"object"},"outputSchema":{"type":"array","items":{"type":"integer"}}`,
  "output-string-root": `"inputSchema":{"type":"object"},"outputSchema":{"type":"string"}`,
  "type-unknown": `"inputSchema":{"type":"object","properties":{"at":{"type":"date"}}}`,
  "type-list": `"inputSchema":{"type":["object","null"],"properties":{"at":{"type":["string","null"]}}}`,
  "type-contradicts-enum": `"inputSchema":{"type":"object","properties":{"n":{"type":"integer","enum":["a","b"]}}}`,
  "enum-empty": `"inputSchema":{"type":"object","properties":{"n":{"enum":[]}}}`,
  "enum-mixed": `"inputSchema":{"type":"object","properties":{"n":{"enum":[1,"1",true,null,{"a":[1]},[2]]}}}`,
  "required-unknown": `"inputSchema":{"type":"object","properties":{"a":{"type":"string"}},"required":["b"]}`,
  "required-boolean": `"inputSchema":{"type":"object","properties":{"a":{"type":"string","required":true}}}`,
  "pattern-invalid": `"inputSchema":{"type":"object","properties":{"a":{"type":"string","pattern":"(unclosed["}}}`,
  "pattern-slow": `"inputSchema":{"type":"object","properties":{"a":{"type":"string","pattern":"^(a+)+$"}}}`,
  "bounds-crossed": `"inputSchema":{"type":"object","properties":{"a":{"type":"integer","minimum":9,"maximum":1}}}`,
  "ts-type": `"inputSchema":{"type":"object","properties":{"a":{"tsType":"string; globalThis.pwned = true; type X = string"}},"tsType":"Pwned"}`,
  "ts-enum-names": `"inputSchema":{"type":"object","properties":{"a":{"enum":["x","y"],"tsEnumNames":["X = (globalThis.pwned = true) as never, X","Y"]}}}`,
  "title-string": `"inputSchema":{"type":"object","title":"String","properties":{"a":{"title":"Promise","type":"object","properties":{"b":{"type":"string"}}}}}`,
  "ref-file": `"inputSchema":{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`,
  "ref-http": `"inputSchema":{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:9/schema.json"}}}`,
  "ref-relative": `"inputSchema":{"type":"object","properties":{"a":{"$ref":"../../package.json"}}}`,
  "ref-missing": `"inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/Nowhere"}}}`,
  "ref-recursive": `"inputSchema":{"type":"object","properties":{"root":{"$ref":"#/$defs/Node"}},"$defs":{"Node":{"type":"object","properties":{"label":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/Node"}}},"required":["label"]}}}`,
  "ref-loop": `"inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}}}`,
  "ref-self": `"inputSchema":{"type":"object","properties":{"again":{"$ref":"#"}}}`,
  "ref-id": `"inputSchema":{"$id":"https://example.com/tool.json","type":"object","properties":{"a":{"$ref":"part.json"}},"$defs":{"P":{"$id":"part.json","type":"string"}}}`,
  "description-40kb": `"description":${JSON.stringify("A sentence that says little. ".repeat(1400))},"inputSchema":{"type":"object"}`,
  "description-number": `"description":42,"inputSchema":{"type":"object"}`,
  "property-description-40kb": `"inputSchema":{"type":"object","properties":{"a":{"type":"string","description":${JSON.stringify("word ".repeat(8000))}}}}`,
  "number-beyond-precision": `"inputSchema":{"type":"object","properties":{"a":{"type":"integer","maximum":12345678901234567890}}}`,
  "number-of-an-enum": `"inputSchema":{"type":"object","properties":{"a":{"enum":[12345678901234567890]}}}`,
  "number-beyond-range": `"inputSchema":{"type":"object","properties":{"a":{"type":"number","maximum":1e999}}}`,
  "number-other-spelling": `"inputSchema":{"type":"object","properties":{"a":{"type":"number","minimum":1.0,"maximum":1E2,"default":-0}}}`,
  "unknown-keys": `"inputSchema":{"type":"object","x-order":[3,1,2]},"x-vendor":{"b":1,"a":[null]},"icons":[{"src":"data:image/png;base64,"}],"_meta":{"k":"v"}`,
  "proto-keys": `"inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"},"hasOwnProperty":{"type":"boolean"}},"required":["__proto__"],"__proto__":{"type":"string"}},"__proto__":{"polluted":true}`,
  "proto-name-in-defs": `"inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/__proto__"}},"$defs":{"__proto__":{"type":"integer"}}}`,
  "repeated-keys": `"inputSchema":{"type":"object","properties":{"a":{"type":"string"},"a":{"type":"integer"}}}`,
  "numeric-keys": `"inputSchema":{"type":"object","properties":{"b":{"type":"string"},"10":{"type":"string"},"2":{"type":"string"},"a":{"type":"string"}}}`,
  "deeply-nested": `"inputSchema":{"type":"object","properties":{"a":${`{"type":"object","properties":{"a":`.repeat(60)}{"type":"string"}${"}}".repeat(60)}}}`,
  "annotations-wrong": `"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"yes","destructiveHint":1}`,
  "draft-04": `"inputSchema":{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"a":{"type":"number","minimum":0,"exclusiveMinimum":true},"t":{"type":"array","items":[{"type":"string"},{"type":"integer"}],"additionalItems":false}}}`,
  "dialect-unknown": `"inputSchema":{"$schema":"https://example.com/our-own-schema","type":"object","properties":{"a":{"type":"string"}}}`,
};

/** Entries without a usable name, at the start of the list. */
const NAMELESS = [`{"description":"no name"}`, `{"name":""}`, `{"name":7}`, `null`, `"text"`, `[]`];

/** "good" is the only ordinary tool; --only selects tools by name, separated by commas. @param {Record<string, string>} options */
export function oddSchemas({ only = "" }) {
  const names = only === "" ? Object.keys(TOOLS) : only.split(",");
  const named = names.map((name) => `{"name":${JSON.stringify(name)},${TOOLS[name]}}`);
  /** @type {Record<string, unknown>} */
  const values = { "output-array-root": [1], "output-string-root": "one" };
  return {
    list: () => `{"tools":[${[...(only === "" ? NAMELESS : []), ...named].join(",")}]}`,
    call: (/** @type {{ name: string }} */ { name }) => ({
      ...textResult(`called ${name}`),
      ...(Object.hasOwn(values, name) && { structuredContent: values[name] }),
    }),
  };
}
