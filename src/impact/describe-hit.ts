import type { Change } from "../contract/change.js";
import type { JsonValue } from "../contract/json.js";
import { namesOf, placeOf } from "./change-place.js";
import type { Spot } from "./describe-spot.js";

/** Longer values and messages are cut. */
const LONGEST = 120;

/** Describes what a change means for code that no longer compiles. */
export function describeMismatch(spot: Spot, change: Change, message: string): string {
  const place = placeOf(change);
  if (place === undefined) {
    const name = spot.names.at(-1);
    return name === undefined || !/^tool-(?:removed|renamed)$/.test(change.rule)
      ? `no longer compiles: ${cut(message)}`
      : `${spot.does === "imports" || spot.does === "calls" ? spot.does : "uses"} \`${name}\`, ${whatBecame(change)}`;
  }
  const name = namesOf(place).at(-1);
  if (spot.does === "imports") return `imports \`${spot.names.at(-1) ?? ""}\`, removed`;
  const touched = spot.names.at(-1);
  if (change.rule === "output-schema-removed" && touched !== undefined)
    return `reads \`${touched}\`, no longer declared`;
  if (name === undefined) return `no longer compiles: ${cut(message)}`;
  if (/-(?:required-property-added|property-became-required)$/.test(change.rule) && place.side === "input")
    return `does not pass \`${name}\`, now required`;
  if (touched === name && spot.does !== "uses") return `${spot.does} \`${name}\`, ${whatBecame(change)}`;
  return `no longer compiles (\`${name}\`, ${whatBecame(change)}): ${cut(message)}`;
}

/** Describes a passed value that is no longer accepted. */
export function describeRejected(name: string | undefined, change: Change, value?: JsonValue): string {
  const what = name === undefined ? "an input" : `\`${name}\``;
  if (/-property-(?:removed|renamed)$/.test(change.rule)) return `passes ${what}, ${whatBecame(change)}`;
  return value === undefined
    ? `passes ${what}, which may now be rejected`
    : `passes ${what}: ${cut(JSON.stringify(value))}, now rejected`;
}

/** Describes passed properties that a closed input does not declare. */
export function describeExtra(names: readonly string[]): string {
  const [first, ...others] = [...new Set(names)].map((name) => `\`${cut(name)}\``);
  const rest =
    others.length === 0
      ? ""
      : others.length === 1
        ? ` and ${others[0] ?? ""}`
        : ` and ${others.length} others`;
  return `passes ${first ?? ""}${rest}, which the input schema does not declare`;
}

/** Describes a call of a removed tool. */
export function describeGone(wrapper: string, change: Change): string {
  return `calls \`${wrapper}\`, ${whatBecame(change)}`;
}

/** What happened to the changed thing, for use after its name. */
function whatBecame({ rule, after }: Change): string {
  if (rule.endsWith("-renamed"))
    return typeof after === "string" ? `renamed to \`${cut(after)}\`` : "renamed";
  if (
    rule.endsWith("-removed") &&
    !/-(?:value|null|format|pattern|of|items|default|description)-removed$/.test(rule)
  )
    return "removed";
  if (rule.endsWith("-null-added")) return "which may now be null";
  if (rule.endsWith("-became-optional")) return "which may now be absent";
  if (rule === "input-enum-value-removed") return "which lost an allowed value";
  if (rule === "output-enum-value-added") return "which may now have other values";
  return /-(?:type|null|const|enum)-/.test(rule) ? "whose type changed" : "which changed";
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}…`;
}
