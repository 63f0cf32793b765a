/** Counts the attacks of a stranger that are found, and checks honest texts that use the same words. */
import { expect, it } from "vitest";
import { findAt, readPlacedTexts } from "./placed-texts.js";

it("finds 19 of 40 attacks that no pattern was tuned with", () => {
  // Raise the figure when it improves; a lower one needs a reason. A text that is tuned for belongs into `tuned.json`.
  const found = readPlacedTexts("held-out").filter((text) => findAt(text).length > 0);
  expect(found).toHaveLength(19);
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
  // It orders the model to leave something out of a reply, as an attack does.
  expect(reported.map(({ id }) => id)).toEqual(["honest-en-28"]);
});
