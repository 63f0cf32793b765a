import { NOTHING_OBSERVED, OBSERVED_FORMAT, OBSERVED_NAME, type Observed } from "../core/observed.js";
import { parseFormat } from "./parse-json.js";
import { findBounded } from "./read-bounded.js";
import { writeAtomic } from "./write-atomic.js";

/**
 * Returns the observations at a path; none when the file does not exist.
 *
 * @throws McpCodegenError `OBSERVED_INVALID`, in one line with the place; `FILE_FAILED`
 */
export async function readObserved(path: string): Promise<Observed> {
  const bytes = await findBounded(path);
  return bytes === undefined ? NOTHING_OBSERVED : parseObserved(bytes.toString("utf8"));
}

/** Parses a file of observations. Throws `OBSERVED_INVALID` as {@link readObserved} does. */
export function parseObserved(text: string): Observed {
  return parseFormat(OBSERVED_FORMAT, text, OBSERVED_NAME);
}

/** Writes observations, sorted. Throws `FILE_FAILED` and then leaves the old file unchanged. */
export async function writeObserved(path: string, observed: Observed): Promise<void> {
  await writeAtomic(path, formatObserved(observed));
}

/** Returns the text of a file of observations: sorted, keys in a fixed order, two spaces, a final newline. */
export function formatObserved(observed: Observed): string {
  return `${OBSERVED_FORMAT.format.print(observed)}\n`;
}
