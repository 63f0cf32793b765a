import { isWrapped, toolNameOf, type AbilitySnapshot, type AdapterProfile } from "../contract/ability.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import type { ToolSnapshot } from "../contract/snapshot.js";
import { projectAnnotations } from "./project-annotations.js";
import { isEmptyArray } from "./read-ability.js";

/** The tool of an ability, or the reason why it does not become one. */
export type Projection = { readonly tool: ToolSnapshot } | { readonly reason: string };

/**
 * Returns the tool that a version of the WordPress MCP adapter serves for an ability, key for key. The rules
 * were measured, 0.4 on 0.4.1 and 0.5 on 0.5.0, and compared with `RegisterAbilityAsMcpTool` of the adapter;
 * 0.6 has the rules of 0.5. The adapter shortens names over 128
 * characters; this function does not.
 */
export function projectAbility(ability: AbilitySnapshot, profile: AdapterProfile): Projection {
  const fault = RULES[profile].findFault(ability);
  if (fault !== undefined) return { reason: fault };
  const { showsTitle, project, textOf, moreOf } = RULES[profile];
  const label = textOf(ability, "label");
  const { title: ownTitle, ...hints } = projectAnnotations(ability, profile);
  const hasAnnotations = ownTitle !== undefined || Object.keys(hints).length > 0;
  const shownTitle = ownTitle ?? label;
  const title = shownTitle === undefined ? {} : { title: shownTitle };
  const output = schemaOf(ability, "output_schema");
  return {
    tool: {
      name: toolNameOf(ability.name),
      ...(showsTitle && label !== undefined && { title: label }),
      description: textOf(ability, "description") ?? "",
      ...(!showsTitle && { type: "action" }),
      inputSchema: project(schemaOf(ability, "input_schema") ?? NO_SCHEMA[profile], "input"),
      ...(output !== undefined && { outputSchema: project(output, "result") }),
      ...(hasAnnotations && {
        annotations: showsTitle ? { ...title, ...hints } : { ...hints, ...title },
      }),
      ...moreOf(ability),
    },
  };
}

interface Rules {
  /** Whether the label is the title of the tool. Older versions put it only into the annotations. */
  readonly showsTitle: boolean;
  readonly project: (schema: JsonObject, wrapper: "input" | "result") => JsonObject;
  readonly findFault: (ability: AbilitySnapshot) => string | undefined;
  readonly textOf: (ability: AbilitySnapshot, key: string) => string | undefined;
  /** Further members of the tool. */
  readonly moreOf: (ability: AbilitySnapshot) => JsonObject;
}

const KEEPING: Rules = {
  showsTitle: false,
  project: (schema, wrapper) => (isWrapped(schema) ? wrap(schema, wrapper) : schema),
  findFault: () => undefined,
  textOf: rawTextOf,
  moreOf: () => ({}),
};

const STRICT: Rules = {
  showsTitle: true,
  project(schema, wrapper) {
    const { properties, ...rest } = schema;
    const isBare = properties === undefined || isEmptyArray(properties);
    if (isWrapped(schema)) return wrap(isBare ? rest : schema, wrapper);
    const required = getOwn(schema, "required");
    return {
      type: "object",
      ...(!isBare && { properties: asSchemas(properties) }),
      ...(required !== undefined && { required: asList(required) }),
    };
  },
  findFault(ability) {
    const keys = ["input_schema", "output_schema"] as const;
    const bad = keys.find((key) => {
      const schema = schemaOf(ability, key);
      return schema !== undefined && !isWrapped(schema) && typeof getOwn(schema, "required") === "boolean";
    });
    return bad && `"required" of its ${bad} is a boolean, not a list of names`;
  },
  textOf: (ability, key) => rawTextOf(ability, key)?.trim() || undefined,
  moreOf: iconsAndMetaOf,
};

const RULES: { readonly [P in AdapterProfile]: Rules } = { "0.4": KEEPING, "0.5": STRICT, "0.6": STRICT };

/** The input schema of an ability that has none. */
const NO_SCHEMA: { readonly [P in AdapterProfile]: JsonObject } = {
  "0.4": { type: "object", additionalProperties: false },
  "0.5": { type: "object" },
  "0.6": { type: "object" },
};

function wrap(schema: JsonObject, wrapper: string): JsonObject {
  return { type: "object", properties: { [wrapper]: schema }, required: [wrapper] };
}

/** Returns properties as schemas: PHP prints an empty schema as a list. */
function asSchemas(properties: JsonValue): JsonValue {
  if (!isJsonObject(properties)) return properties;
  const entries = Object.entries(properties).map(
    ([key, schema]) => [key, Array.isArray(schema) && schema.length === 0 ? {} : schema] as const,
  );
  return Object.fromEntries(entries);
}

/** Returns a list: PHP prints a list with gaps, such as a filtered one, as an object. */
function asList(required: JsonValue): JsonValue {
  return isJsonObject(required) ? Object.values(required) : required;
}

function schemaOf(ability: AbilitySnapshot, key: string): JsonObject | undefined {
  const schema = getOwn(ability, key);
  return isJsonObject(schema) && Object.keys(schema).length > 0 ? schema : undefined;
}

/** Returns `meta.mcp.icons` and `meta.mcp._meta`, without values that the adapter drops. */
function iconsAndMetaOf(ability: AbilitySnapshot): JsonObject {
  const meta = getOwn(ability, "meta");
  const mcp = isJsonObject(meta) ? getOwn(meta, "mcp") : undefined;
  if (!isJsonObject(mcp)) return {};
  const [given, _meta] = [getOwn(mcp, "icons"), getOwn(mcp, "_meta")];
  const icons = Array.isArray(given) ? given.filter(isIcon) : [];
  return {
    ...(icons.length > 0 && { icons }),
    ...(isJsonObject(_meta) && Object.keys(_meta).length > 0 && { _meta }),
  };
}

function isIcon(value: JsonValue): boolean {
  const source = isJsonObject(value) ? getOwn(value, "src") : undefined;
  return typeof source === "string" && /^(?:https?:|data:)/i.test(source);
}

function rawTextOf(ability: AbilitySnapshot, key: string): string | undefined {
  const text = getOwn(ability, key);
  return typeof text === "string" && text !== "" ? text : undefined;
}
