import type { Change } from "../core/change.js";
import { isSameJson, joinPointer, keysOfBoth } from "../core/json-pointer.js";
import {
  findOwn,
  getOwn,
  isEmptyList,
  isJsonArray,
  isJsonObject,
  type JsonValue,
  objectOrEmpty,
} from "../core/json.js";
import { diffValue, fateOf, makeChange } from "./unconfirmed-change.js";
import type { RuleName } from "./rules.js";

/**
 * The hints of a tool, their names in rules, and their defaults (MCP specification, `ToolAnnotations`). Some have no meaning
 * for a read-only tool.
 */
const HINTS = [
  { key: "readOnlyHint", name: "readonly", implied: false, isForWriters: false },
  { key: "destructiveHint", name: "destructive", implied: true, isForWriters: true },
  { key: "idempotentHint", name: "idempotent", implied: false, isForWriters: true },
  { key: "openWorldHint", name: "openworld", implied: true, isForWriters: false },
] as const;

/** An unknown annotation is a hint too, so it cannot break a call. */
const UNDEFINED = { class: "dangerous", reason: "MCP does not define this annotation." } as const;

/** Returns the changes in the meaning of annotations: an absent hint equals its default. */
export function diffAnnotations(
  rawBefore: JsonValue | undefined,
  rawAfter: JsonValue | undefined,
  where: { readonly server: string; readonly tool: string },
): readonly Change[] {
  const isMap = [rawBefore, rawAfter].every((raw = {}) => isJsonObject(raw) || isEmptyList(raw));
  // Any other value than an object has no hints.
  const before = objectOrEmpty(rawBefore);
  const after = objectOrEmpty(rawAfter);
  const whole = isMap
    ? []
    : diffValue("definition-changed", { ...where, path: "/annotations" }, rawBefore, rawAfter);
  // A change of `readOnlyHint` already covers the hints for writers.
  const isReadOnly = [before, after].some((annotations) => getOwn(annotations, "readOnlyHint") === true);
  const keys = [
    ...new Set<string>([...HINTS.map(({ key }) => key), ...Object.keys(before), ...Object.keys(after)]),
  ];
  const hints = keys.flatMap((key): readonly Change[] => {
    const values = { before: getOwn(before, key), after: getOwn(after, key) };
    const place = { ...where, path: joinPointer("/annotations", key) };
    const hint = HINTS.find((row) => row.key === key);
    if (hint !== undefined) {
      if (hint.isForWriters && isReadOnly) return [];
      // Any other value than a boolean counts as the default.
      const isOn = (value?: JsonValue): boolean => (typeof value === "boolean" ? value : hint.implied);
      const rule = `annotation-${hint.name}-${isOn(values.after) ? "gained" : "lost"}` as const;
      if (isOn(values.before) !== isOn(values.after)) return [makeChange(rule, place, values)];
      if (Object.values(values).every((value) => typeof (value ?? true) === "boolean")) return [];
    }
    // The title belongs to the name that clients show, see `diffTitles`.
    if (key === "title" || isSameJson(values.before, values.after)) return [];
    return [
      makeChange("definition-changed", place, hint === undefined ? { ...values, ...UNDEFINED } : values),
    ];
  });
  return [...whole, ...hints];
}

interface ToolPlace {
  readonly server: string;
  readonly tool: string;
}

/** The key of the user interface in early versions of MCP Apps, in place of `ui.resourceUri`. */
const OLD_KEY = "ui/resourceUri";
/** Who can call a tool that does not name its callers (MCP Apps 2026-01-26, "Visibility"). */
const EVERYONE = ["model", "app"];
/** The keys of `ui` that have their own rules. */
const JUDGED = ["resourceUri", "csp", "permissions", "domain", "visibility"];
/** The keys of `ui` that only change how it looks. */
const OF_LOOKS = ["prefersBorder"];

/**
 * Returns the changes of a tool's `_meta`: of its user interface and its permissions (MCP Apps 2026-01-26, `_meta.ui`), and
 * of the rest, on which callers do not depend.
 */
export function diffMeta(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  place: ToolPlace,
): readonly Change[] {
  const metaBefore = splitMeta(before);
  const metaAfter = splitMeta(after);
  return [
    ...diffValue("meta-changed", { ...place, path: "/_meta" }, metaBefore.rest, metaAfter.rest),
    ...diffResource(metaBefore, metaAfter, place),
    ...diffUi(metaBefore.ui, metaAfter.ui, place),
  ];
}

