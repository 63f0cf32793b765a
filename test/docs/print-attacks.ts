import { INJECTION_PATTERNS } from "../../src/drift/security/injection-patterns.js";
import { findAt, readPlacedTexts } from "../drift/security/placed-texts.js";

/** The tables of `docs/drift.md`: the patterns, and how many texts of strangers they report. */
export function printAttacks(): string {
  const patterns = INJECTION_PATTERNS.map(
    ({ rule, catches, published }) => `| \`${rule}\` | ${catches} | ${published} |`,
  );
  const count = (name: Parameters<typeof readPlacedTexts>[0]): string => {
    const texts = readPlacedTexts(name);
    return `${texts.filter((text) => findAt(text).length > 0).length} of ${texts.length}`;
  };
  return [
    "| rule | pattern | published by |",
    "| --- | --- | --- |",
    ...patterns,
    "",
    "| texts of strangers | reported |",
    "| --- | --- |",
    `| attacks (recall) | ${count("held-out")} |`,
    `| honest texts that look like attacks | ${count("benign-held-out")} |`,
  ].join("\n");
}
