import { McpCodegenError } from "../../core/errors.js";
import type { HarnessAnswer, Missing } from "./harness-answer.js";
import {
  runUntilComplete,
  type CompletedRun,
  type PluginJob,
  type RunPluginsOptions,
  type RunVariant,
} from "./run-job.js";

/**
 * The abilities when conditions on made-up values are inverted, when the database returns rows, or when the site
 * answers otherwise.
 */
export interface Alternative {
  readonly variant: "inverted" | "rows" | "site";
  /** The replaced answers of the site. */
  readonly replaced?: readonly string[] | undefined;
  /** JSON definitions by name; undefined when the plugins fail this way. */
  readonly abilities: ReadonlyMap<string, string> | undefined;
  readonly decisions: HarnessAnswer["decisions"];
}

/** The run of a new site. */
interface Base {
  readonly answer: HarnessAnswer;
  readonly missing: Missing;
}

/** Runs again with other made-up values, and with other answers of the site. */
export async function findAlternatives(
  job: PluginJob,
  base: Base,
  options: RunPluginsOptions,
): Promise<readonly Alternative[]> {
  return [...(await varyValues(job, base, options)), ...(await replaceAnswers(job, base, options))];
}

async function varyValues(
  job: PluginJob,
  { answer, missing }: Base,
  options: RunPluginsOptions,
): Promise<readonly Alternative[]> {
  if (!answer.usesMadeUp) return [];
  const variants: readonly RunVariant[] = [
    { watches: true, inverted: true },
    ...(answer.usesDatabase ? [{ rows: true }] : []),
  ];
  const alternatives: Alternative[] = [];
  for (const variant of variants) {
    const found = await runUntilComplete(job, missing, options, variant).catch(ignorePhpFailure);
    alternatives.push({
      variant: variant.rows === true ? "rows" : "inverted",
      abilities:
        found?.answer === undefined
          ? undefined
          : new Map(found.answer.abilities.map(({ name, json }) => [name, json])),
      decisions: found?.answer?.decisions ?? [],
    });
  }
  return alternatives;
}

/** The number of groups of answers that are replaced together. Each group has one answer if there are not more. */
const MOST_GROUPS = 8;

/** Each run of replaced answers may find more undefined names, since other code runs. */
const MOST_RUNS_OF_GROUP = 4;

/**
 * Runs again with the opposite of what the stub answered about the site: each answer alone, in at most
 * {@link MOST_GROUPS} groups, and all together. Plugins that ask nothing are not run again.
 */
async function replaceAnswers(
  job: PluginJob,
  base: Base,
  options: RunPluginsOptions,
): Promise<readonly Alternative[]> {
  if (base.answer.asked.length === 0 && !base.answer.hasChecks) return [];
  const observed = await runUntilComplete(job, base.missing, options, { watches: true, observed: true });
  const { asked = [], conditions = {} } = observed?.answer ?? {};
  const groups = Array.from({ length: Math.min(asked.length, MOST_GROUPS) }, (_, at) =>
    asked.filter((__, index) => index % MOST_GROUPS === at),
  );
  const alternatives: Alternative[] = [];
  for (const replaced of groups.length > 1 ? [...groups, asked] : groups) {
    const variant = { watches: true, replaced, conditions };
    const found = await runUntilComplete(job, base.missing, options, variant, MOST_RUNS_OF_GROUP).catch(
      ignorePhpFailure,
    );
    // A plugin that ends the process for another site would end it there too.
    if (found?.answer !== undefined)
      alternatives.push(compareSites(base.answer, { ...found, answer: found.answer }, replaced));
  }
  return alternatives;
}

/** Keeps the abilities of a plugin that fails because of a replaced value and not because of a condition. */
function compareSites(
  { abilities }: HarnessAnswer,
  { answer, errors }: CompletedRun & { readonly answer: HarnessAnswer },
  replaced: readonly string[],
): Alternative {
  const failed = new Set(answer.decisions.length === 0 ? errors.map(({ plugin }) => plugin) : []);
  const kept = abilities.filter(({ plugin }) => failed.has(plugin) || failed.has(""));
  return {
    variant: "site",
    replaced,
    abilities: new Map([...answer.abilities, ...kept].map(({ name, json }) => [name, json])),
    decisions: answer.decisions,
  };
}

function ignorePhpFailure(error: unknown): undefined {
  if (error instanceof McpCodegenError && error.code === "PHP_FAILED") return undefined;
  throw error;
}
