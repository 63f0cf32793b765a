import { McpCodegenError } from "../contract/errors.js";
import { WAIVERS_NAME, type Waiver } from "../contract/waivers.js";
import { reasonOf, writeAtomic } from "./write-atomic.js";
import { readBounded } from "./read-bounded.js";

/**
 * Returns the waivers at a path; an empty list when the file does not exist.
 *
 * @throws McpCodegenError `WAIVERS_INVALID`, `FILE_FAILED`
 */
export async function readWaivers(path: string): Promise<readonly Waiver[]> {
  let text: string;
  try {
    text = (await readBounded(path)).toString("utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return [];
    if (cause instanceof McpCodegenError) throw cause;
    throw new McpCodegenError("FILE_FAILED", `"${WAIVERS_NAME}" cannot be read: ${reasonOf(cause)}.`, {
      cause,
    });
  }
  const { parseWaivers } = await import("./waivers-text.js");
  return parseWaivers(text);
}

/** Writes waivers, sorted. Throws `FILE_FAILED` and then leaves the old file unchanged. */
export async function writeWaivers(path: string, waivers: readonly Waiver[]): Promise<void> {
  const { formatWaivers } = await import("./waivers-text.js");
  await writeAtomic(path, formatWaivers(waivers));
}
