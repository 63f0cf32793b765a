import type { Change } from "../contract/change.js";
import type { Finding } from "./finding.js";

/** The changes of findings, in their order: the step between what a proof says and what is reported. */
export function confirmFindings(findings: readonly Finding[]): readonly Change[] {
  return findings.map(({ change }) => change);
}
