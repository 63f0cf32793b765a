// Definitions that are unusual, wrong or attack a generator. Raw JSON text, because some do not survive parsing. "good" is
// the only ordinary tool; --only selects tools by name, separated by commas.
import { readOptions, serve, textResult } from "./raw-server.js";

const options = readOptions({ only: "" });

/** The rest of a definition, as raw JSON, by tool name. @type {Record<string, string>} */
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

const wanted = options.only === "" ? undefined : options.only.split(",");
const named = Object.entries(TOOLS)
  .filter(([name]) => wanted?.includes(name) ?? true)
  .map(([name, rest]) => `{"name":${JSON.stringify(name)},${rest}}`);

serve(
  {
    name: "odd-schemas",
    list: () => `{"tools":[${[...(wanted ? [] : NAMELESS), ...named].join(",")}]}`,
    call: ({ name }) => {
      const value = new Map(Object.entries({ "output-array-root": [1], "output-string-root": "one" })).get(
        String(name),
      );
      return {
        ...textResult(`called ${String(name)}`),
        ...(value !== undefined && { structuredContent: value }),
      };
    },
  },
  options,
);
