import {
  toolNameOf,
  type AdapterProfile,
  type LockedAbility,
  isWrapped,
  type AbilitySnapshot,
  ADAPTER_PROFILES,
} from "../../../core/ability.js";
import type { Diagnostic } from "../../../core/diagnostic.js";
import {
  byCodeUnit,
  findText,
  getOwn,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  findOwn,
} from "../../../core/json.js";
import { isSameJson } from "../../../core/json-pointer.js";
import type { ToolSnapshot } from "../../../core/snapshot.js";
import { type ValidatedTools, validateTools } from "../validate-tools.js";
import { isLockable, type FoundAbility, isEmptyArray, isTruthyInPhp } from "./read-abilities.js";

/** The tools of abilities. A call names the ability, so none is repeated. */
export interface ProjectedAbilities extends ValidatedTools {
  readonly abilities: { readonly [tool: string]: LockedAbility };
}

/** Returns the tools of abilities, and diagnostics for abilities that do not become tools. */
export function projectAbilities(
  server: string,
  siteAbilities: readonly FoundAbility[],
  profile: AdapterProfile,
): ProjectedAbilities {
  const sorted = [...siteAbilities].sort((a, b) => byCodeUnit(a.ability.name, b.ability.name));
  const tools: ToolSnapshot[] = [];
  const abilities = new Map<string, LockedAbility>();
  const faults = new Map<string, string>();
  const omitted: Diagnostic[] = [];
  for (const entry of sorted) {
    const { ability, fault, file } = entry;
    const projection = isLockable(entry)
      ? projectAbility(ability, profile)
      : { reason: "it is nested too deeply to be locked" };
    const name = toolNameOf(ability.name);
    if ("reason" in projection) {
      const message = `The ability does not become a tool: ${projection.reason}.`;
      omitted.push({ code: "TOOL_UNUSABLE", server, tool: name, path: "", message });
      continue;
    }
    tools.push(projection.tool);
    // Two abilities may become one tool. The first is kept, as `validateTools` keeps the first tool.
    if (abilities.has(name)) continue;
    abilities.set(name, { ...(file !== undefined && { file }), definition: ability });
    if (fault !== undefined) faults.set(name, fault);
  }
  const validated = validateTools(server, [{ entries: tools }]);
  const lost = [...faults].filter(([name]) => !Object.hasOwn(validated.unusable, name));
  return {
    tools: validated.tools,
    repeated: [],
    abilities: Object.fromEntries(abilities),
    unusable: { ...validated.unusable, ...Object.fromEntries(lost) },
    diagnostics: [
      ...validated.diagnostics,
      ...omitted,
      ...lost.map(([tool, message]) => ({ code: "TOOL_UNUSABLE" as const, server, tool, path: "", message })),
    ],
  };
}

type Projection = { readonly tool: ToolSnapshot } | { readonly reason: string };

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

interface AbilityRules {
  /** Whether the label is the title of the tool. Older versions put it only into the annotations. */
  readonly showsTitle: boolean;
  readonly project: (schema: JsonObject, wrapper: "input" | "result") => JsonObject;
  readonly findFault: (ability: AbilitySnapshot) => string | undefined;
  readonly textOf: (ability: AbilitySnapshot, key: string) => string | undefined;
  /** Further members of the tool. */
  readonly moreOf: (ability: AbilitySnapshot) => JsonObject;
}

const KEEPING: AbilityRules = {
  showsTitle: false,
  project: (schema, wrapper) => (isWrapped(schema) ? wrap(schema, wrapper) : schema),
  findFault: () => undefined,
  textOf: rawTextOf,
  moreOf: () => ({}),
};

const STRICT: AbilityRules = {
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

const RULES: { readonly [P in AdapterProfile]: AbilityRules } = {
  "0.4": KEEPING,
  "0.5": STRICT,
  "0.6": STRICT,
};

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
  const mcp = findOwn(getOwn(ability, "meta"), "mcp");
  if (!isJsonObject(mcp)) return {};
  const rawIcons = getOwn(mcp, "icons");
  const _meta = getOwn(mcp, "_meta");
  const icons = Array.isArray(rawIcons) ? rawIcons.filter(isIcon) : [];
  return {
    ...(icons.length > 0 && { icons }),
    ...(isJsonObject(_meta) && Object.keys(_meta).length > 0 && { _meta }),
  };
}

