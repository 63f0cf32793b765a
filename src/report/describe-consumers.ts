import type { Change } from "../contract/change.js";
import type { ConsumerVerdict } from "../contract/consumer-verdict.js";
import { printable } from "../contract/printable.js";
import type { Note } from "./describe-change.js";
import { count } from "./layout.js";

/** How many verdicts are shown for one finding; `--json` has all of them. */
const SHOWN = 20;

/** Whom changes break: "breaks acme-web: reads `price` in 3 places", or "no known consumer reads `legacy_id`". */
export function describeConsumers(changes: readonly Change[]): readonly Note[] {
  const judged = changes.flatMap(({ consumers }) => (consumers === undefined ? [] : [consumers]));
  const hits = judged.flat().filter(({ effect }) => effect !== "none");
  const hit = [...new Map(hits.map((verdict) => [JSON.stringify(verdict), verdict])).values()];
  const rest = hit.length - SHOWN;
  if (hit.length > 0)
    return [
      ...hit.slice(0, SHOWN).map(describeVerdict),
      ...(rest > 0 ? [{ text: `and ${count(rest, "more verdict")}` }] : []),
    ];
  return judged.map((verdicts) => ({ text: describeNone(verdicts) }));
}

function describeVerdict({ consumer, effect, says }: ConsumerVerdict): Note {
  const name = printable(consumer, 80);
  const text = printable(says, 300);
  switch (effect) {
    case "breaks":
      return { text: `breaks ${name}: ${text}` };
    case "may-break":
      return { text: `may break ${name}: ${text}` };
    case "until-pull":
    case "none":
      return { text: `${name} ${text}` };
    default:
      return effect satisfies never;
  }
}

/** Consumers that the change does not affect all say the same, or each has its own reason. */
function describeNone(verdicts: readonly ConsumerVerdict[]): string {
  const [first] = verdicts;
  if (first === undefined) return "no known consumer uses this server";
  const verb = /^does not (read|pass|call) (.*)$/su.exec(first.says);
  const isSame = verdicts.every(({ says }) => says === first.says);
  const [, does, what] = verb ?? [];
  if (isSame && does !== undefined && what !== undefined)
    return `no known consumer ${does === "pass" ? "passes" : `${does}s`} ${printable(what, 200)}`;
  const [shown, more] = [verdicts.slice(0, 3), verdicts.length - 3];
  const each = shown.map(({ consumer, says }) => `${printable(consumer, 80)} ${printable(says, 200)}`);
  return `breaks no known consumer: ${each.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}
