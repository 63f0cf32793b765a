import { type Waiver, WAIVERS_FORMAT, WAIVERS_NAME, type WaiversFile } from "../core/waivers.js";
import { byCodeUnit } from "../core/json.js";
import { NOTHING_OBSERVED, type Observed, OBSERVED_FORMAT, OBSERVED_NAME } from "../core/observed.js";
import { parseFormat } from "./parse-json.js";
import { findBounded } from "./read-files.js";
import { removeFile, writeAtomic } from "./write-atomic.js";

/** Returns the file of waivers at a path; an empty one without a file. Throws `WAIVERS_INVALID`, with the place; `FILE_FAILED`. */
export async function readWaivers(path: string): Promise<WaiversFile> {
  const bytes = await findBounded(path);
  if (bytes === undefined) return { waivers: [] };
  return parseFormat(WAIVERS_FORMAT, bytes.toString("utf8"), WAIVERS_NAME);
}

/** Writes a file of waivers, sorted; removes one that would say nothing. Throws `FILE_FAILED`. */
export async function writeWaivers(path: string, file: WaiversFile): Promise<void> {
  if (file.waivers.length === 0 && file.$schema === undefined) return removeFile(path);
  const keyOf = ({ server, tool = "", path, rule, digests }: Waiver): string =>
    [server, tool, path, rule, digests.before ?? "", digests.after ?? ""].join("\0");
  const waivers = [...file.waivers].sort((a, b) => byCodeUnit(keyOf(a), keyOf(b)));
  await writeAtomic(path, `${WAIVERS_FORMAT.format.print({ ...file, waivers })}\n`);
}

/** Returns the observations at a path; none without a file. Throws `OBSERVED_INVALID`, with the place; `FILE_FAILED`. */
export async function readObserved(path: string): Promise<Observed> {
  const bytes = await findBounded(path);
  return bytes === undefined
    ? NOTHING_OBSERVED
    : parseFormat(OBSERVED_FORMAT, bytes.toString("utf8"), OBSERVED_NAME);
}

/** Writes observations, sorted. Throws `FILE_FAILED` and then leaves the old file unchanged. */
export async function writeObserved(path: string, observed: Observed): Promise<void> {
  await writeAtomic(path, formatObserved(observed));
}

/** Returns the text of a file of observations: sorted, keys in a fixed order, two spaces, a final newline. */
export function formatObserved(observed: Observed): string {
  return `${OBSERVED_FORMAT.format.print(observed)}\n`;
}
