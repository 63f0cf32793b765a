import { type Waiver, WAIVERS_NAME } from "../core/waivers.js";
import { anyText, type FileFormat, list, oneOf, optional, record, textLike } from "../core/format.js";
import { byCodeUnit } from "../core/json.js";
import { NOTHING_OBSERVED, type Observed, OBSERVED_FORMAT, OBSERVED_NAME } from "../core/observed.js";
import { parseFormat } from "./parse-json.js";
import { findBounded } from "./read-files.js";
import { writeAtomic } from "./write-atomic.js";

/** The accepted findings of a team. */
interface WaiversFile {
  readonly $schema?: string;
  readonly waivers: readonly Waiver[];
}

const digest = textLike(
  { pattern: "^sha256-[0-9a-f]{64}$" },
  "expected a digest such as sha256-…, from check --json",
  (value) => /^sha256-[\da-f]{64}$/.test(value),
);

export const WAIVERS_FORMAT: FileFormat<WaiversFile> = {
  code: "WAIVERS_INVALID",
  hint: "Correct it; its schema is node_modules/mcp-codegen/docs/schemas/waivers.schema.json.",
  format: record<WaiversFile>({
    $schema: optional(anyText),
    waivers: list(
      record<Waiver>({
        rule: anyText,
        server: anyText,
        tool: optional(anyText),
        path: textLike(
          { pattern: "^(?:/|$)" },
          "expected a JSON Pointer, or nothing",
          (value) => value === "" || value.startsWith("/"),
        ),
        literal: optional(oneOf(true)),
        digests: record<Waiver["digests"]>({ before: optional(digest), after: optional(digest) }),
        reason: textLike({ minLength: 1 }, "expected a reason", (value) => value.trim() !== ""),
        expires: optional(
          textLike({ pattern: "^\\d{4}-\\d\\d-\\d\\d$" }, "expected a date such as 2026-12-31", isDay),
        ),
      }),
    ),
  }),
};

function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** Returns the waivers at a path; none without a file. Throws `WAIVERS_INVALID`, with the place, and `FILE_FAILED`. */
export async function readWaivers(path: string): Promise<readonly Waiver[]> {
  return (await readFile(path)).waivers;
}

/** Writes waivers, sorted, and keeps the `$schema` of the file. Throws `FILE_FAILED`. */
export async function writeWaivers(path: string, waivers: readonly Waiver[]): Promise<void> {
  const keyOf = ({ server, tool = "", path, rule, digests }: Waiver): string =>
    [server, tool, path, rule, digests.before ?? "", digests.after ?? ""].join("\0");
  const sorted = [...waivers].sort((a, b) => byCodeUnit(keyOf(a), keyOf(b)));
  const file = { ...(await readFile(path)), waivers: sorted };
  await writeAtomic(path, `${WAIVERS_FORMAT.format.print(file)}\n`);
}

async function readFile(path: string): Promise<WaiversFile> {
  const bytes = await findBounded(path);
  if (bytes === undefined) return { waivers: [] };
  return parseFormat(WAIVERS_FORMAT, bytes.toString("utf8"), WAIVERS_NAME);
}

/** Returns the observations at a path; none without a file. Throws `OBSERVED_INVALID`, with the place; `FILE_FAILED`. */
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