function isIcon(value: JsonValue): boolean {
  return /^(?:https?:|data:)/i.test(findText(value, "src") ?? "");
}

function rawTextOf(ability: AbilitySnapshot, key: string): string | undefined {
  return findText(ability, key) || undefined;
}

/**
 * Returns the annotations that an adapter puts on the tool of an ability, without those that it would drop. The
 * rules are those of `McpAnnotationMapper::map()` of the adapter.
 */
function projectAnnotations(ability: AbilitySnapshot, profile: AdapterProfile): JsonObject {
  const hints = findOwn(getOwn(ability, "meta"), "annotations");
  if (!isJsonObject(hints)) return {};
  const fields = profile === "0.4" ? [...OF_RESOURCES, ...OF_TOOLS] : OF_TOOLS;
  const annotations = fields.flatMap(({ name, property, kind }) => {
    const hint = property === undefined ? undefined : getOwn(hints, property);
    const value = convert(kind, hint ?? getOwn(hints, name) ?? null, profile);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(annotations);
}

interface AbilityField {
  readonly name: string;
  /** WordPress's name for it, which counts if both are set. */
  readonly property?: string;
  readonly kind: "boolean" | "text" | "list" | "number";
}

const OF_TOOLS: readonly AbilityField[] = [
  { name: "readOnlyHint", property: "readonly", kind: "boolean" },
  { name: "destructiveHint", property: "destructive", kind: "boolean" },
  { name: "idempotentHint", property: "idempotent", kind: "boolean" },
  { name: "openWorldHint", kind: "boolean" },
  { name: "title", kind: "text" },
];

/** Annotations of resources, which 0.4 puts on tools as well. */
const OF_RESOURCES: readonly AbilityField[] = [
  { name: "audience", kind: "list" },
  { name: "lastModified", kind: "text" },
  { name: "priority", kind: "number" },
];

function convert(
  kind: AbilityField["kind"],
  value: JsonValue,
  profile: AdapterProfile,
): JsonValue | undefined {
  if (value === null) return undefined;
  const text = typeof value === "object" ? "" : String(value).trim();
  switch (kind) {
    case "boolean":
      return profile === "0.4" ? isTruthyInPhp(value) : BOOLEANS.get(text.toLowerCase());
    case "text":
      return text === "" ? undefined : text;
    case "list":
      return typeof value === "object" && !isEmptyArray(value) ? value : undefined;
    case "number":
      return typeof value === "number" ? value : undefined;
    default:
      return kind satisfies never;
  }
}

/** The values that adapters since 0.5 read as booleans. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/**
 * Returns the profile whose projections equal most tools; the earliest when several do. Without known
 * abilities, a `type` on every tool means an older adapter.
 */
export function findProfile(
  tools: readonly ToolSnapshot[],
  abilities: ReadonlyMap<string, AbilitySnapshot>,
): AdapterProfile {
  const fits = ADAPTER_PROFILES.map((profile) => ({ profile, fit: countEqual(tools, abilities, profile) }));
  const best = Math.max(...fits.map(({ fit }) => fit));
  if (best > 0) return fits.find(({ fit }) => fit === best)?.profile ?? "0.5";
  return isOfOldAdapter(tools) ? "0.4" : "0.5";
}

/** Whether an adapter 0.4 lists these tools: it gives every tool a `type`, which is not in the specification. */
export function isOfOldAdapter(tools: readonly ToolSnapshot[]): boolean {
  return tools.length > 0 && tools.every((tool) => tool["type"] === "action");
}

function countEqual(
  tools: readonly ToolSnapshot[],
  abilities: ReadonlyMap<string, AbilitySnapshot>,
  profile: AdapterProfile,
): number {
  return tools.filter((tool) => {
    const ability = abilities.get(tool.name);
    const projection = ability && projectAbility(ability, profile);
    return projection !== undefined && "tool" in projection && isSameJson(projection.tool, tool);
  }).length;
}
