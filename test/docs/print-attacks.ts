import { countFound, readPlacedTexts } from "../drift/security/placed-texts.js";

/** The table of `docs/drift.md` with the attacks that are found, by kind. */
export function printAttacks(): string {
  const rows = countFound(readPlacedTexts("held-out")).map(
    ({ group, found, all }) => `| ${group} | ${found} of ${all} |`,
  );
  return ["| kind | attacks found |", "| --- | --- |", ...rows].join("\n");
}