interface Meta {
  readonly ui: JsonValue;
  /** The address of the user interface. */
  readonly resource: { readonly value: JsonValue; readonly path: string } | undefined;
  /** Undefined if empty. */
  readonly rest: JsonValue | undefined;
}

function splitMeta(value: JsonValue | undefined): Meta {
  const meta = objectOr(value);
  if (!isJsonObject(meta)) return { ui: {}, resource: undefined, rest: meta };
  const { ui, [OLD_KEY]: early, ...rest } = meta;
  const current = findOwn(ui, "resourceUri");
  return {
    ui: objectOr(ui),
    resource:
      current !== undefined
        ? { value: current, path: "/_meta/ui/resourceUri" }
        : early !== undefined
          ? { value: early, path: joinPointer("/_meta", OLD_KEY) }
          : undefined,
    rest: Object.keys(rest).length === 0 ? undefined : rest,
  };
}

function objectOr(value: JsonValue | undefined): JsonValue {
  return value === undefined || isEmptyList(value) ? {} : value;
}

function diffResource(before: Meta, after: Meta, place: ToolPlace): readonly Change[] {
  const path = (after.resource ?? before.resource)?.path ?? "";
  const rule = `app-${fateOf(before.resource, after.resource)}` as const;
  return diffValue(rule, { ...place, path }, before.resource?.value, after.resource?.value);
}

/** Compares the permissions of a user interface. Unreadable values are compared as a whole. */
function diffUi(before: JsonValue, after: JsonValue, place: ToolPlace): readonly Change[] {
  if (!isJsonObject(before) || !isJsonObject(after))
    return diffValue("definition-changed", { ...place, path: "/_meta/ui" }, before, after);
  const valuesOf = (key: string): readonly [JsonValue | undefined, JsonValue | undefined] => [
    getOwn(before, key),
    getOwn(after, key),
  ];
  const at = (...keys: readonly string[]): Parameters<DiffOne>[2] => ({
    ...place,
    path: joinPointer("/_meta/ui", ...keys),
  });
  const compare = (rule: RuleName, key: string): readonly Change[] =>
    diffValue(rule, at(key), ...valuesOf(key));
  const diffGroup = (key: string, diffOne: DiffOne): readonly Change[] => {
    const [groupBefore, groupAfter] = valuesOf(key).map(objectOr);
    if (!isJsonObject(groupBefore) || !isJsonObject(groupAfter)) return compare("definition-changed", key);
    return keysOfBoth(groupBefore, groupAfter).flatMap((name) =>
      diffOne(getOwn(groupBefore, name), getOwn(groupAfter, name), at(key, name)),
    );
  };
  const others = keysOfBoth(before, after).filter((key) => !JUDGED.includes(key));
  return [
    ...diffGroup("csp", (before, after, origins) =>
      diffList("app-origin", before, after, { place: origins, absent: [] }),
    ),
    ...compare(getOwn(after, "domain") === undefined ? "app-origin-removed" : "app-origin-added", "domain"),
    ...diffGroup("permissions", diffPermission),
    ...diffList("app-visibility", ...valuesOf("visibility"), { place: at("visibility"), absent: EVERYONE }),
    ...others.flatMap((key) => compare(OF_LOOKS.includes(key) ? "meta-changed" : "definition-changed", key)),
  ];
}

type DiffOne = (
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  place: ToolPlace & { readonly path: string },
) => readonly Change[];

const diffPermission: DiffOne = (before, after, place) => {
  const fate = fateOf(before, after);
  const rule = fate === "changed" ? "definition-changed" : (`app-permission-${fate}` as const);
  return diffValue(rule, place, before, after);
};

/** Compares two lists of texts as sets. A list that gains one text and loses another counts as wider. */
function diffList(
  rule: "app-origin" | "app-visibility",
  valueBefore: JsonValue | undefined,
  valueAfter: JsonValue | undefined,
  { place, absent }: { readonly place: Parameters<DiffOne>[2]; readonly absent: readonly string[] },
): readonly Change[] {
  const before = valueBefore ?? absent;
  const after = valueAfter ?? absent;
  const details = { before: valueBefore, after: valueAfter };
  if (!isTexts(before) || !isTexts(after))
    return isSameJson(before, after) ? [] : diffValue("definition-changed", place, valueBefore, valueAfter);
  if (after.some((text) => !before.includes(text))) return [makeChange(`${rule}-added`, place, details)];
  return before.every((text) => after.includes(text)) ? [] : [makeChange(`${rule}-removed`, place, details)];
}

function isTexts(value: JsonValue): value is readonly string[] {
  return isJsonArray(value) && value.every((item) => typeof item === "string");
}
