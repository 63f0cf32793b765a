// Compiled from templates/ by "npm run templates". Do not edit.
import type { Piece } from "./fill-template.js";

export const TOOL_TEMPLATE: readonly Piece[] = [
  'import * as z from "zod";\nimport {\n  defineTool,\n',
  { when: "ability", pieces: ["  throughAbility,\n"] },
  "  type Tool,\n",
  { when: "isText", pieces: ["  type ToolContent,\n"] },
  { each: "checks", pieces: ["  ", { text: "check" }, ",\n"] },
  '} from "mcp-codegen/runtime";\nimport { ',
  { text: "schema" },
  ' } from "./schemas',
  { text: "extension" },
  '";\nimport { server } from "./server',
  { text: "extension" },
  '";\n\n',
  { text: "declarations" },
  "\n\n",
  { text: "comment" },
  "\nexport const ",
  { text: "tool" },
  ": Tool<",
  { text: "Input" },
  ", ",
  { text: "Answer" },
  "> = /* @__PURE__ */ defineTool({\n  server,\n  name: ",
  { literal: "name" },
  ",\n",
  { when: "title", pieces: ["  title: ", { literal: "title" }, ",\n"] },
  { when: "description", pieces: ["  description: ", { literal: "description" }, ",\n"] },
  { when: "category", pieces: ["  category: ", { literal: "category" }, ",\n"] },
  { when: "annotations", pieces: ["  annotations: ", { literal: "annotations" }, ",\n"] },
  { when: "taskSupport", pieces: ["  taskSupport: ", { literal: "taskSupport" }, ",\n"] },
  { when: "defaults", pieces: ["  defaults: ", { literal: "defaults" }, ",\n"] },
  { when: "dialect", pieces: ["  dialect: ", { literal: "dialect" }, ",\n"] },
  { when: "formats", pieces: ["  formats: ", { literal: "formats" }, ",\n"] },
  {
    when: "ability",
    pieces: [
      "  through: () =>\n    throughAbility(\n      ",
      { literal: "ability" },
      ",\n",
      { when: "wrapped", pieces: ["      ", { literal: "wrapped" }, ",\n"] },
      "    ),\n",
    ],
  },
  "  input: ",
  { text: "Input" },
  ",\n",
  { when: "Output", pieces: ["  output: ", { text: "Output" }, ",\n"] },
  "  inputSchema: ",
  { text: "schema" },
  ",\n});\n",
];

export const SCHEMAS_TEMPLATE: readonly Piece[] = [
  "\n",
  {
    each: "tools",
    pieces: [
      "\nexport function ",
      { text: "schema" },
      "(): unknown {\n  return ",
      { literal: "inputSchema" },
      ";\n}\n",
    ],
  },
];

export const SERVER_TEMPLATE: readonly Piece[] = [
  'import { defineServer, type ServerDefinition } from "mcp-codegen/runtime";\n\nexport const server: ServerDefinition = /* @__PURE__ */ defineServer(',
  { literal: "settings" },
  ");\n",
];

export const SERVER_INDEX_TEMPLATE: readonly Piece[] = [
  "import {\n  connectTools,\n  type CallOptions,\n  type Connection,\n",
  { when: "hasChanges", pieces: ["  type ToolChange,\n"] },
  '} from "mcp-codegen/runtime";\n',
  {
    each: "tools",
    pieces: ["import { ", { text: "tool" }, ' } from "./', { text: "file" }, { text: "extension" }, '";\n'],
  },
  'import { server } from "./server',
  { text: "extension" },
  '";\n\n',
  {
    each: "tools",
    pieces: [
      "export {\n  ",
      { text: "Input" },
      ",\n",
      { when: "Output", pieces: ["  ", { text: "Output" }, ",\n"] },
      "  ",
      { text: "tool" },
      ',\n} from "./',
      { text: "file" },
      { text: "extension" },
      '";\n',
    ],
  },
  'export { server } from "./server',
  { text: "extension" },
  '";\n\nexport type Tools = {\n',
  { each: "tools", pieces: ["  readonly ", { text: "tool" }, ": typeof ", { text: "tool" }, ";\n"] },
  "};\n\n/** A call of a tool that is not read-only, as a tracker records it. */\n",
  { text: "changes" },
  '\n\n/** Every tool of "',
  { text: "server" },
  '" on one connection, opened by the first call. */\nexport function connect(options?: CallOptions): Tools & Connection {\n  return connectTools(\n    server,\n    {\n',
  { each: "tools", pieces: ["      ", { text: "tool" }, ",\n"] },
  "    },\n    options,\n  );\n}\n",
];

export const INDEX_TEMPLATE: readonly Piece[] = [
  {
    each: "servers",
    pieces: [
      "export * as ",
      { text: "server" },
      ' from "./',
      { text: "folder" },
      "/index",
      { text: "extension" },
      '";\n',
    ],
  },
  { when: "isEmpty", pieces: ["export {};\n"] },
];
