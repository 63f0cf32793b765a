/** A word that may stand at the cursor, and what it means, on one line. */
export interface Candidate {
  readonly value: string;
  readonly about?: string;
}
