/**
 * What hosts and providers refuse or change in lists of tools. Each rule has two sources, or the host's own documentation or
 * code; none was tried against a provider, but for those that are marked as measured.
 */
import { findOwn, getOwn, isJsonArray, isJsonObject } from "../json.js";
import {
  atRoot,
  booleanProperties,
  breaksMetaSchema,
  bytesOf,
  descriptionOver,
  dialectUnlike,
  everywhere,
  GEMINI_FIELDS,
  hasLookaround,
  hasMixedEnum,
  hasSiblingsOfRef,
  inTool,
  isArrayWithoutItems,
  isMap,
  isOpen,
  isRecursive,
  keyword,
  keywordBeside,
  misshapen,
  nameOver,
  nameUnlike,
  optionalProperties,
  refersElsewhere,
  requiresUndeclared,
  rootKeyUnlike,
  sameName,
  tokensOver,
  tooMany,
  schemaTypes,
  uncompilableOutput,
} from "./conditions.js";
import { type HostRule, MOST_TOOLS } from "./host.js";
import { isTypeless, leavesStrictMode, nullableOptionals, STRICT_FORMATS } from "./strict-mode.js";

const ALTERNATIVES = ["anyOf", "oneOf", "allOf"] as const;
const CONDITIONAL = ["if", "then", "else"] as const;
const METADATA = ["$schema", "$id", "$comment", "$defs", "definitions", "title", "description"] as const;
/** The keywords of JSON Schema that Gemini documents. */
const GEMINI_KEYWORDS = (
  "$schema $id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum anyOf oneOf " +
  "properties additionalProperties required propertyOrdering"
).split(" ");
const PROPERTY_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;
const OBJECT_TYPE = atRoot((root) => getOwn(root, "type") !== "object");

