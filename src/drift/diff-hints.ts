import type { Change } from "../core/change.js";
import { isSameJson, joinPointer, keysOfBoth } from "../core/json-pointer.js";
import {
  findOwn,
  getOwn,
  isEmptyList,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
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
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  where: { readonly server: string; readonly tool: string },
): readonly Change[] {
  const old = objectOf(before);
  const now = objectOf(after);
  if (old === undefined || now === undefined)
    return diffValue("definition-changed", { ...where, path: "/annotations" }, before, after);
  // A change of `readOnlyHint` already covers the hints for writers.
  const isReadOnly = [old, now].some((annotations) => getOwn(annotations, "readOnlyHint") === true);
  const keys = [
    ...new Set<string>([...HINTS.map(({ key }) => key), ...Object.keys(old), ...Object.keys(now)]),
  ];
  return keys.flatMap((key): readonly Change[] => {
    const was = getOwn(old, key);
    const is = getOwn(now, key);
    const place = { ...where, path: joinPointer("/annotations", key) };
    const details = { before: was, after: is };
    const hint = HINTS.find((row) => row.key === key);
    if (hint !== undefined) {
      if (hint.isForWriters && isReadOnly) return [];
      // Any other value than a boolean counts as the default.
      const [meant, means] = [was, is].map((value) => (typeof value === "boolean" ? value : hint.implied));
      const rule = `annotation-${hint.name}-${means === true ? "gained" : "lost"}` as const;
      if (meant !== means) return [makeChange(rule, place, details)];
      if ([was, is].every((value) => typeof (value ?? true) === "boolean")) return [];
    }
    // The title belongs to the name that clients show, see `diffTitles`.
    if (key === "title" || isSameJson(was, is)) return [];
    return [
      makeChange("definition-changed", place, hint === undefined ? { ...details, ...UNDEFINED } : details),
    ];
  });
}

function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  if (value === undefined || isEmptyList(value)) return {};
  return isJsonObject(value) ? value : undefined;
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
  const old = splitMeta(before);
  const now = splitMeta(after);
  return [
    ...diffValue("meta-changed", { ...place, path: "/_meta" }, old.rest, now.rest),
    ...diffResource(old, now, place),
    ...diffUi(old.ui, now.ui, place),
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

function diffResource(old: Meta, now: Meta, place: ToolPlace): readonly Change[] {
  const path = (now.resource ?? old.resource)?.path ?? "";
  const rule = `app-${fateOf(old.resource, now.resource)}` as const;
  return diffValue(rule, { ...place, path }, old.resource?.value, now.resource?.value);
}

/** Compares the permissions of a user interface. Unreadable values are compared as a whole. */
function diffUi(before: JsonValue, after: JsonValue, place: ToolPlace): readonly Change[] {
  if (!isJsonObject(before) || !isJsonObject(after))
    return diffValue("definition-changed", { ...place, path: "/_meta/ui" }, before, after);
  const valuesOf = (key: string): readonly [JsonValue | undefined, JsonValue | undefined] => [
    getOwn(before, key),
    getOwn(after, key),
  ];
  const compare = (rule: RuleName, key: string): readonly Change[] => {
    return diffValue(rule, { ...place, path: joinPointer("/_meta/ui", key) }, ...valuesOf(key));
  };
  const diffGroup = (key: string, diffOne: DiffOne): readonly Change[] => {
    const old = objectOr(getOwn(before, key));
    const now = objectOr(getOwn(after, key));
    if (!isJsonObject(old) || !isJsonObject(now)) return compare("definition-changed", key);
    return keysOfBoth(old, now).flatMap((name) =>
      diffOne(getOwn(old, name), getOwn(now, name), { ...place, path: joinPointer("/_meta/ui", key, name) }),
    );
  };
  const at = { ...place, path: "/_meta/ui/visibility" };
  const others = keysOfBoth(before, after).filter((key) => !JUDGED.includes(key));
  return [
    ...diffGroup("csp", (old, now, origins) =>
      diffList("app-origin", old, now, { place: origins, absent: [] }),
    ),
    ...compare(getOwn(after, "domain") === undefined ? "app-origin-removed" : "app-origin-added", "domain"),
    ...diffGroup("permissions", diffPermission),
    ...diffList("app-visibility", ...valuesOf("visibility"), { place: at, absent: EVERYONE }),
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
  return diffValue(
    fate === "changed" ? "definition-changed" : `app-permission-${fate}`,
    place,
    before,
    after,
  );
};

/** Compares two lists of texts as sets. A list that gains one text and loses another counts as wider. */
function diffList(
  rule: "app-origin" | "app-visibility",
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  { place, absent }: { readonly place: Parameters<DiffOne>[2]; readonly absent: readonly string[] },
): readonly Change[] {
  const old = before ?? absent;
  const now = after ?? absent;
  const details = { before, after };
  if (!isTexts(old) || !isTexts(now))
    return isSameJson(old, now) ? [] : diffValue("definition-changed", place, before, after);
  if (now.some((text) => !old.includes(text))) return [makeChange(`${rule}-added`, place, details)];
  return old.every((text) => now.includes(text)) ? [] : [makeChange(`${rule}-removed`, place, details)];
}

function isTexts(value: JsonValue): value is readonly string[] {
  return isJsonArray(value) && value.every((item) => typeof item === "string");
}
