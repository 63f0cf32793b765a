/** Counts the attacks of a stranger that are found, by language, and checks honest texts that use the same words. */
import { describe, expect, it } from "vitest";
import { countFound, findAt, readPlacedTexts } from "./placed-texts.js";

/**
 * The figures of the texts that no pattern was tuned with. A text that is tuned for belongs into `tuned.json`. Raise a
 * figure that has improved; a lower one needs a reason.
 */
const HELD_OUT: Readonly<Record<string, number>> = {
  en: 19, de: 7, fr: 6, es: 5, pt: 6, it: 3, ja: 8, zh: 8, ru: 5,
}; // prettier-ignore

/** Of 120 texts; it was 10 until "hidden copy", "hidden by asterisks" and `.env.example` were excluded. */
const REPORTED = [
  "honest-en-28",
  "honest-fr-09",
  "honest-ja-01",
  "honest-ja-08",
  "honest-zh-04",
  "honest-ru-08",
];

describe("attacks that no pattern was tuned with", () => {
  const figures = countFound(readPlacedTexts("held-out"), "language");

  it("are in nine languages", () => {
    expect(figures.map(({ group }) => group).sort()).toEqual(Object.keys(HELD_OUT).sort());
  });

  it.each(figures)("$group: finds $found of $all", ({ group, found }) => {
    expect(found).toBeGreaterThanOrEqual(HELD_OUT[group] ?? Infinity);
  });
});

it("finds the attacks that the words were tuned with", () => {
  const missed = readPlacedTexts("tuned").filter((text) => findAt(text).length === 0);
  expect(missed.map(({ id }) => id)).toEqual([]);
});

it.each(readPlacedTexts("benign"))("reports nothing in an honest text: $text", (text) => {
  expect(findAt(text)).toEqual([]);
});

it("reports few of the honest texts that a stranger wrote to look like attacks", () => {
  const reported = readPlacedTexts("benign-held-out").filter((text) => findAt(text).length > 0);
  // The first orders the model to leave something out of a reply, as an attack does.
  expect(reported.map(({ id }) => id)).toEqual(REPORTED);
});
