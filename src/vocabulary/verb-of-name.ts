import { actionsOf, isVerb, NOUNS_AS_WELL } from "./verbs.js";

/** Further verbs that end a name as nouns: `delete_list`, `get_data_set`. */
const NOUNS_AT_END: ReadonlySet<string> = new Set([
  ...NOUNS_AS_WELL,
  ..."build change list patch reply set".split(" "),
]);

/**
 * The verb of a tool's name, given its words in order: the first word, or the last one (`order_create`, `sql_db_delete`).
 * A prefix of the server may precede it (`github_delete_list`). A word that is a noun as often is the verb only if the name
 * has no other: "list" is a noun in `delete_list` and in `create_task_list`.
 */
export function verbOfName(words: readonly string[]): string | undefined {
  const named = words.filter((word, index) => index === 0 || !/^v\d+$/.test(word));
  const [first = "", ...rest] = named;
  const last = rest.at(-1) ?? "";
  const middle = rest.slice(0, -1);
  const isAction = (word: string): boolean => actionsOf(word) !== undefined;
  const isNoNoun = (word: string): boolean => isVerb(word) && !NOUNS_AT_END.has(word);
  const isSure = (word: string): boolean => isAction(word) && isNoNoun(word);
  const tests: readonly (readonly [words: readonly string[], isIt: (word: string) => boolean])[] = [
    [[first, ...middle.slice(0, 1), last], isSure],
    [[last], isNoNoun],
    [[first], isAction],
    [middle, isSure],
    [[first], isNoNoun],
    [middle.slice(0, 1), isAction],
    [middle, isNoNoun],
    [[last, ...middle], isAction],
    [[first, last], isVerb],
  ];
  for (const [among, isIt] of tests) {
    const verb = among.find(isIt);
    if (verb !== undefined) return verb;
  }
  return undefined;
}

/** What a verb does to things that exist. */
export type Effect = "read" | "write" | "destroy";

/** Verbs with a certain effect. `generate`, `export`, `run` and `test` have different effects on different servers. */
const VERBS_OF: Readonly<Record<Effect, string>> = {
  read:
    "browse check compare count describe diagnose discover display enumerate examine explain fetch find get inspect list " +
    "look lookup preview query read retrieve search see show verify view",
  write:
    "add adjust alter append approve archive assign attach book buy change configure create deploy duplicate edit import insert " +
    "install invite make merge modify move new patch pay post provision publish put redeploy register rename replace reply " +
    "resize restore revise save send set submit update upload upsert write",
  destroy:
    "abort cancel clear delete destroy discard drop erase kill purge remove revoke terminate trash uninstall unlink wipe",
};

const effects: ReadonlyMap<string, Effect> = new Map(
  (["read", "write", "destroy"] as const).flatMap((effect) =>
    VERBS_OF[effect].split(" ").map((verb) => [verb, effect] as const),
  ),
);

/** The effect of a verb; undefined if it has several or none for certain. */
export function effectOf(verb: string): Effect | undefined {
  return effects.get(verb);
}
