import type { Change } from "../contract/change.js";
import type { JsonValue } from "../contract/json.js";
import { findRule } from "./rules.js";

/**
 * What happened and why it matters, for people, in a sentence or two. Where an instance shows it, that is quoted: text
 * that a server sent, cut short, with nothing in it that a terminal would act on or hide.
 */
export function explain(change: Change): string {
  const rule = findRule(change.rule);
  const what = rule === undefined ? `A change of the kind "${change.rule}".` : `${rule.says}: ${rule.why}.`;
  if (change.witness === undefined) return what;
  const isAnswer = change.path.startsWith("/outputSchema");
  const effect = isAnswer ? "may now be answered, was not allowed before" : "was accepted, is now rejected";
  return `${what} ${quote(change.witness)} ${effect}.`;
}

const MAX_QUOTE = 200;

/** What is not seen where it is printed; written as `\u`, it stays JSON. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}`]/gu;

function quote(value: JsonValue): string {
  const json = JSON.stringify(value);
  const head = Array.from(json.slice(0, MAX_QUOTE * 2))
    .slice(0, MAX_QUOTE)
    .join("");
  const shown = head.replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );
  return `\`${shown}${head.length < json.length ? "…" : ""}\``;
}
