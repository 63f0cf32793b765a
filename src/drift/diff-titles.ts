import type { Change } from "../core/change.js";
import { foldSpace } from "../core/json-pointer.js";
import { findOwn, type JsonValue } from "../core/json.js";
import type { ToolSnapshot } from "../core/snapshot.js";
import { makeChange } from "./unconfirmed-change.js";

/** The places of a title, in the order in which clients look for the name to show (MCP specification, `BaseMetadata`). */
const PLACES = ["/title", "/annotations/title"] as const;

interface Title {
  readonly value: JsonValue | undefined;
  /** Empty if there is no title. */
  readonly text: string;
}

/**
 * Returns the change of the name that clients show: the title, else the title among the annotations, else the name of the
 * tool. A title that repeats the shown name says nothing new; one that clients do not show is safe.
 */
export function diffTitles(server: string, before: ToolSnapshot, after: ToolSnapshot): readonly Change[] {
  const titlesBefore = titlesOf(before);
  const titlesAfter = titlesOf(after);
  const titleBefore = titlesBefore.find(hasText);
  const titleAfter = titlesAfter.find(hasText);
  const shownBefore = titleBefore?.text ?? foldSpace(before.name);
  const shownAfter = titleAfter?.text ?? foldSpace(after.name);
  // Without titles, a new name is a rename.
  if (titleBefore === undefined && titleAfter === undefined) return [];
  const titles = titleAfter === undefined ? titlesBefore : titlesAfter;
  const changedAt = shownBefore === shownAfter ? -1 : titles.findIndex(hasText);
  return PLACES.flatMap((path, index) => {
    const place = { server, tool: after.name, path };
    const from = titlesBefore[index];
    const to = titlesAfter[index];
    if (index === changedAt) {
      // SDKs that begin to write a title repeat it for older clients.
      const isFirst = titleBefore === undefined && titlesAfter.every(({ text }) => text === shownAfter);
      const first = isFirst ? { class: "safe" as const, reason: FIRST_TITLE } : {};
      const details = { before: titleBefore?.value, after: titleAfter?.value, ...first };
      return [makeChange("tool-title-changed", place, details)];
    }
    const isCopy = ["", shownBefore].includes(from?.text ?? "") && ["", shownAfter].includes(to?.text ?? "");
    if (from?.text === to?.text || isCopy) return [];
    const details = { before: from?.value, after: to?.value };
    const reason = "Clients show another title.";
    return [makeChange("tool-title-changed", place, { ...details, class: "safe", reason })];
  });
}

const FIRST_TITLE = "The tool had no title, and has the same one at both places.";

function titlesOf(tool: ToolSnapshot): readonly Title[] {
  return [findOwn(tool, "title"), findOwn(findOwn(tool, "annotations"), "title")].map((value) => {
    const text = foldSpace(value);
    return { value, text: typeof text === "string" ? text : JSON.stringify(text) };
  });
}

function hasText({ text }: Title): boolean {
  return text !== "";
}
