import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { PhpConfig } from "../../config/config.js";
import { toolNameOf } from "../../core/ability.js";
import { isEqual } from "../../core/json.js";
import { findCoreSite, OF_CORE } from "./core-site.js";
import { describeElsewhere, describeOpen, noteAnswers, ownQuestions } from "./describe-dependence.js";
import { explainFailure } from "./explain-failure.js";
import { findGaps } from "./missing-code.js";
import type { PhpAnswer, PhpReading, ReadPhpOptions } from "./php-answer.js";
import { coveredBy, findMentionedAbilities } from "./plugin-files.js";
import { runPlugins, withCore } from "./run-core.js";
import { settleAnswers } from "./settle-answers.js";

/**
 * Loads plugins into the core of WordPress without a site, and returns the abilities that they register. Uses the `php` on the
 * PATH.
 *
 * @throws McpCodegenError `PHP_FAILED` when there is no PHP or no core, or the code fails; `CONFIG_INVALID` for paths without a
 *   plugin
 */
export async function readCore(server: string, php: PhpConfig, options: ReadPhpOptions): Promise<PhpReading> {
  const { dir, locked = [] } = options;
  const site = await findCoreSite(server, php, options);
  const { constants, roots } = site;
  const isBelow = coveredBy(roots);
  const lockedNames = new Set(locked.map(({ definition }) => definition.name));
  return withCore(site, async (run) => {
    const first = await runPlugins(site, run, options.answers ?? {});
    const { answer: base, plugins, failures } = first;
    const read = (answer: PhpAnswer): PhpReading => {
      // A plugin may load files from anywhere.
      const loaded = new Set(answer.included);
      const covers = (file: string): boolean => loaded.has(file) || isBelow(file);
      return {
        ...answer,
        by: `php ${answer.php} in WordPress ${answer.wordpress} (a new ${"MULTISITE" in constants ? "network" : "single site"})`,
        abilities: answer.abilities.filter(
          ({ ability, file }) => lockedNames.has(ability.name) || (covers(file) && !file.startsWith(OF_CORE)),
        ),
        failures,
        gaps: [],
        covers,
        isWhole: options.isOnlySource === true,
        undecided: new Map(),
        hint: `Set it in servers.${server}.php.options, .constants or .theme, load what defines it with .bootstrap, or read a site with .wordpress.`,
        notes: [],
        mentioned: new Map(),
        trace: () => Promise.resolve(new Map()),
      };
    };
    const searched = [...roots, ...base.included.filter((file) => !isBelow(file))];
    const mentioned = await findMentionedAbilities(
      dir,
      searched,
      locked.filter(({ file }) => file === undefined).map(({ definition }) => definition.name),
    );
    const differingIn = (answer: PhpAnswer): ReadonlySet<string> =>
      options.differing?.(read(answer)) ?? new Set<string>();
    const differing = differingIn(base);
    // The list of a site names no files, so these may belong to another plugin.
    const ownerless = new Map([...mentioned].filter(([name]) => !differing.has(toolNameOf(name))));
    const isEmpty = options.locked === undefined && read(base).abilities.length === 0;
    const openIn = (answer: PhpAnswer): ReadonlySet<string> => {
      // There is nothing to compare. Any ability, here "", is open until an answer makes the plugins register one.
      if (isEmpty) return new Set(read(answer).abilities.length === 0 ? [""] : []);
      // Without a lock, the abilities are those of a new site.
      const from = options.locked === undefined ? base : answer;
      const tools = differingIn(from);
      const registered = new Set(read(from).abilities.map(({ ability }) => ability.name));
      const isOpen = (name: string): boolean =>
        tools.has(toolNameOf(name)) || (ownerless.has(name) && !registered.has(name));
      return new Set([...registered, ...lockedNames].filter(isOpen));
    };
    const open = openIn(base);
    const settled = await settleAnswers({
      start: first.answers ?? {},
      isFixed:
        isEmpty ||
        (options.isOtherSite !== true && options.answers !== undefined && first.answers !== undefined),
      base: { ...base, asked: ownQuestions(base, open, plugins) },
      open,
      run: (answers) => run({ answers, plugins }),
      openIn,
      locked: new Map(locked.map(({ definition }) => [definition.name, definition])),
      codeOf: (file) => readCode(resolve(dir, file)),
    });
    const reading = read(settled.answer);
    const registered = new Map(reading.abilities.map(({ ability }) => [ability.name, ability]));
    // WordPress never calls what is on an old hook. If its file registers nothing else, the abilities of the file are gone.
    const called = new Set(reading.abilities.map(({ file }) => file));
    const uncalled = new Set(reading.old.map(({ file }) => file).filter((file) => !called.has(file)));
    const perhapsThere = locked.filter(({ file = "" }) => !uncalled.has(file));
    // Other answers load the code of those that are elsewhere.
    const missing = locked.filter(
      ({ definition: { name } }) => !registered.has(name) && !settled.elsewhere.abilities.has(name),
    );
    const isSound = (file: string): boolean =>
      (reading.isWhole || reading.covers(file)) && !failures.some((failure) => failure.covers(file));
    return {
      ...reading,
      gaps: await findGaps(plugins, {
        dir,
        answer: settled.answer,
        locked: missing.flatMap(({ file }) => file ?? []).filter(isSound),
      }),
      undecided: await describeOpen(settled, {
        locked: new Set(perhapsThere.map(({ definition }) => definition.name)),
        mentioned: ownerless,
        roots: searched,
        dir,
      }),
      answers: settled.answers,
      elsewhere: describeElsewhere(settled.elsewhere),
      notes: noteAnswers(settled, options.locked === undefined),
      mentioned,
      trace: (names) =>
        withCore(site, async (again) => {
          const traced = await again({ answers: settled.answers, plugins, trace: names });
          if ("kind" in traced) throw await explainFailure(traced, site);
          const same = traced.abilities.filter(({ ability }) =>
            isEqual(registered.get(ability.name), ability),
          );
          return new Map(same.map(({ ability, lines }) => [ability.name, lines]));
        }),
    };
  });
}

/** Returns the PHP of a file; "" if it cannot be read. */
function readCode(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
