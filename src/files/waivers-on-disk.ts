import type { Waiver } from "../core/findings.js";
import { writeAtomic } from "./write-atomic.js";
import { findBounded } from "./read-bounded.js";

/**
 * Returns the waivers at a path; an empty list when the file does not exist.
 *
 * @throws McpCodegenError `WAIVERS_INVALID`, `FILE_FAILED`
 */
export async function readWaivers(path: string): Promise<readonly Waiver[]> {
  const bytes = await findBounded(path);
  if (bytes === undefined) return [];
  const { parseWaivers } = await import("./waivers-text.js");
  return parseWaivers(bytes.toString("utf8"));
}

/**
 * Writes waivers, sorted, and keeps the `$schema` of the file. Throws `FILE_FAILED` and then leaves the old file
 * unchanged.
 */
export async function writeWaivers(path: string, waivers: readonly Waiver[]): Promise<void> {
  const [{ formatWaivers, schemaOf }, bytes] = await Promise.all([
    import("./waivers-text.js"),
    findBounded(path),
  ]);
  await writeAtomic(path, formatWaivers(waivers, bytes && schemaOf(bytes.toString("utf8"))));
}
