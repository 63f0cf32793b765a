import type { PhpConfig } from "../config/config.js";
import { McpCodegenError } from "../contract/errors.js";
import type { Unverified } from "../contract/diagnostic.js";
import type { PhpNotes } from "../sources/php/snapshot-of-php.js";
import type { PhpReading } from "../sources/php/php-reading.js";
import type { JsonValue } from "../contract/json.js";
import type { StubDifference } from "../sources/php/php-reading.js";

interface Compared {
  readonly notes: PhpNotes;
  readonly unverified: readonly Unverified[];
}

/**
 * Adds the comparison of the stub with the real WordPress. Each difference is unverified, since a check with the stub
 * would be unreliable.
 */
export async function addComparison<T extends Compared>(one: T, reading: PhpReading): Promise<T> {
  const { server } = one.notes;
  if (reading.compareWithStub === undefined) return one;
  try {
    const stub = await reading.compareWithStub();
    const hint = `Define what the stub lacks in servers.${server}.php.stubs or servers.${server}.php.bootstrap.`;
    return {
      ...one,
      notes: { ...one.notes, stub },
      unverified: [
        ...one.unverified,
        ...stub.differences.map((difference) => ({
          server,
          rule: "php-stub-differs" as const,
          reason: explainDifference(difference),
          hint,
        })),
      ],
    };
  } catch (error) {
    if (!(error instanceof McpCodegenError) || error.exitCode === 2) throw error;
    const reason = `The plugins fail in the stub of WordPress. ${error.message}`;
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    return { ...one, unverified: [...one.unverified, { server, rule: "php-stub-differs", reason, ...hint }] };
  }
}

/** Throws `USAGE` if no server has a real WordPress. */
export function requireWordPress(
  servers: readonly (readonly [server: string, settings: { readonly php: PhpConfig }])[],
): void {
  if (servers.some(([, { php }]) => php.wordpress !== undefined || php.command !== undefined)) return;
  throw new McpCodegenError("USAGE", "--compare needs a real WordPress, but none is configured.", {
    hint: `Set servers.${servers[0]?.[0] ?? "<name>"}.php.wordpress to its folder, or php.command to WP-CLI.`,
  });
}

/** The number of values that are shown for one ability; `--json` has all. */
const SHOWN = 3;
const LENGTH = 80;

/** Returns one sentence about an ability that the stub registers differently from the real WordPress. */
function explainDifference({ ability, kind, file, line, reason, values = [] }: StubDifference): string {
  const place = file === "" ? "" : ` (${file}${line > 0 ? `:${line}` : ""})`;
  const name = `${JSON.stringify(ability)}${place}`;
  const why = reason === undefined ? "" : ` ${reason.replace(/\.?$/, ".")}`;
  switch (kind) {
    case "missing":
      return `WordPress registers ${name}, but the stub does not.${why}`;
    case "extra":
      return `The stub registers ${name}, but WordPress does not.${why}`;
    case "unknown":
      return `WordPress registers ${name}, but the stub cannot determine it.${why}`;
    case "different": {
      const shown = values.slice(0, SHOWN).map(({ pointer, wordpress, stub }) => {
        return `${pointer === "" ? "the whole value" : pointer} is ${shorten(wordpress)} in WordPress and ${shorten(stub)} in the stub`;
      });
      const rest = values.length - shown.length;
      return `${name} differs: ${shown.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}.`;
    }
    default:
      return kind satisfies never;
  }
}

function shorten(value: JsonValue | undefined): string {
  if (value === undefined) return "not set";
  const text = JSON.stringify(value);
  return text.length > LENGTH ? `${text.slice(0, LENGTH)}…` : text;
}
