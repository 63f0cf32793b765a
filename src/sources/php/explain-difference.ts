import type { JsonValue } from "../../contract/json.js";
import type { StubDifference } from "./compare-abilities.js";

/** The number of values that are shown for one ability; `--json` has all. */
const SHOWN = 3;
const LENGTH = 80;

/** Returns one sentence about an ability that the stub registers differently from the real WordPress. */
export function explainDifference({
  ability,
  kind,
  file,
  line,
  reason,
  values = [],
}: StubDifference): string {
  const place = file === "" ? "" : ` (${file}${line > 0 ? `:${line}` : ""})`;
  const name = `${JSON.stringify(ability)}${place}`;
  const why = reason === undefined ? "" : ` ${reason.replace(/\.?$/, ".")}`;
  switch (kind) {
    case "missing":
      return `WordPress registers ${name}, but the stub does not.${why}`;
    case "extra":
      return `The stub registers ${name}, but WordPress does not.${why}`;
    case "unknown":
      return `WordPress registers ${name}, but the stub cannot determine it.${why}`;
    case "different": {
      const shown = values.slice(0, SHOWN).map(({ pointer, wordpress, stub }) => {
        return `${pointer === "" ? "the whole value" : pointer} is ${shorten(wordpress)} in WordPress and ${shorten(stub)} in the stub`;
      });
      const rest = values.length - shown.length;
      return `${name} differs: ${shown.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}.`;
    }
    default:
      return kind satisfies never;
  }
}

function shorten(value: JsonValue | undefined): string {
  if (value === undefined) return "not set";
  const text = JSON.stringify(value);
  return text.length > LENGTH ? `${text.slice(0, LENGTH)}…` : text;
}
