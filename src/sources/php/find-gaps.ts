import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { AUTOLOADER, hintOfComposer } from "./explain-plugin-failure.js";
import type { PhpAnswer } from "./php-answer.js";
import type { PhpFailure } from "./php-reading.js";
import {
  DEPENDENCIES,
  filesOfPlugin,
  type MainFile,
  type NameOf,
  readPhpFiles,
  REGISTERS,
} from "./plugin-files.js";

interface GapOptions {
  readonly dir: string;
  readonly answer: PhpAnswer;
  /** The files of locked abilities that are not registered. */
  readonly locked: readonly string[];
  readonly covers: PhpFailure["covers"];
  readonly nameOf: NameOf;
}

/** Returns the code that did not run as on a site: Composer did not run, or a file of locked abilities was not loaded. */
export async function findGaps(
  plugins: readonly MainFile[],
  options: GapOptions,
): Promise<readonly PhpFailure[]> {
  const { dir, answer, covers, nameOf } = options;
  const loaded = new Set(answer.included.map(nameOf));
  const locked = [...new Set(options.locked)].filter((file) => covers(file) && !loaded.has(file));
  const names = new Set(plugins.map(({ file }) => nameOf(file)));
  const gaps: PhpFailure[] = [];
  for (const plugin of plugins) {
    const isOwn = filesOfPlugin(nameOf(plugin.file), names);
    const hint = await hintOfComposer(plugin, nameOf);
    const unread =
      hint === undefined
        ? undefined
        : ((await findUnread(dirname(plugin.file), loaded, nameOf)) ?? locked.find(isOwn));
    if (unread === undefined) continue;
    const autoloader = JSON.stringify(nameOf(join(dirname(plugin.file), AUTOLOADER)));
    const reason = `${autoloader} does not exist, and ${JSON.stringify(unread)}, which registers abilities, was not loaded.`;
    gaps.push({ covers: isOwn, reason, hint });
  }
  // The abilities of a file that was deleted are removed.
  const unread = locked.filter(
    (file) => existsSync(resolve(dir, file)) && !gaps.some((gap) => gap.covers(file)),
  );
  return [
    ...gaps,
    ...unread.map((file) => ({
      covers: (other: string) => other === file,
      reason: `${JSON.stringify(file)} registered abilities and was not loaded.`,
      hint: "Load it with php.bootstrap, or delete it with its abilities.",
    })),
  ];
}

async function findUnread(
  folder: string,
  loaded: ReadonlySet<string>,
  nameOf: NameOf,
): Promise<string | undefined> {
  for await (const { file, text } of readPhpFiles([folder], DEPENDENCIES))
    if (REGISTERS.test(text) && !loaded.has(nameOf(file))) return nameOf(file);
  return undefined;
}
