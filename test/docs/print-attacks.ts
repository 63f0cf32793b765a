import { countFound, readPlacedTexts } from "../drift/security/placed-texts.js";

/** The table of `docs/drift.md` with the attacks that are found, by language. */
export function printAttacks(): string {
  const names = new Intl.DisplayNames(["en"], { type: "language" });
  const texts = readPlacedTexts("held-out");
  const rows = countFound(texts, "language").map(
    ({ group, found, all }) => `| ${names.of(group) ?? group} | ${found} of ${all} |`,
  );
  const kinds = countFound(texts, "kind").map(({ group, found, all }) => `${group} ${found} of ${all}`);
  return ["| language | attacks found |", "| --- | --- |", ...rows, "", `By kind: ${kinds.join(", ")}.`].join(
    "\n",
  );
}
