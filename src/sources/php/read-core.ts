import { existsSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { PhpConfig } from "../../config/config.js";
import { toolNameOf } from "../../core/ability.js";
import { McpCodegenError } from "../../core/errors.js";
import { openCodeCache } from "./code-cache.js";
import { describeOpen, noteAnswers, ownQuestions } from "./describe-dependence.js";
import { explainPluginFailure } from "./explain-plugin-failure.js";
import { CORE_VARIABLES, findCore } from "./find-core.js";
import { findGaps } from "./find-gaps.js";
import type { PhpAnswer } from "./php-answer.js";
import { type PhpLines, type PhpReading, type ReadPhpOptions, registrationsOf } from "./php-reading.js";
import {
  coveredBy,
  findMentionedAbilities,
  findPluginFiles,
  nameRealFiles,
  type NameOf,
  posix,
} from "./plugin-files.js";
import { type CoreSite, withCore } from "./run-core.js";
import { runPlugins } from "./run-plugins.js";
import { settleAnswers } from "./settle-answers.js";
import { findAdapter, findAutoloader, findThemes, themeOf } from "./site-code.js";

const OF_CORE = "wp-includes/";

/**
 * Loads plugins into the core of WordPress without a site, and returns the abilities that they register. Uses the `php` on the
 * PATH.
 *
 * @throws McpCodegenError `PHP_FAILED` when there is no PHP or no core, or the code fails; `CONFIG_INVALID` for paths without a
 *   plugin
 */
export async function readCore(server: string, php: PhpConfig, options: ReadPhpOptions): Promise<PhpReading> {
  const { paths = [], bootstrap, theme, options: site = {}, constants = {} } = php;
  const { dir, locked, lookup, signal } = options;
  const where = `servers.${server}.php`;
  assertThere(`${where}.bootstrap`, dir, bootstrap);
  assertThere(`${where}.theme`, dir, theme);
  const files = await findPluginFiles(dir, paths, where);
  const themes = await findThemes(theme ?? (await themeOf(dir, paths)), dir);
  // A theme loads its files itself.
  const plugins = files.files.filter(
    ({ file }) => !themes.some((folder) => file.startsWith(`${folder}${sep}`)),
  );
  const env = Object.fromEntries(CORE_VARIABLES.map((name) => [name, lookup(name)]));
  const core = await findCore({ server, core: php.core, paths, dir, env });
  const loaded: CoreSite = {
    server,
    core: core.folder,
    plugins,
    beside: await findAdapter(plugins),
    before: [...(await findAutoloader(dir)), ...(bootstrap === undefined ? [] : [resolve(dir, bootstrap)])],
    themes,
    options: site,
    constants,
    codeCache: openCodeCache(env),
    signal,
  };
  const nameReal = await nameRealFiles(dir, paths);
  // The core may be anywhere.
  const inCore = join(core.folder, OF_CORE);
  const nameOf: NameOf = (file) =>
    file.startsWith(inCore) ? posix(relative(core.folder, file)) : nameReal(file);
  const covers = coveredBy(paths.map((path) => posix(relative(dir, resolve(dir, path)))));
  return withCore(loaded, async (run) => {
    const { answer: base, plugins: sound, failures } = await runPlugins(plugins, run, nameOf);
    const lockedNames = new Set((locked ?? []).map(({ definition }) => definition.name));
    const read = (answer: PhpAnswer): PhpReading => ({
      by: `php ${answer.php} in WordPress ${answer.wordpress} (a new ${"MULTISITE" in constants ? "network" : "single site"})`,
      ...registrationsOf(answer, nameOf, ({ ability, file }) => {
        return lockedNames.has(ability.name) || (covers(file) && !file.startsWith(OF_CORE));
      }),
      failures,
      gaps: [],
      covers,
      isWhole: false,
      undecided: new Map(),
      hint: `Set it in servers.${server}.php.options or .constants, load what defines it with .bootstrap, or read a site with .wordpress.`,
      notes: [],
      mentioned: new Set(),
      trace: async () => Promise.resolve(new Map()),
    });
    const openIn = (answer: PhpAnswer): ReadonlySet<string> => {
      // Without a lock, the abilities are those of a new site.
      const reading = read(locked === undefined ? base : answer);
      const tools = options.differing?.(reading);
      const names = [...reading.abilities.map(({ ability }) => ability.name), ...lockedNames];
      return new Set(names.filter((name) => tools?.has(toolNameOf(name)) === true));
    };
    const open = openIn(base);
    const asked = ownQuestions(base, open, { locked: locked ?? [], plugins: sound, nameOf });
    const settled = await settleAnswers({
      base: { ...base, asked },
      open,
      run: (answers) => run({ answers, plugins: sound }),
      openIn,
      locked: new Map((locked ?? []).map(({ definition }) => [definition.name, definition])),
    });
    const { answer } = settled;
    const reading = read(answer);
    const registered = new Set(reading.abilities.map(({ ability }) => ability.name));
    const missing = (locked ?? []).filter(({ definition }) => !registered.has(definition.name));
    return {
      ...reading,
      gaps: await findGaps(sound, {
        dir,
        answer,
        locked: missing.flatMap(({ file }) => file ?? []),
        covers: (file) => covers(file) && !failures.some((failure) => failure.covers(file)),
        nameOf,
      }),
      undecided:
        locked === undefined
          ? new Map()
          : await describeOpen(settled, { locked: lockedNames, roots: files.roots, nameOf }),
      notes: noteAnswers(settled, locked === undefined, nameOf),
      mentioned: await findMentionedAbilities(
        files.roots,
        missing.filter(({ file }) => file === undefined).map(({ definition }) => definition.name),
      ),
      trace: async (names) =>
        withCore(loaded, async (again) => {
          const traced = await again({ answers: settled.answers, plugins: sound, trace: true });
          if (traced.failure !== undefined)
            throw await explainPluginFailure(traced.failure, undefined, nameOf);
          return linesOf(traced, answer, names, nameOf);
        }),
    };
  });
}

function assertThere(where: string, dir: string, path: string | undefined): void {
  if (path === undefined || existsSync(resolve(dir, path))) return;
  throw new McpCodegenError("CONFIG_INVALID", `${where}: ${JSON.stringify(path)} does not exist.`);
}

function linesOf(traced: PhpAnswer, answer: PhpAnswer, names: readonly string[], nameOf: NameOf): PhpLines {
  const printed = new Map(answer.abilities.map(({ name, json }) => [name, json]));
  const same = traced.abilities.filter(
    ({ name, json }) => names.includes(name) && printed.get(name) === json,
  );
  return new Map(
    same.map(({ name, lines }) => [
      name,
      new Map([...lines].map(([pointer, { file, line }]) => [pointer, { file: nameOf(file), line }])),
    ]),
  );
}
