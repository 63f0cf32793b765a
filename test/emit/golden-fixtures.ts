import type { Fixture } from "./golden-cases.js";

/** The cases whose files no person reads: of these, test/golden/revision.json has a digest. */
export const DIGESTED_FIXTURES: Readonly<Record<"hostile" | "names" | "open" | "schemas", Fixture>> = {
  hostile: {
    config: { servers: { hostile: { url: "https://hostile.example.com/mcp", include: ["prompts", "resources"] } } },
    servers: { hostile: [] },
    entries: {
      hostile: {
        prompts: [
          { name: "definePrompt" },
          { name: "prompt" },
          { name: "then" },
          { name: "default", title: "*/ globalThis.pwned = true; /*" },
          { name: "日本語", description: "Unicode \u202e and \u2028 inside" },
          { name: "!!!" },
          {
            name: "`${globalThis.pwned = true}`", description: "@ts-nocheck\n@deprecated",
            arguments: [
              { name: "__proto__", required: true },
              { name: "constructor" },
              { name: "\"]: 1; pwned" },
              { name: "constructor", required: true },
              { name: 7 },
              null,
            ],
          },
          { name: "odd", arguments: "none" },
        ],
        resources: [
          { uri: "javascript:globalThis.pwned=true", name: "server" },
          { uri: "x://*/ globalThis.pwned = true //", mimeType: "text/`plain`" },
          { uri: "x://resource", name: "Resource" },
        ],
        resourceTemplates: [
          { uriTemplate: "x://{__proto__}/{constructor}/{a.b}", name: "constructor" },
          { uriTemplate: "x://{unclosed", name: "unclosed" },
          { uriTemplate: "x://none", name: "noVariables" },
        ],
      },
    },
  },
  names: {
    config: { servers: { delete: { command: "node", args: ["server.js"], tools: { rename: { "get-post": "readPost" } } }, con: { file: "tools.json" } } },
    servers: {
      con: [{ name: "aux", inputSchema: { type: "object" } }],
      delete: [
        "get-post", "delete", "default", "await", "class", "then", "connect", "server", "index", "Tools", "safe", "close", "z", "tool", "tool-content",
        "define-tool", "connect-tools", "call-options", "undefined", "globalThis", "Object", "Promise", "RegExp", "String", "Array", "Record", "exports",
        "require", "module", "arguments", "eval", "NaN", "Infinity", "name", "length", "prototype", "constructor", "toString", "hasOwnProperty", "__proto__",
        "con", "NUL", "3d-render", "../../evil", "/etc/passwd", "C:\\windows", "quote\"s 'and` ${more}", "new\nline", "nul\u0000byte", "🎉", "получить",
        "*/ globalThis.pwned = true; /*", "unique-items", "tool-output", "tool-input", "server-definition", "x-output", "x",
      ],
    },
  },
  open: {
    config: { schemas: "open", servers: { shop: { command: "shop" }, closed: { command: "closed", schemas: "closed" } } },
    servers: {
      closed: [{ name: "get", inputSchema: { type: "object", properties: { id: { type: "integer" } } } }],
      shop: [
        {
          name: "add-product", description: "Adds a product.",
          inputSchema: {
            type: "object",
            properties: {
              name: { type: "string", minLength: 1, description: "Shown in the shop." },
              price: { $ref: "#/$defs/Money" },
              "a-tag": { type: ["string", "null"] },
              count: { type: "integer", minimum: 0 },
              kind: { enum: ["bread", "cake"] },
            },
            required: ["name", "price"],
            additionalProperties: false,
            $defs: { Money: { type: "object", properties: { cents: { type: "integer" }, currency: { type: "string" } }, required: ["cents"] } },
          },
          outputSchema: { type: "object", properties: { id: { type: "integer" }, note: { type: "string" } }, required: ["id"] },
        },
        {
          name: "other-keys",
          inputSchema: { type: "object", properties: { a: { type: "string" }, b: { type: "number" } }, required: ["a"], additionalProperties: true },
        },
        {
          name: "stays-closed",
          inputSchema: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, minProperties: 1 },
          outputSchema: { type: "object", properties: { children: { type: "array", items: { $ref: "#" } } } },
        },
        {
          name: "stays-union",
          inputSchema: {
            type: "object",
            anyOf: [{ properties: { id: { type: "integer" } }, required: ["id"] }, { properties: { slug: { type: "string" } }, required: ["slug"] }],
          },
          outputSchema: { type: "object", additionalProperties: { type: "number" } },
        },
        {
          name: "by-reference",
          inputSchema: {
            $ref: "#/$defs/Order",
            $defs: {
              Order: {
                type: "object",
                properties: { lines: { type: "array", items: { $ref: "#/$defs/Line" } }, gift: { $ref: "#/$defs/Box" } },
                required: ["lines"],
              },
              Line: { type: "object", properties: { price: { $ref: "#/$defs/Price" } }, required: ["price"] },
              Price: { type: "object", properties: { cents: { type: "integer" } }, additionalProperties: false },
              Box: { type: "object", properties: { inside: { $ref: "#/$defs/Box" }, price: { $ref: "#/$defs/Price" } } },
            },
          },
        },
        { name: "no-input", inputSchema: { type: "object", additionalProperties: false } },
      ],
    },
  },
  schemas: {
    config: { servers: { odd: { url: "https://example.com/mcp" } } },
    servers: {
      odd: [
        {
          name: "ts-type", description: "ts type",
          inputSchema: {
            type: "object",
            properties: {
              a: { type: "string", tsType: "string; globalThis.pwned = true; type X = string" },
              b: { enum: [1, 2], tsEnumNames: ["One = globalThis.pwned", "Two"] },
            },
          },
        },
        {
          name: "title-string", description: "title string",
          inputSchema: {
            type: "object", title: "String",
            properties: {
              a: { type: "object", title: "String", properties: { s: { type: "string" } } },
              b: { type: "array", title: "Array", items: { type: "object", title: "Record", properties: { x: { type: "string" } } } },
            },
          },
        },
        {
          name: "title-own", description: "title own",
          inputSchema: {
            type: "object", title: "TitleOwnInput", $id: "https://example.com/TitleOwnInput.json",
            properties: { z: { type: "object", title: "z", properties: { server: { type: "string" } } } },
          },
        },
        { name: "file-ref", description: "file ref", inputSchema: { type: "object", properties: { a: { $ref: "file:///etc/passwd" } } } },
        { name: "http-ref", description: "http ref", inputSchema: { type: "object", properties: { a: { $ref: "https://example.com/schema.json" } } } },
        {
          name: "boolean-schemas", description: "boolean schemas",
          inputSchema: { type: "object", properties: { any: true, none: false, list: { type: "array", items: true } } },
        },
        { name: "php-empty", description: "php empty", inputSchema: { type: "object", properties: [] } },
        {
          name: "odd-properties", description: "odd properties",
          inputSchema: {
            type: "object",
            properties: {
              "0": { type: "string" },
              ["__proto__"]: { type: "string" },
              constructor: { type: "number" },
              hasOwnProperty: { type: "boolean" },
              toString: { type: "string" },
              "If-Match": { type: "string" },
              "{{userName}}": { type: "string" },
              "DateCreated<": { type: "string" },
              "": { type: "string" },
            },
            required: ["__proto__", "constructor", "absent"],
          },
        },
        {
          name: "defs-named-like-ours", description: "defs named like ours",
          inputSchema: {
            type: "object",
            properties: {
              a: { $ref: "#/$defs/z" },
              b: { $ref: "#/$defs/server" },
              c: { $ref: "#/$defs/Tool" },
              d: { $ref: "#/$defs/DefsNamedLikeOursInput" },
              e: { $ref: "#/$defs/*~1 pwned" },
            },
            $defs: {
              z: { type: "object", properties: { z: { $ref: "#/$defs/z" } } },
              server: { type: "object", properties: { s: { $ref: "#/$defs/server" } } },
              Tool: { type: "object", properties: { t: { $ref: "#/$defs/Tool" } } },
              DefsNamedLikeOursInput: { type: "object", properties: { i: { $ref: "#/$defs/DefsNamedLikeOursInput" } } },
              "*/ pwned": { type: "object", properties: { p: { $ref: "#/$defs/*~1 pwned" } } },
            },
          },
        },
        {
          name: "checks", description: "checks",
          inputSchema: {
            type: "object",
            properties: {
              tags: { type: "array", items: { type: "string" }, uniqueItems: true, minItems: 1 },
              price: { type: "number", multipleOf: 0.01, exclusiveMinimum: 0 },
              either: { oneOf: [{ type: "string" }, { type: "integer" }] },
              not: { not: { type: "null" } },
              map: { type: "object", propertyNames: { pattern: "^[a-z]+$" }, additionalProperties: { type: "integer" }, minProperties: 1 },
              if: { if: { type: "string" }, then: { minLength: 2 }, else: { type: "number" } },
            },
          },
        },
        {
          name: "unions", description: "unions",
          inputSchema: {
            type: "object",
            properties: {
              shape: {
                oneOf: [
                  { type: "object", properties: { kind: { const: "circle" }, r: { type: "number" } }, required: ["kind", "r"] },
                  { type: "object", properties: { kind: { const: "square" }, a: { type: "number" } }, required: ["kind", "a"] },
                ],
              },
              nullable: { anyOf: [{ type: "string" }, { type: "null" }] },
              mixed: { type: ["string", "number", "null"] },
            },
            required: ["shape"],
          },
        },
        {
          name: "unused-definitions", description: "Searches with one parameter out of many shared types.",
          inputSchema: {
            type: "object",
            properties: { price: { $ref: "#/$defs/Money" } },
            $defs: {
              Money: {
                type: "object", description: "An amount of money.",
                properties: { cents: { type: "integer" }, currency: { $ref: "#/$defs/Currency" } },
                required: ["cents"],
              },
              Currency: { enum: ["EUR", "USD"] },
              Unused: { type: "object", properties: { self: { $ref: "#/$defs/Unused" } } },
            },
          },
        },
      ],
    },
  },
}; // prettier-ignore
