import type { JsonValue } from "../contract/json.js";

/** Options of Prettier that matter to TypeScript, by their names there. */
export interface FormatOptions {
  readonly [option: string]: JsonValue;
}

/**
 * Formats TypeScript as the user's Prettier would, with `\n` at the end of every line. Their plugins are not loaded.
 * Prettier's standalone build with Babel's parser gives the same bytes as `prettier` with TypeScript's, in three
 * quarters of the time.
 */
export async function formatText(text: string, options: FormatOptions): Promise<string> {
  const [{ format }, estree, babel] = await Promise.all([
    import("prettier/standalone"),
    import("prettier/plugins/estree"),
    import("prettier/plugins/babel"),
  ]);
  return format(text, { ...options, parser: "babel-ts", plugins: [estree, babel], endOfLine: "lf" });
}

/** A statement between two modules. No generated module has it on a line of its own: comments begin with a star. */
const SEPARATOR = "$$;";
const SEPARATOR_LINE = /^\$\$;?\n/m;

/**
 * Formats modules, each as {@link formatText} would. Prettier sees them as one, since a sixth of its time goes into
 * getting ready; its parser minds no name that is declared twice, and statements do not change each other's layout.
 */
export async function formatTexts(
  texts: readonly string[],
  options: FormatOptions,
): Promise<readonly string[]> {
  if (texts.length === 0) return [];
  const whole = texts.map((text) => text.trim()).join(`\n${SEPARATOR}\n`);
  const formatted = await formatText(whole, options).catch(() => "");
  const parts = formatted.split(SEPARATOR_LINE).map((part) => `${part.trim()}\n`);
  // What cannot be told apart, or holds an error, is formatted one by one.
  return parts.length === texts.length ? parts : Promise.all(texts.map((text) => formatText(text, options)));
}
