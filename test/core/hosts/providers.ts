/** What providers answer to a request with one tool, from their messages as users quote them. Written without the rules. */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.js";

interface SentTool {
  readonly name: string;
  readonly schema: JsonObject;
}

type Judge = (tool: SentTool) => string | undefined;

/** Every object in a schema that is a schema: those below these keywords. */
function eachSchema(schema: JsonValue | undefined): readonly JsonObject[] {
  if (!isJsonObject(schema)) return [];
  const maps = ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"];
  const lists = ["anyOf", "oneOf", "allOf", "prefixItems", "items"];
  const ones = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];
  return [
    schema,
    ...maps.flatMap((key) =>
      isJsonObject(schema[key]) ? Object.values(schema[key]).flatMap(eachSchema) : [],
    ),
    ...lists.flatMap((key) => (isJsonArray(schema[key]) ? schema[key].flatMap(eachSchema) : [])),
    ...ones.flatMap((key) => eachSchema(schema[key])),
  ];
}

const isArray = ({ type }: JsonObject): boolean =>
  type === "array" || (isJsonArray(type) && type.includes("array"));

export const PROVIDERS: Readonly<Record<"openai" | "anthropic" | "gemini-parameters", Judge>> = {
  openai: ({ name, schema }) => {
    // https://github.com/nanbingxyz/5ire/issues/403
    if (name.length > 64) return `Invalid 'tools[0].function.name': string too long.`;
    if (!/^[a-zA-Z0-9_-]+$/.test(name))
      return `Invalid 'tools[0].function.name': string does not match pattern.`;
    // https://github.com/vercel/ai/issues/7005
    if (schema["type"] !== "object")
      return `schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`;
    // https://github.com/langchain-ai/langchainjs/issues/9804
    if (["oneOf", "anyOf", "allOf", "enum", "not"].some((key) => key in schema))
      return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.";
    // https://github.com/openai/openai-agents-python/pull/454
    if (!("properties" in schema)) return "object schema missing properties.";
    for (const inner of eachSchema(schema)) {
      // https://github.com/ogx-ai/ogx/pull/3602
      if (isArray(inner) && !("items" in inner)) return "array schema missing items.";
      // https://github.com/CherryHQ/cherry-studio/issues/4188
      if ("required" in inner && !isJsonArray(inner["required"])) return "None is not of type 'array'.";
      if ("properties" in inner && !isJsonObject(inner["properties"])) return "[] is not of type 'object'.";
      // https://github.com/tombii/better-ccflare/issues/357
      if (typeof inner["pattern"] === "string" && /\(\?<?[=!]/.test(inner["pattern"]))
        return "Invalid JSON schema: regex lookaround is not supported.";
    }
    return undefined;
  },
  anthropic: ({ name, schema }) => {
    // https://github.com/home-assistant/core/issues/147760
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name))
      return "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'";
    if (schema["type"] !== "object") return "tools.0.custom.input_schema.type: Field required";
    // https://github.com/makenotion/notion-mcp-server/issues/341
    if (["oneOf", "allOf", "anyOf"].some((key) => key in schema))
      return "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level";
    // https://github.com/anthropics/claude-code/issues/79418
    const { properties } = schema;
    if (
      isJsonObject(properties) &&
      !Object.keys(properties).every((key) => /^[a-zA-Z0-9_.-]{1,64}$/.test(key))
    )
      return "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'";
    // https://github.com/hyperdxio/hyperdx/pull/2925
    if (eachSchema(schema).some((inner) => isJsonArray(inner["items"])))
      return "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12";
    return undefined;
  },
  "gemini-parameters": ({ name, schema }) => {
    // https://github.com/mixelpixx/KiCAD-MCP-Server/issues/7
    if (!/^[a-zA-Z_][\w.:-]{0,63}$/.test(name))
      return "function_declarations[0].name: Invalid function name. Must start with a letter or an underscore.";
    for (const { required, properties } of eachSchema(schema)) {
      const known = isJsonObject(properties) ? Object.keys(properties) : [];
      // https://github.com/anomalyco/opencode/issues/3140
      if (isJsonArray(required) && required.some((key) => typeof key === "string" && !known.includes(key)))
        return "function_declarations[0].parameters.required[0]: property is not defined";
    }
    return undefined;
  },
};
