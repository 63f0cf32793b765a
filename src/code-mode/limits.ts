import { formatNumber } from "../core/printable.js";
import { checkOptions, NUMBER } from "../core/check-options.js";
import type { JsonValue } from "../core/json.js";
import { measureDepth } from "../core/limits.js";

/** The limits of a script. An answer that hits one names it. */
export interface CodeLimits {
  /** Milliseconds that a script may take, except while a person is asked. Default: 30,000. */
  readonly timeMs: number;
  /** Milliseconds that the check of a script may take. Default: 5,000. */
  readonly checkMs: number;
  /** Calls of tools. Default: 50. */
  readonly calls: number;
  /** Calls of tools at once; others wait. Default: 8. */
  readonly atOnce: number;
  /** Scripts at once, such as scripts that wait for a person. Default: 8. */
  readonly scripts: number;
  /** Bytes of memory of a script. Default: 32 MiB. */
  readonly memoryBytes: number;
  /** Characters of a script. Default: 32,768. */
  readonly scriptBytes: number;
  /** Characters of the JSON of the arguments of a call, and of its result. Default: 1 MiB. */
  readonly answerBytes: number;
  /** Characters of the JSON of the result of a script. Default: 32,768. */
  readonly resultBytes: number;
  /** Characters of logs; later ones are cut. Default: 4,096. */
  readonly logBytes: number;
  /** Levels of nesting of arguments and results. Default: 100. */
  readonly nesting: number;
}

const DEFAULTS: CodeLimits = {
  timeMs: 30_000,
  checkMs: 5_000,
  calls: 50,
  atOnce: 8,
  scripts: 8,
  nesting: 100,
  memoryBytes: 32 * 2 ** 20,
  scriptBytes: 32_768,
  answerBytes: 2 ** 20,
  resultBytes: 32_768,
  logBytes: 4_096,
};

/** The limits of a person's own scripts, which only end mistakes. */
const OWN: Partial<CodeLimits> = {
  timeMs: 3_600_000,
  checkMs: 60_000,
  calls: 10_000,
  memoryBytes: 256 * 2 ** 20,
  scriptBytes: 2 ** 20,
  answerBytes: 16 * 2 ** 20,
  resultBytes: 16 * 2 ** 20,
  logBytes: 2 ** 20,
};

/** @throws McpCodegenError `USAGE` for an unknown limit */
export function limitsOf(limits: Partial<CodeLimits> = {}, isOwn = false): CodeLimits {
  const rules = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, NUMBER]));
  checkOptions<object>("createCodeTools: limits", limits, rules);
  return { ...DEFAULTS, ...(isOwn && OWN), ...limits };
}

export class LimitHit extends Error {
  readonly limit: string;

  constructor(limit: string, value: number, what: string) {
    super(`${what} (limit ${limit}: ${formatNumber(value)}).`);
    this.limit = limit;
  }
}

export function sizeHit(
  limit: "scriptBytes" | "answerBytes" | "resultBytes",
  limits: CodeLimits,
  what: string,
  length: number,
): LimitHit {
  return new LimitHit(limit, limits[limit], `${what} has ${formatNumber(length)} characters`);
}

/** Parses the JSON that a script made, with limited nesting, since most code that walks a value is recursive. Throws LimitHit. */
export function parseBounded(
  json: string,
  size: "answerBytes" | "resultBytes",
  limits: CodeLimits,
  what: string,
): unknown {
  if (json.length > limits[size]) throw sizeHit(size, limits, what, json.length);
  const value = JSON.parse(json) as JsonValue;
  if (measureDepth(value, limits.nesting) <= limits.nesting) return value;
  throw new LimitHit("nesting", limits.nesting, `${what} is nested too deep`);
}