const RULES = {
  "openai-name": {
    host: "openai", field: "name", effect: "request", isLossless: true,
    says: "The name does not match `[a-zA-Z0-9_-]{1,64}`",
    fix: "Send another name, and map it back.",
    certainty: "documentation", date: "2026-08", source: "reference of function tools; https://github.com/CherryHQ/cherry-studio/pull/2895; https://github.com/nanbingxyz/5ire/issues/403",
    find: nameUnlike(/^[a-zA-Z0-9_-]{1,64}$/),
  },
  "openai-root-type": {
    host: "openai", field: "inputSchema.type", effect: "request", isLossless: true,
    says: "The type of the input schema is not `object`",
    fix: "Write `type: \"object\"`.",
    certainty: "reports", date: "2025-07", source: "https://github.com/chatanywhere/GPT_API_free/issues/403; https://github.com/vercel/ai/issues/7005",
    find: OBJECT_TYPE,
  },
  "openai-root-combinator": {
    host: "openai", field: "inputSchema", effect: "request", isLossless: false,
    says: "The input schema has `oneOf`, `anyOf`, `allOf`, `enum` or `not` at its root",
    fix: "Merge the properties of the branches, and validate calls with the whole schema.",
    certainty: "reports", date: "2026-01", source: "https://github.com/langchain-ai/langchainjs/issues/9804; https://github.com/nspady/google-calendar-mcp/issues/39",
    find: atRoot(keyword(...ALTERNATIVES, "enum", "not")),
  },
  "openai-properties-missing": {
    host: "openai", field: "inputSchema.properties", effect: "request", isLossless: true,
    says: "The input schema is an object without `properties`",
    fix: "Add `properties: {}`.",
    certainty: "maintainer", date: "2026-05", source: "https://github.com/openai/openai-agents-python/pull/454; https://github.com/langchain-ai/langchain-mcp-adapters/issues/137",
    find: atRoot((root) => getOwn(root, "type") === "object" && !Object.hasOwn(root, "properties")),
  },
  "openai-array-items": {
    host: "openai", field: "inputSchema", effect: "request", isLossless: true,
    says: "A schema that allows arrays has no `items`",
    fix: "Add `items: {}`, or the type of the items.",
    certainty: "reports", date: "2026-06", source: "https://github.com/ogx-ai/ogx/pull/3602; https://github.com/ruvnet/ruflo/issues/1294; https://github.com/NousResearch/hermes-agent/pull/54290",
    find: everywhere(isArrayWithoutItems),
  },
  "openai-invalid-schema": {
    host: "openai", field: "inputSchema", effect: "request", isLossless: undefined,
    says: "A keyword has a value that JSON Schema does not allow",
    fix: "Correct the value; PHP writes `[]` for an empty object.",
    certainty: "reports", date: "2026-05", source: "https://github.com/CherryHQ/cherry-studio/issues/4188; https://github.com/FoundationAgents/OpenManus/issues/1162",
    find: everywhere(breaksMetaSchema(false)),
  },
  "openai-lookaround": {
    host: "openai", field: "inputSchema…pattern", effect: "request", isLossless: false,
    says: "A pattern looks ahead or behind: `(?=`, `(?!`, `(?<=` or `(?<!`",
    fix: "Leave out the pattern for the model, and validate calls with the whole schema.",
    certainty: "maintainer", date: "2026-09", source: "https://github.com/vercel/ai/pull/21037; https://github.com/anomalyco/opencode/issues/32073; https://github.com/tombii/better-ccflare/issues/357",
    find: everywhere(hasLookaround),
  },
  "openai-description": {
    host: "openai", field: "description", effect: "request", isLossless: true,
    says: "The description has more than 1,024 characters, which Chat Completions refuses",
    fix: "Continue the description in that of the input schema, or use Responses.",
    certainty: "reports", date: "2025-04", source: "https://github.com/getsentry/sentry-mcp/issues/106; https://github.com/langchain-ai/open_deep_research/issues/80; https://github.com/rusiaaman/wcgw/issues/51",
    find: descriptionOver(1_024),
  },
  "openai-tools": {
    host: "openai", field: "tools", effect: "request", isLossless: true,
    says: "There are more than 128 tools",
    fix: "Exclude tools, or use a toolset or deferred tools.",
    certainty: "documentation", date: "2025-11", source: "reference of Chat Completions (tools); https://github.com/anomalyco/opencode/issues/4909; https://github.com/zed-industries/zed/issues/42393",
    ...tooMany(MOST_TOOLS.openai),
  },
  "openai-strict-optional": {
    host: "openai-strict", field: "inputSchema…required", effect: "request", isLossless: true,
    says: "A property is not in `required`",
    fix: "Require every property, let the optional ones be `null`, and drop these before the call.",
    certainty: "documentation", date: "2026-01", source: "guide to structured outputs; https://github.com/langchain-ai/langchain/pull/32930; https://github.com/RooCodeInc/Roo-Code/pull/10220",
    find: inTool(optionalProperties),
  },
  "openai-strict-null": {
    host: "openai-strict", field: "inputSchema…required", effect: "altered", isLossless: false,
    says: "An optional property may be null, so a model that has to write every property cannot leave it out",
    fix: "Send the tool without strict mode.",
    certainty: "documentation", date: "2026-01", source: "guide to structured outputs (all fields must be required)",
    find: inTool(nullableOptionals),
  },
  "openai-strict-type": {
    host: "openai-strict", field: "inputSchema…type", effect: "request", isLossless: undefined,
    says: "A schema has neither `type` nor `anyOf` nor `$ref`",
    fix: "Add the type, or send the tool without strict mode.",
    certainty: "reports", date: "2026-08", source: "https://github.com/1jehuang/jcode/issues/713; https://github.com/can1357/oh-my-pi/issues/211; https://github.com/apexive/odoo-llm/issues/212",
    find: everywhere(isTypeless),
  },
  "openai-strict-open": {
    host: "openai-strict", field: "inputSchema…additionalProperties", effect: "request", isLossless: undefined,
    says: "An object does not have `additionalProperties: false`",
    fix: "Close objects that declare their properties.",
    certainty: "documentation", date: "2025-12", source: "guide to structured outputs; https://github.com/github/github-mcp-server/issues/376; https://github.com/Kilo-Org/kilocode/pull/4426",
    find: everywhere(isOpen),
  },
  "openai-strict-map": {
    host: "openai-strict", field: "inputSchema", effect: "request", isLossless: false,
    says: "An object takes keys that it does not declare",
    fix: "Send the tool without strict mode.",
    certainty: "code", date: "2026-08", source: "openai/openai-agents-python src/agents/strict_schema.py; openai/openai-agents-js strictToolSchema.ts",
    find: everywhere(isMap),
  },
  "openai-strict-keyword": {
    host: "openai-strict", field: "inputSchema", effect: "request", isLossless: false,
    says: "A schema has a keyword that strict mode does not support",
    fix: "Write `oneOf` of exclusive branches as `anyOf`; send other tools without strict mode.",
    certainty: "documentation", date: "2026-07", source: "guide to structured outputs; https://github.com/mastra-ai/mastra/issues/23321; https://github.com/1jehuang/jcode/issues/687",
    find: everywhere(
      keyword(
        "allOf", "oneOf", "not", ...CONDITIONAL, "dependentRequired", "dependentSchemas", "patternProperties",
        "propertyNames", "uniqueItems", "unevaluatedItems", "unevaluatedProperties", "contains",
        "minContains", "maxContains", "minProperties", "maxProperties",
      ),
    ),
  },
  "openai-strict-format": {
    host: "openai-strict", field: "inputSchema…format", effect: "request", isLossless: false,
    says: "A format is not one that strict mode supports",
    fix: "Write the format in the description.",
    certainty: "documentation", date: "2026-01", source: "guide to structured outputs; https://github.com/posit-dev/chatlas/pull/255",
    find: everywhere((schema) => {
      const format = getOwn(schema, "format");
      return typeof format === "string" && !STRICT_FORMATS.includes(format) ? "format" : undefined;
    }),
  },
  "openai-strict-ref": {
    host: "openai-strict", field: "inputSchema…$ref", effect: "request", isLossless: true,
    says: "A `$ref` has other keywords beside it",
    fix: "Write the definition in its place.",
    certainty: "code", date: "2026-08", source: "openai/openai-agents-python src/agents/strict_schema.py; openai/openai-agents-js strictToolSchema.ts",
    find: everywhere(hasSiblingsOfRef),
  },
  "anthropic-name": {
    host: "anthropic", field: "name", effect: "request", isLossless: true,
    says: "The name does not match `[a-zA-Z0-9_-]{1,128}`",
    fix: "Send another name, and map it back.",
    certainty: "documentation", date: "2025-06", source: "reference of tool use; https://github.com/home-assistant/core/issues/147760",
    find: nameUnlike(/^[a-zA-Z0-9_-]{1,128}$/),
  },
  "anthropic-deferred-name": {
    host: "anthropic", field: "name", effect: "altered", isLossless: true,
    says: "The name has more than 64 characters, so the tool cannot be deferred",
    fix: "Shorten the name.",
    certainty: "reports", date: "2026-01", source: "https://github.com/anthropics/claude-code/issues/16425; https://github.com/mims-harvard/ToolUniverse/issues/65",
    find: nameOver(64),
  },
  "anthropic-property-key": {
    host: "anthropic", field: "inputSchema.properties", effect: "request", isLossless: true,
    says: "A property of the input schema has a name that does not match `[a-zA-Z0-9_.-]{1,64}`",
    fix: "Rename the property for the model, and map it back.",
    certainty: "maintainer", date: "2026-09", source: "https://github.com/anthropics/claude-code/issues/79418; https://github.com/decocms/studio/pull/6874; https://github.com/ComposioHQ/composio/issues/3500",
    find: rootKeyUnlike(PROPERTY_KEY),
  },
  "anthropic-root-type": {
    host: "anthropic", field: "inputSchema.type", effect: "request", isLossless: true,
    says: "The type of the input schema is not `object`",
    fix: "Write `type: \"object\"`.",
    certainty: "documentation", date: "2026-08", source: "reference of tool use (input_schema.type is required)",
    find: OBJECT_TYPE,
  },
  "anthropic-root-combinator": {
    host: "anthropic", field: "inputSchema", effect: "request", isLossless: false,
    says: "The input schema has `oneOf`, `allOf` or `anyOf` at its root",
    fix: "Merge the properties of the branches, and validate calls with the whole schema.",
    certainty: "reports", date: "2026-08", source: "https://github.com/makenotion/notion-mcp-server/issues/341; https://github.com/modelcontextprotocol/python-sdk/issues/494; https://github.com/kenn-io/kata/pull/365",
    find: atRoot(keyword(...ALTERNATIVES)),
  },
  "anthropic-invalid-schema": {
    host: "anthropic", field: "inputSchema", effect: "request", isLossless: undefined,
    says: "A keyword has a value that JSON Schema 2020-12 does not allow, such as a list in `items`",
    fix: "Write `prefixItems` for a tuple, `exclusiveMinimum: 1` for a bound of draft 4; correct other values.",
    certainty: "reports", date: "2026-08", source: "https://github.com/anthropics/claude-code/issues/586; https://github.com/hyperdxio/hyperdx/pull/2925; https://github.com/acomagu/vscode-as-mcp-server/issues/6",
    find: everywhere(breaksMetaSchema(true)),
  },
  "anthropic-duplicate-names": {
    host: "anthropic", field: "name", effect: "request", isLossless: true,
    says: "Two tools have the same name",
    fix: "Add the name of the server.",
    certainty: "reports", date: "2026-05", source: "https://github.com/onyx-dot-app/onyx/issues/9229; https://github.com/danny-avila/LibreChat/issues/13162",
    find: sameName(),
  },
  "anthropic-many-tools": {
    host: "anthropic", field: "tools", effect: "altered", isLossless: true,
    says: "There are more than 50 tools, and models choose less well",
    fix: "Use a toolset or deferred tools.",
    certainty: "documentation", date: "2026-10", source: "https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool",
    ...tooMany(50),
  },
  "gemini-name": {
    host: "gemini", field: "name", effect: "request", isLossless: true,
    says: "The name does not match `[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}`",
    fix: "Send another name, and map it back.",
    certainty: "documentation", date: "2026-08", source: "googleapis/js-genai src/types.ts (FunctionDeclaration); https://github.com/cline/cline/issues/7339; https://github.com/mixelpixx/KiCAD-MCP-Server/issues/7",
    find: nameUnlike(/^[a-zA-Z_][\w.:-]{0,63}$/),
  },
  "gemini-duplicate-names": {
    host: "gemini", field: "name", effect: "request", isLossless: true,
    says: "Two tools have the same name",
    fix: "Add the name of the server.",
    certainty: "reports", date: "2026-06", source: "https://github.com/rikkahub/rikkahub/issues/1311; https://github.com/ai-dashboard/flutter-skill/issues/32",
    find: sameName(),
  },
  "gemini-tools": {
    host: "gemini", field: "tools", effect: "request", isLossless: true,
    says: "There are more than 512 tools",
    fix: "Exclude tools, or use a toolset.",
    certainty: "maintainer", date: "2026-05", source: "https://github.com/google-gemini/gemini-cli/issues/19083; https://github.com/google-gemini/gemini-cli/pull/26869",
    ...tooMany(MOST_TOOLS.gemini),
  },
  "gemini-keyword": {
    host: "gemini", isOfOneForm: true, field: "inputSchema", effect: "altered", isLossless: undefined,
    says: "A schema has a keyword that Gemini does not document, and may ignore",
    fix: "Repeat the limit in the description, and validate calls with the whole schema.",
    certainty: "documentation", date: "2026-08", source: "googleapis/js-genai src/types.ts (responseJsonSchema; that it holds for parameters is an assumption)",
    find: everywhere(keywordBeside(...GEMINI_KEYWORDS)),
  },
  "gemini-recursion": {
    host: "gemini", isOfOneForm: true, field: "inputSchema…$ref", effect: "altered", isLossless: undefined,
    says: "A `$ref` is recursive, or has other keywords beside it, and Gemini may ignore a part",
    fix: "Write definitions that are not recursive in place of references.",
    certainty: "documentation", date: "2026-08", source: "googleapis/js-genai src/types.ts (responseJsonSchema)",
    find: inTool(({ input, nodes }) =>
      nodes
        .filter((node) =>
          isJsonObject(input) && Object.hasOwn(node.schema, "$ref")
            ? hasSiblingsOfRef(node.schema) !== undefined || isRecursive(node, input)
            : false,
        )
        .map(({ at }) => ({ at: `${at}/$ref` })),
    ),
  },
  "gemini-parameters-keyword": {
    host: "gemini-parameters", field: "inputSchema", effect: "request", isLossless: true,
    says: "A schema has a keyword that Gemini's Schema lacks, such as `additionalProperties`, `const` or `$ref`",
    fix: "Send `parametersJsonSchema`.",
    certainty: "code", date: "2026-09", source: "googleapis/js-genai src/types.ts (Schema); https://github.com/nanbingxyz/5ire/issues/42; https://github.com/router-for-me/CLIProxyAPI/issues/97",
    find: everywhere(keywordBeside(...GEMINI_FIELDS)),
  },
  "gemini-parameters-type-list": {
    host: "gemini-parameters", field: "inputSchema…type", effect: "request", isLossless: true,
    says: "The type of a schema is a list",
    fix: "Write `nullable: true` for `null`, and `anyOf` for other lists; or send `parametersJsonSchema`.",
    certainty: "reports", date: "2026-02", source: "https://github.com/zed-industries/zed/issues/44875; https://github.com/hideya/langchain-mcp-tools-ts/issues/46",
    find: everywhere((schema) => (isJsonArray(getOwn(schema, "type")) ? "type" : undefined)),
  },
  "gemini-parameters-type-missing": {
    host: "gemini-parameters", field: "inputSchema…type", effect: "request", isLossless: false,
    says: "A schema has neither `type` nor `anyOf`",
    fix: "Write the type, or send `parametersJsonSchema`.",
    certainty: "reports", date: "2026-06", source: "https://github.com/danny-avila/LibreChat/issues/6971; https://github.com/zereight/gitlab-mcp/issues/166",
    find: everywhere(
      (schema) => schemaTypes(schema).length === 0 && keyword("anyOf", "$ref")(schema) === undefined,
    ),
  },
  "gemini-parameters-enum": {
    host: "gemini-parameters", field: "inputSchema…enum", effect: "request", isLossless: true,
    says: "A value of `enum` is not a string",
    fix: "Write strings with `format: \"enum\"`, or send `parametersJsonSchema`.",
    certainty: "reports", date: "2026-06", source: "https://github.com/anomalyco/opencode/issues/2687; https://github.com/rancher/rancher-ai-agent/issues/226",
    find: everywhere((schema) => {
      const values = getOwn(schema, "enum");
      return isJsonArray(values) && values.some((value) => typeof value !== "string") ? "enum" : undefined;
    }),
  },
  "gemini-parameters-array-items": {
    host: "gemini-parameters", field: "inputSchema", effect: "request", isLossless: false,
    says: "A schema that allows arrays has no `items`",
    fix: "Add `items` with the type of the items.",
    certainty: "reports", date: "2026-08", source: "https://github.com/kkrishnan90/gemini-desktop/pull/7; https://github.com/NousResearch/hermes-agent/pull/77623",
    find: everywhere(isArrayWithoutItems),
  },
  "gemini-parameters-required": {
    host: "gemini-parameters", field: "inputSchema…required", effect: "request", isLossless: true,
    says: "`required` names a property that is not declared",
    fix: "Declare the property.",
    certainty: "reports", date: "2026-07", source: "https://github.com/anomalyco/opencode/issues/3140; https://github.com/MarkusPfundstein/mcp-obsidian/issues/105; https://github.com/Kilo-Org/kilocode/pull/11955",
    find: everywhere(requiresUndeclared),
  },
  "claude-code-list": {
    host: "claude-code", field: "tools", effect: "list", isLossless: true,
    says: "A part of the definition has the wrong shape: all tools of the server are lost, without a message",
    fix: "Give every schema `type: \"object\"` at its root, and leave out keys without a value.",
    certainty: "reports", date: "2026-08", source: "https://github.com/anthropics/claude-code/issues/88049; https://github.com/anthropics/claude-code/issues/44364; https://github.com/Wynelson94/longhand/issues/10",
    find: inTool(misshapen),
  },
  "claude-code-root-combinator": {
    host: "claude-code", field: "inputSchema", effect: "tool", isLossless: false,
    says: "The input schema has `oneOf`, `allOf` or `anyOf` at its root",
    fix: "Merge the properties of the branches at the root.",
    certainty: "reports", date: "2026-09", source: "https://github.com/anthropics/claude-code/issues/95504; https://github.com/opentokenz/mcpx/issues/28",
    find: atRoot(keyword(...ALTERNATIVES)),
  },
  "claude-code-property-key": {
    host: "claude-code", field: "inputSchema.properties", effect: "request", isLossless: true,
    says: "A property of the input schema has a name that does not match `[a-zA-Z0-9_.-]{1,64}`",
    fix: "Rename the property in the server, or map it in a proxy.",
    certainty: "maintainer", date: "2026-08", source: "https://github.com/anthropics/claude-code/issues/79418; https://github.com/twilio-labs/mcp/issues/58",
    find: rootKeyUnlike(PROPERTY_KEY),
  },
  "claude-code-name": {
    host: "claude-code", field: "name", effect: "call", isLossless: true,
    says: "`mcp__<server>__<tool>` has more than 64 characters",
    fix: "Shorten the name of the server in the configuration, or of the tool.",
    certainty: "reports", date: "2026-03", source: "https://github.com/anthropics/claude-code/issues/20983; https://github.com/anthropics/claude-code/issues/22276; https://github.com/ChromeDevTools/chrome-devtools-mcp/issues/1169",
    find: nameOver(64),
  },
  "claude-code-name-characters": {
    host: "claude-code", field: "name", effect: "altered", isLossless: true,
    says: "The name has other characters than letters, digits, `_` and `-`, which become `_`",
    fix: "Rename the tool: two names may become one.",
    certainty: "reports", date: "2026-05", source: "https://github.com/barryw/ImmichMCP/pull/8; https://github.com/osanoai/multicli/pull/11",
    find: nameUnlike(/^[\w-]*$/),
  },
  "claude-code-same-name": {
    host: "claude-code", field: "name", effect: "call", isLossless: true,
    says: "Two tools have the same name after characters were replaced by `_`: one cannot be called",
    fix: "Rename one of the tools.",
    certainty: "reports", date: "2026-05", source: "https://github.com/barryw/ImmichMCP/pull/8; https://github.com/osanoai/multicli/pull/11",
    find: sameName((name) => name.replace(/[^\w-]/g, "_")),
  },
  "claude-code-tokens": {
    host: "claude-code", field: "tools", effect: "altered", isLossless: true,
    says: "The definitions have more than about 25,000 tokens together, and `/doctor` warns",
    fix: "Exclude tools, or use a toolset.",
    certainty: "reports", date: "2025-12", source: "https://github.com/anthropics/claude-code/issues/12241; https://github.com/getsentry/XcodeBuildMCP/issues/153",
    find: tokensOver(25_000),
  },
  "claude-code-description": {
    host: "claude-code", field: "description", effect: "altered", isLossless: false,
    says: "The description has more than 2,048 characters, and the rest is cut",
    fix: "Move the rest into the descriptions of parameters.",
    certainty: "maintainer", date: "2026-03", source: "https://github.com/anthropics/claude-code/issues/41593; https://github.com/bug-ops/zeph/issues/2450",
    find: descriptionOver(2_048),
  },
  "claude-desktop-name": {
    host: "claude-desktop", field: "name", effect: "request", isLossless: true,
    says: "The name does not match `[a-zA-Z0-9_-]{1,64}`: no chat with the connector works",
    fix: "Rename the tool in the server.",
    certainty: "reports", date: "2026-08", source: "https://github.com/evoila/meho/issues/2745; https://github.com/loomle/loomle/issues/168; https://github.com/barryw/ImmichMCP/issues/3",
    find: nameUnlike(/^[a-zA-Z0-9_-]{1,64}$/),
  },
  "claude-desktop-output-dialect": {
    host: "claude-desktop", field: "outputSchema.$schema", effect: "call", isLossless: true,
    says: "The output schema declares another dialect than 2020-12",
    fix: "Leave out `$schema`: without it, MCP means 2020-12.",
    certainty: "reports", date: "2026-09", source: "https://github.com/anthropics/claude-ai-mcp/issues/1016; https://github.com/sweetrb/apple-mail-mcp/issues/147; https://github.com/n8n-io/n8n/issues/36361",
    find: dialectUnlike("outputSchema", /2020-12/),
  },
  "cursor-name": {
    host: "cursor", field: "name", effect: "tool", isLossless: true,
    says: "The names of server and tool have 60 characters or more together",
    fix: "Shorten the name of the server in the configuration.",
    certainty: "reports", date: "2026-03", source: "https://github.com/ComposioHQ/composio/issues/2788; https://github.com/awslabs/mcp/issues/1283; https://github.com/PostHog/posthog/pull/51483",
    find: nameOver(59),
  },
  "cursor-tools": {
    host: "cursor", field: "tools", effect: "list", isLossless: true,
    says: "There are more than 80 tools, and the rest is not offered",
    fix: "Exclude tools, or use a toolset.",
    certainty: "reports", date: "2026-02", source: "https://github.com/Snowflake-Labs/mcp/issues/77; https://github.com/DaxianLee/cocos-mcp-server/issues/11",
    ...tooMany(80),
  },
  "vscode-array-items": {
    host: "vscode", field: "inputSchema", effect: "request", isLossless: true,
    says: "A schema of the type `array` has no `items`",
    fix: "Add `items: {}`, or the type of the items.",
    certainty: "code", date: "2026-03", source: "microsoft/vscode-copilot-chat toolSchemaNormalizer.ts; https://github.com/microsoft/vscode/issues/246119; https://github.com/agentscope-ai/ReMe/issues/84",
    find: everywhere((schema) => getOwn(schema, "type") === "array" && isArrayWithoutItems(schema)),
  },
  "vscode-invalid-schema": {
    host: "vscode", field: "inputSchema", effect: "request", isLossless: undefined,
    says: "A keyword has a value that draft-07 does not allow",
    fix: "Correct the value; PHP writes `[]` for an empty object.",
    certainty: "code", date: "2026-03", source: "microsoft/vscode-copilot-chat toolSchemaNormalizer.ts; microsoft/vscode mcpServer.ts",
    find: everywhere(breaksMetaSchema(false)),
  },
  "vscode-root-combinator": {
    host: "vscode", field: "inputSchema", effect: "altered", isLossless: false,
    says: "The input schema has alternatives or conditions at its root, which are removed with all that they declare",
    fix: "Merge the properties of the branches at the root.",
    certainty: "code", date: "2026-03", source: "microsoft/vscode-copilot-chat toolSchemaNormalizer.ts",
    find: atRoot(keyword(...ALTERNATIVES, "not", ...CONDITIONAL)),
  },
  "vscode-required": {
    host: "vscode", field: "inputSchema…required", effect: "altered", isLossless: true,
    says: "`required` names a property that is not declared, and the name is removed",
    fix: "Declare the property.",
    certainty: "code", date: "2026-03", source: "microsoft/vscode-copilot-chat toolSchemaNormalizer.ts",
    find: everywhere(requiresUndeclared),
  },
  "vscode-items-list": {
    host: "vscode", field: "inputSchema…items", effect: "altered", isLossless: false,
    says: "`items` is a list, and becomes `anyOf` of its members",
    fix: "Write `prefixItems`.",
    certainty: "code", date: "2026-03", source: "microsoft/vscode-copilot-chat toolSchemaNormalizer.ts",
    find: everywhere((schema) => (isJsonArray(getOwn(schema, "items")) ? "items" : undefined)),
  },
  "vscode-tools": {
    host: "vscode", field: "tools", effect: "request", isLossless: true,
    says: "There are more than 128 tools",
    fix: "Enable fewer, or use a toolset.",
    certainty: "code", date: "2026-03", source: "microsoft/vscode-copilot-chat configurationService.ts (HARD_TOOL_LIMIT); https://github.com/microsoft/vscode/issues/258890",
    ...tooMany(128),
  },
  "vscode-name": {
    host: "vscode", field: "name", effect: "altered", isLossless: true,
    says: "The name, with the server's, does not match `[a-zA-Z0-9_-]{1,64}`, and is replaced or cut",
    fix: "Rename the tool: two names may become one.",
    certainty: "code", date: "2025-12", source: "microsoft/vscode mcpServer.ts, mcpTypes.ts (McpToolName)",
    find: nameUnlike(/^[\w-]{1,64}$/),
  },
  "vscode-same-name": {
    host: "vscode", field: "name", effect: "call", isLossless: true,
    says: "Two tools have the same name after it was cut to 64 characters: one cannot be called",
    fix: "Rename one of the tools.",
    certainty: "code", date: "2025-12", source: "microsoft/vscode mcpServer.ts, mcpTypes.ts (McpToolName)",
    find: sameName((name) => name.replace(/[^\w-]/g, "_").slice(0, 64)),
  },
  "windsurf-tools": {
    host: "windsurf", field: "tools", effect: "list", isLossless: true,
    says: "There are more than 100 tools, and a server is not added",
    fix: "Exclude tools, or use a toolset.",
    certainty: "documentation", date: "2026-06", source: "https://docs.windsurf.com/windsurf/cascade/mcp; https://github.com/DaxianLee/cocos-mcp-server/issues/11",
    ...tooMany(100),
  },
  "chatgpt-annotations": {
    host: "chatgpt", field: "annotations", effect: "altered", isLossless: true,
    says: "The tool has no `readOnlyHint`, so it counts as a tool that writes",
    fix: "Write `readOnlyHint`, `destructiveHint` and `openWorldHint`.",
    certainty: "reports", date: "2026-05", source: "https://github.com/kesslerio/attio-mcp-server/issues/873; https://github.com/twentyhq/twenty/pull/20672",
    find: inTool(({ definition }) => {
      const hint = findOwn(getOwn(definition, "annotations"), "readOnlyHint");
      return typeof hint === "boolean" ? [] : [{ at: "/annotations" }];
    }),
  },
  "codex-keyword": {
    host: "codex", field: "inputSchema", effect: "altered", isLossless: undefined,
    says: "A schema has a keyword that Codex drops, such as `pattern`, `format`, `minimum` or `default`",
    fix: "Repeat the limit in the description.",
    certainty: "code", date: "2026-08", source: "openai/codex codex-rs/tools/src/json_schema.rs",
    find: everywhere(
      keywordBeside(
        "type", "description", "enum", "const", "items", "properties", "required", "additionalProperties",
        ...ALTERNATIVES, "$ref", "$defs", "definitions", "$schema", "title",
      ),
    ),
  },
  "codex-schema-size": {
    host: "codex", field: "inputSchema", effect: "altered", isLossless: false,
    says: "The input schema has more than 5,000 bytes as compact JSON: Codex drops descriptions, then definitions and deep objects",
    fix: "Shorten descriptions, and drop unused definitions.",
    certainty: "code", date: "2026-08", source: "openai/codex codex-rs/tools/src/json_schema.rs (MAX_COMPACT_TOOL_SCHEMA_BYTES)",
    find: inTool(({ input }) => {
      const bytes = bytesOf(input ?? {});
      return bytes > 5_000 ? [{ at: "/inputSchema", detail: `${bytes} bytes` }] : [];
    }),
  },
  "codex-name": {
    host: "codex", field: "name", effect: "altered", isLossless: true,
    says: "`mcp__<server>__<tool>` does not match `[a-zA-Z0-9_-]{1,64}`, and is replaced, or cut with a digest",
    fix: "Shorten the name of the server or of the tool.",
    certainty: "code", date: "2026-08", source: "openai/codex codex-rs/codex-mcp/src/tools.rs",
    find: nameUnlike(/^[\w-]{1,64}$/),
  },
  "gemini-cli-name": {
    host: "gemini-cli", field: "name", effect: "altered", isLossless: true,
    says: "`mcp_<server>_<tool>` does not match `[a-zA-Z0-9_.:-]{1,63}`: other characters become `_`, and the middle is cut",
    fix: "Shorten the name of the server or of the tool.",
    certainty: "code", date: "2026-08", source: "google-gemini/gemini-cli packages/core/src/tools/mcp-tool.ts (generateValidName)",
    find: nameUnlike(/^[\w.:-]{1,63}$/),
  },
  "gemini-cli-same-name": {
    host: "gemini-cli", field: "name", effect: "call", isLossless: true,
    says: "Two tools have the same name after its middle was cut: one cannot be called",
    fix: "Rename one of the tools.",
    certainty: "code", date: "2026-08", source: "google-gemini/gemini-cli packages/core/src/tools/mcp-tool.ts (generateValidName)",
    find: sameName((name) => {
      const valid = name.replace(/[^\w.:-]/g, "_");
      return valid.length > 63 ? `${valid.slice(0, 30)}...${valid.slice(-30)}` : valid;
    }),
  },
  "ai-sdk-closed": {
    host: "ai-sdk", field: "inputSchema.additionalProperties", effect: "altered", isLossless: false,
    says: "The input schema takes other keys, and the client sets `additionalProperties: false`",
    fix: "Declare the keys, or take them in a property.",
    certainty: "code", date: "2026-08", source: "vercel/ai packages/mcp/src/tool/mcp-client.ts",
    find: atRoot((root) => {
      const more = getOwn(root, "additionalProperties");
      return more !== undefined && more !== false ? "additionalProperties" : undefined;
    }),
  },
  "ai-sdk-google-keyword": {
    host: "ai-sdk-google", field: "inputSchema", effect: "altered", isLossless: undefined,
    says: "A schema has a keyword that is dropped, such as a bound, `pattern`, `default` or `additionalProperties`",
    fix: "Repeat the limit in the description, or use version 7.",
    certainty: "measured", date: "2026-11", source: "vercel/ai packages/google/src/convert-json-schema-to-openapi-schema.ts; tried with @ai-sdk/google 3.0.141",
    find: everywhere((schema) =>
      keywordBeside(
        ...(getOwn(schema, "additionalProperties") === false ? ["additionalProperties"] : []),
        ...METADATA, ...ALTERNATIVES, "type", "required", "properties", "items", "format", "const",
        "minLength", "enum", "$ref",
      )(schema),
    ),
  },
  "ai-sdk-google-enum": {
    host: "ai-sdk-google", field: "inputSchema…enum", effect: "request", isLossless: true,
    says: "The values of `enum` have several types, or another type than the schema: the SDK throws",
    fix: "Write `anyOf` with an `enum` for each type, or use version 7.",
    certainty: "measured", date: "2026-11", source: "vercel/ai packages/google/src/convert-json-schema-to-openapi-schema.ts; tried with @ai-sdk/google 3.0.141",
    find: everywhere(hasMixedEnum),
  },
  "ai-sdk-google-ref": {
    host: "ai-sdk-google", field: "inputSchema…$ref", effect: "request", isLossless: true,
    says: "A `$ref` does not lead to `#/$defs/<name>` or `#/definitions/<name>`: the SDK throws",
    fix: "Move the target into `$defs`, write it in place of the reference, or use version 7.",
    certainty: "measured", date: "2026-11", source: "vercel/ai packages/google/src/convert-json-schema-to-openapi-schema.ts; tried with @ai-sdk/google 2.0.108 and 3.0.141",
    find: everywhere(refersElsewhere),
  },
  "langchain-union": {
    host: "langchain-js", field: "inputSchema", effect: "altered", isLossless: false,
    says: "A schema has alternatives or conditions, which are merged or removed; a union of plain types loses its type",
    fix: "Write a list of types instead of `anyOf` for plain types.",
    certainty: "measured", date: "2026-08", source: "langchain-ai/langchainjs libs/langchain-mcp-adapters/src/tools.ts (simplifyJsonSchemaForLLM); tried with @langchain/mcp-adapters 1.1.4",
    find: everywhere(keyword(...ALTERNATIVES, "not", ...CONDITIONAL)),
  },
  "mastra-dialect": {
    host: "mastra", field: "inputSchema.$schema", effect: "call", isLossless: true,
    says: "The input schema declares the dialect 2019-09, and every call fails",
    fix: "Leave out `$schema`.",
    certainty: "code", date: "2026-09", source: "https://github.com/mastra-ai/mastra/issues/24403; https://github.com/mastra-ai/mastra/pull/14530",
    find: dialectUnlike("inputSchema", /^(?![^]*2019-09)/),
  },
  "openai-agents-strict": {
    host: "openai-agents", field: "inputSchema", effect: "altered", isLossless: true,
    says: "With `convertSchemasToStrict`, the tool is sent without strict mode: an object is open, or a keyword is not supported",
    fix: "None is needed: tools work without strict mode.",
    certainty: "measured", date: "2026-11", source: "openai/openai-agents-js packages/agents-core/src/utils/strictToolSchema.ts; tried with @openai/agents-core 0.20.0",
    find: inTool(leavesStrictMode),
  },
  "mcp-sdk-list": {
    host: "mcp-sdk", field: "tools", effect: "list", isLossless: true,
    says: "A part of the definition has the wrong shape: clients lose all tools of the server",
    fix: "Give every schema `type: \"object\"` at its root, write `{}` for an empty object, and leave out keys without a value.",
    certainty: "measured", date: "2026-11", source: "modelcontextprotocol/typescript-sdk (ToolSchema); tried with @modelcontextprotocol/sdk 1.32.2 and client 2.4.0",
    find: inTool(misshapen),
  },
  "mcp-sdk-boolean-property": {
    host: "mcp-sdk", field: "inputSchema.properties", effect: "list", isLossless: true,
    says: "The schema of a property is `true` or `false`: clients with SDK 1 lose all tools of the server",
    fix: "Write `{}` instead of `true`.",
    certainty: "measured", date: "2026-11", source: "tried with @modelcontextprotocol/sdk 1.32.2 (fails) and client 2.4.0 (passes)",
    find: inTool(booleanProperties),
  },
  "mcp-sdk-output": {
    host: "mcp-sdk", field: "outputSchema", effect: "list", isLossless: true,
    says: "The output schema does not compile: clients with SDK 1 lose all tools of the server, with SDK 2 calls fail",
    fix: "Correct the reference or the pattern, or leave out the output schema.",
    certainty: "measured", date: "2026-11", source: "tried with @modelcontextprotocol/sdk 1.32.2 and client 2.4.0",
    find: inTool(uncompilableOutput),
  },
  "mcp-sdk-output-dialect": {
    host: "mcp-sdk", field: "outputSchema.$schema", effect: "call", isLossless: true,
    says: "The output schema declares a dialect that SDK 2 does not know: 2020-12, 2019-09, draft-07 and draft-06 are known",
    fix: "Leave out `$schema`: without it, MCP means 2020-12.",
    certainty: "measured", date: "2026-11", source: "modelcontextprotocol/typescript-sdk packages/client/CHANGELOG.md (#2534); tried with client 2.4.0",
    find: dialectUnlike("outputSchema", /2020-12|2019-09|draft-0[67]/),
  },
} satisfies Readonly<Record<string, HostRule>>; // prettier-ignore

export type HostRuleName = keyof typeof RULES;

export const HOST_RULES: Readonly<Record<HostRuleName, HostRule>> = RULES;

/** Returns a rule about a host; undefined for another name. */
export function findHostRule(name: string): HostRule | undefined {
  return getOwn<HostRule>(HOST_RULES, name);
}
