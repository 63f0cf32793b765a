import type { LoadedConfig } from "../config/load-config.js";
import type { Change } from "../contract/change.js";
import { McpCodegenError } from "../contract/errors.js";
import { WAIVERS_NAME, type Waiver } from "../contract/waivers.js";
import { count } from "../report/count.js";
import { printable } from "../contract/printable.js";
import { hasWords } from "./accept.js";
import { today, type Context } from "./context.js";
import type { CommandOptions } from "./options.js";

/** What `check` waives: the findings of a rule, in one tool if it is named. */
export interface WaiveRequest {
  readonly rule: string;
  readonly tool?: string;
  readonly reason: string;
  readonly expires: string;
}

/**
 * Reads `--waive`, `--until` and `--reason`. Undefined when none is given.
 *
 * @throws McpCodegenError `USAGE` when one is missing or wrong
 */
export async function readWaiveRequest(options: CommandOptions<"check">): Promise<WaiveRequest | undefined> {
  const { waive = [], until, reason } = options;
  const [rule, tool, ...others] = waive;
  if (rule === undefined) {
    if (until === undefined && reason === undefined) return undefined;
    throw usage("--until and --reason belong to --waive.", "Add --waive <rule> [tool].");
  }
  const { ALL_RULES } = await import("../drift/rules.js");
  if (!ALL_RULES.has(rule))
    throw usage(`--waive: there is no rule "${rule}".`, 'Run "npx mcp-codegen rules" to list the rules.');
  if (others.length > 0)
    throw usage("--waive takes one rule and at most one tool.", "Write the names of servers before --waive.");
  if (until === undefined || !isDay(until))
    throw usage("--waive needs --until with a day.", "For example: --until 2027-06-30.");
  if (until < today()) throw usage(`--until ${until} is over.`, `Today is ${today()}.`);
  if (reason === undefined || !hasWords(reason))
    throw usage("--waive needs a --reason.", `It is kept in ${WAIVERS_NAME}.`);
  return { rule, reason, expires: until, ...(tool !== undefined && { tool }) };
}

/**
 * Writes a waiver for each finding that the request names, and returns the changes with these marked.
 *
 * @throws McpCodegenError `USAGE` when there is no such finding
 */
export async function waiveChanges(
  context: Context,
  loaded: LoadedConfig,
  changes: readonly Change[],
  { rule, tool, reason, expires }: WaiveRequest,
): Promise<readonly Change[]> {
  const isMeant = (change: Change): boolean =>
    change.rule === rule && change.waiver === undefined && (tool === undefined || change.tool === tool);
  const found = changes.filter(isMeant);
  if (found.length === 0) {
    const where = tool === undefined ? "" : ` in tool "${tool}"`;
    const hint = `Findings of this check: ${listRules(changes)}. To waive what a branch changes, add --against <git-ref>.`;
    throw usage(`--waive: there is no open finding of "${rule}"${where}.`, hint);
  }
  const [{ placesOf }, { readWaivers, writeWaivers }, { waiverFor }, { replaceWaivers }] = await Promise.all([
    import("../pipeline.js"),
    import("../files/waivers-on-disk.js"),
    import("../drift/apply-waivers.js"),
    import("../contract/waivers.js"),
  ]);
  const path = placesOf(loaded).waivers;
  const added = found.map((change): Waiver => ({ ...waiverFor(change, reason), expires }));
  await writeWaivers(path, replaceWaivers(await readWaivers(path), added));
  context.say([
    `${WAIVERS_NAME}: ${count(added.length, "waiver")} written, until ${expires}.`,
    ...added.map(
      (waiver) => `  ${waiver.rule} ${printable([waiver.server, waiver.tool, waiver.path].join(" "), 200)}`,
    ),
  ]);
  return changes.map((change) => (isMeant(change) ? { ...change, waiver: { reason, expires } } : change));
}

function listRules(changes: readonly Change[]): string {
  const rules = new Set(changes.filter(({ waiver }) => waiver === undefined).map(({ rule }) => rule));
  return rules.size === 0 ? "none" : [...rules].join(", ");
}

/** Engines read February 30 as a day in March, so the text has to be what the date prints. */
function isDay(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

function usage(message: string, hint: string): McpCodegenError {
  return new McpCodegenError("USAGE", message, { hint });
}
