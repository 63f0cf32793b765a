import type { Change } from "../contract/change.js";
import { contrast } from "./contrast.js";
import { describePlace } from "./describe-place.js";
import { describeCallSites } from "./print-impact.js";
import { describePhp } from "./print-php.js";
import { printable } from "./printable.js";
import { describeWaiver } from "./print-waivers.js";

/** What a change is, in words that every format puts together in its own way. All of it is printable, on one line. */
export interface ChangeWords {
  readonly sign: "+" | "-" | "~";
  /** Empty for the tool or the server itself. */
  readonly place: string;
  readonly before?: string;
  readonly after?: string;
  /** What else there is to say, a line each: the reason, the counterexample, the places in the user's code. */
  readonly notes: readonly Note[];
}

/** A line of our own words, at most one quotation first. */
export interface Note {
  readonly quote?: string;
  readonly text: string;
}

/** The words for a change; each value takes about `limit` characters at most. */
export function describeChange(change: Change, limit: number): ChangeWords {
  return {
    sign: signOf(change),
    place: describePlace(change.path),
    ...describeValues(change, limit),
    notes: describeNotes(change, limit * 2),
  };
}

function signOf(change: Change): "+" | "-" | "~" {
  if (change.rule === "tool-added") return "+";
  if (change.rule === "tool-removed") return "-";
  if (change.before === undefined && change.after !== undefined) return "+";
  if (change.before !== undefined && change.after === undefined) return "-";
  return "~";
}

function describeValues(
  { rule, before, after }: Change,
  limit: number,
): Pick<ChangeWords, "before" | "after"> {
  // The whole definition of a tool that came or went says less than its name.
  if (rule === "tool-added" || rule === "tool-removed") return {};
  if (before !== undefined && after !== undefined) {
    const [was, is] = contrast(before, after, limit);
    return { before: was, after: is };
  }
  return {
    ...(before !== undefined && { before: printable(JSON.stringify(before), limit) }),
    ...(after !== undefined && { after: printable(JSON.stringify(after), limit) }),
  };
}

function describeNotes(change: Change, limit: number): readonly Note[] {
  const { reason, confidence, witness, path, waiver } = change;
  // A tool that passes for another server's: which one it is.
  const taken = change.rule === "tool-added" && change.security ? change.after : undefined;
  const isOutput = path.startsWith("/outputSchema");
  return [
    ...(reason === undefined
      ? []
      : [
          {
            ...(taken !== undefined && { quote: printable(JSON.stringify(taken), limit) }),
            text: printable(reason, 400),
          },
        ]),
    ...(waiver === undefined ? [] : [{ text: describeWaiver(waiver) }]),
    ...(confidence === undefined ? [] : [{ text: `${Math.round(confidence * 100)} percent sure` }]),
    ...(witness === undefined
      ? []
      : [
          {
            quote: printable(JSON.stringify(witness), limit),
            text: isOutput ? "was no answer, and now may be one" : "was accepted, is now rejected",
          },
        ]),
    ...describePhp(change),
    ...describeCallSites(change),
  ];
}
