/** The action of a tool according to its verb. */
export type Action = "read" | "create" | "update" | "delete";

/** The certain effect of a verb on existing things. */
export type VerbEffect = "reads" | "writes" | "destroys";

/** The verbs in names. Those without an effect, such as `generate` and `run`, have different ones on different servers. */
const VERBS: readonly (readonly [action: Action | "other", effect: VerbEffect | undefined, verbs: string])[] =
  [
    [
      "read",
      "reads",
      "browse check compare count describe diagnose discover display enumerate examine explain fetch find get inspect list " +
        "look lookup preview query read retrieve search see show verify view",
    ],
    ["read", undefined, "analyze download export give monitor summarize test track validate watch"],
    ["create", "writes", "add create insert make new provision write"],
    ["create", undefined, "build compose define draft draw generate produce"],
    [
      "update",
      "writes",
      "adjust alter assign change configure edit modify move patch rename replace resize restore revise set update",
    ],
    ["update", undefined, "rotate scale switch toggle"],
    ["delete", "destroys", "clear delete destroy discard drop erase purge remove uninstall wipe"],
    [
      "other",
      "writes",
      "append approve archive attach book buy deploy duplicate import install invite merge pay post publish put redeploy " +
        "register reply save send submit upload upsert",
    ],
    ["other", "destroys", "abort cancel kill revoke terminate trash unlink"],
    [
      "other",
      undefined,
      "accept activate allow apply boot broadcast calculate call capture click clone close complete connect convert copy crop " +
        "deactivate decline deny detach disable disconnect drag enable execute fill finish flush forward hide hover invoke join " +
        "launch leave link lock login logout mark mention mute navigate notify open order park pause pin place press print " +
        "promote pull purchase push reboot record refresh refund reject release reload reorder report request rerun reset " +
        "respond restart resume retry revert roll rollback run scan schedule select sell share ship sign skip snooze sort start " +
        "stop subscribe suspend sync take tap transfer translate trigger turn type unassign undo unlock unmute unpin unpublish " +
        "upgrade wait withdraw",
    ],
  ];

const actions = new Map<string, Action | "other">();
const effects = new Map<string, VerbEffect>();
for (const [action, effect, verbs] of VERBS) {
  for (const verb of verbs.split(" ")) {
    actions.set(verb, action);
    if (effect !== undefined) effects.set(verb, effect);
  }
}

/** The effect of a verb; undefined if it has several or none for certain. */
export function effectOfVerb(verb: string): VerbEffect | undefined {
  return effects.get(verb);
}

/** Whether a word at the start of a name is a verb. */
export function isVerb(word: string): boolean {
  return actions.has(word);
}

/** The action of the first verb; undefined if no word is a verb of the four actions. */
export function actionOf(words: readonly string[]): Action | undefined {
  const verb = words.find((word) => actions.has(word));
  const action = verb === undefined ? undefined : actions.get(verb);
  return action === "other" ? undefined : action;
}

/** Verbs that create something, of any action: `upload_file` creates a file, `send_message` does not. */
const CREATING: ReadonlySet<string> = new Set(
  "add append book clone copy create duplicate import insert invite make new open place register schedule start submit upload upsert".split(
    " ",
  ),
);

/** Verbs that are often nouns in names: `order_create` is about orders. */
const NOUNS_AS_WELL: ReadonlySet<string> = new Set(
  (
    "broadcast call check count display draft export filter flow hook look mention monitor notify order park pause post preview " +
    "print purchase query record release report request review roll sale scale scan search select share ship show sign sort sync tap " +
    "test track transfer trigger turn type view watch"
  ).split(" "),
);

/** Words that end the first phrase of a name: `add_card_to_dashboard` adds a card. */
export const PREPOSITIONS: ReadonlySet<string> = new Set(
  "as at by for from in into of on to via with".split(" "),
);

/** Whether a word of a name is its verb. A word that is often a noun is not. */
export function isVerbInName(word: string): boolean {
  return actions.has(word) && !NOUNS_AS_WELL.has(word);
}

export function isCreatingVerb(word: string): boolean {
  return CREATING.has(word);
}

/** Verbs with several actions, from the actions of real tools with these verbs in their names. */
const GENERAL: ReadonlyMap<string, readonly Action[]> = new Map([
  ["write", ["create", "update"]],
  ["upsert", ["create", "update"]],
  ["save", ["create", "update"]],
  ["put", ["create", "update"]],
  ["new", ["create"]],
  ["manage", ["create", "update", "delete"]],
]);

/** The actions that a verb may mean; undefined for a word that is not a verb of the four actions. */
export function actionsOf(verb: string): readonly Action[] | undefined {
  const action = actions.get(verb);
  return GENERAL.get(verb) ?? (action === undefined || action === "other" ? undefined : [action]);
}

/** Verbs that names use interchangeably. */
const SYNONYMS: readonly ReadonlySet<string>[] = [
  "list search find query",
  "get read fetch show describe view retrieve",
  "create add insert new",
  "update edit modify change patch",
  "delete remove destroy drop",
].map((verbs) => new Set(verbs.split(" ")));

export function areSynonyms(word: string, other: string): boolean {
  return SYNONYMS.some((verbs) => verbs.has(word) && verbs.has(other));
}

/** Opposite words. A word and the same word after `un`, `dis` or `de` are opposite too. */
const OPPOSITES: readonly (readonly [string, string])[] = [
  ["start", "stop"], ["start", "end"], ["open", "close"], ["enable", "disable"], ["pause", "resume"], ["allow", "deny"],
  ["approve", "reject"], ["before", "after"], ["first", "last"], ["from", "to"], ["min", "max"], ["input", "output"],
  ["source", "target"], ["x", "y"], ["limit", "offset"], ["sender", "recipient"], ["any", "all"],
  ["include", "exclude"], ["included", "excluded"],
]; // prettier-ignore

export function areOpposites(word: string, other: string): boolean {
  const isListed = OPPOSITES.some((pair) => pair.includes(word) && pair.includes(other));
  const isNegated = (first: string, second: string): boolean =>
    ["un", "dis", "de"].some((prefix) => `${prefix}${first}` === second);
  return isListed || isNegated(word, other) || isNegated(other, word);
}

/** The singular form of an English word, by its ending; any other word unchanged. `statuses` gives `status`. */
export function singularOf(word: string): string {
  if (word.length < 3 || !word.endsWith("s") || /(?:ss|us)$/.test(word)) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return /(?:ss|sh|ch|x|us)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

/** Further verbs that end a name as nouns: `delete_list`, `get_data_set`. */
const NOUNS_AT_END: ReadonlySet<string> = new Set([
  ...NOUNS_AS_WELL,
  ..."build change list patch reply set".split(" "),
]);

/**
 * The verb of a tool's name: the first word, also after the server's prefix (`github_delete_list`), or the last one (`order_create`).
 * A word that is often a noun is the verb only if the name has no other.
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
