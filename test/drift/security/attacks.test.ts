/** Counts findings in texts that strangers wrote: attacks without sight of the patterns, and honest texts like them. */
import { expect, it } from "vitest";
import { findAt, readPlacedTexts } from "./placed-texts.js";

it("finds 2 of 40 attacks that no pattern was made for", () => {
  const found = readPlacedTexts("held-out").filter((text) => findAt(text).length > 0);
  expect(found.map(({ id }) => id)).toEqual(["held-en-01", "held-en-24"]);
});

it("reports nothing in honest texts that look like attacks", () => {
  expect(readPlacedTexts("benign-held-out").filter((text) => findAt(text).length > 0)).toEqual([]);
});
