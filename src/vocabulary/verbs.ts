/** What a tool does to things, as far as its verb says. */
export type Action = "read" | "create" | "update" | "delete";

const VERBS: Readonly<Record<Action | "other", string>> = {
  read:
    "analyze browse check compare count describe diagnose discover display download enumerate examine explain export " +
    "fetch find get give inspect list look lookup monitor preview query read retrieve search see show summarize test " +
    "track validate verify view watch",
  create: "add build compose create define draft draw generate insert make new produce provision write",
  update:
    "adjust alter assign change configure edit modify move patch rename replace resize restore revise rotate scale set " +
    "switch toggle update",
  delete: "clear delete destroy discard drop erase purge remove uninstall unlink wipe",
  other:
    "abort accept activate allow apply approve archive attach boot broadcast buy calculate call cancel capture click " +
    "clone close connect convert copy crop deactivate decline deny deploy detach disable disconnect drag enable " +
    "execute fill flush forward hide hover import install invite invoke join kill launch leave lock login logout mark " +
    "mention merge mute navigate notify open order park pause pay pin post press print promote publish pull purchase " +
    "push put reboot record redeploy refresh refund register reject release reload reorder reply report request rerun reset " +
    "respond restart resume retry revert revoke roll rollback run save scan schedule select sell send share ship sign " +
    "skip snooze sort start stop submit subscribe suspend sync take tap terminate transfer translate trigger turn type " +
    "undo unlock unmute unpin upgrade upload wait withdraw " +
    // Words that only names use as verbs.
    "append book complete duplicate finish link place trash unassign unlink unpublish upsert",
};

const actions = new Map<string, Action | "other">();
for (const [action, verbs] of Object.entries(VERBS) as [Action | "other", string][]) {
  for (const verb of verbs.split(" ")) actions.set(verb, action);
}

/** Whether a word says what is to be done, where it stands first. */
export function isVerb(word: string): boolean {
  return actions.has(word);
}

/** The action of the first verb; undefined where no word is a verb of the four actions. */
export function actionOf(words: readonly string[]): Action | undefined {
  const verb = words.find((word) => actions.has(word));
  const action = verb === undefined ? undefined : actions.get(verb);
  return action === "other" ? undefined : action;
}

/** Verbs of the other actions that make a new thing all the same: `upload_file`, `send_message` does not. */
const CREATING: ReadonlySet<string> = new Set(
  "add append book clone copy create duplicate import insert invite make new open place register schedule start submit upload upsert".split(
    " ",
  ),
);

/** Verbs that are nouns in names as often: `order_create` is about orders. */
export const NOUNS_AS_WELL: ReadonlySet<string> = new Set(
  (
    "broadcast call check count display draft export filter flow hook look mention monitor notify order park pause post preview " +
    "print purchase query record release report request review roll sale scale scan search select share ship show sign sort sync tap " +
    "test track transfer trigger turn type view watch"
  ).split(" "),
);

/** Words after which a name says more of the same thing: `add_card_to_dashboard` adds a card. */
export const PREPOSITIONS: ReadonlySet<string> = new Set(
  "as at by for from in into of on to via with".split(" "),
);

/** Whether a word of a name is its verb. A word that is a noun as often is not. */
export function isVerbInName(word: string): boolean {
  return actions.has(word) && !NOUNS_AS_WELL.has(word);
}

export function isCreatingVerb(word: string): boolean {
  return CREATING.has(word);
}

/** Verbs that do several things, by the actions of tools that have them in their names. */
const GENERAL: ReadonlyMap<string, readonly Action[]> = new Map([
  ["write", ["create", "update"]],
  ["upsert", ["create", "update"]],
  ["save", ["create", "update"]],
  ["put", ["create", "update"]],
  ["new", ["create"]],
  ["manage", ["create", "update", "delete"]],
]);

/** The actions that a verb may stand for; undefined for a word that is not a verb of the four actions. */
export function actionsOf(verb: string): readonly Action[] | undefined {
  const action = actions.get(verb);
  return GENERAL.get(verb) ?? (action === undefined || action === "other" ? undefined : [action]);
}

/** Verbs that names use for one another. */
const SYNONYMS: readonly ReadonlySet<string>[] = [
  ...["list search find query", "get read fetch show describe view retrieve", "create add insert new"],
  ...["update edit modify change patch", "delete remove destroy drop"],
].map((verbs) => new Set(verbs.split(" ")));

export function areSynonyms(word: string, other: string): boolean {
  return SYNONYMS.some((verbs) => verbs.has(word) && verbs.has(other));
}

/** Words that name the opposite of one another. A word and the same word after `un`, `dis` or `de` do, too. */
const OPPOSITES: readonly (readonly [string, string])[] = [
  ["start", "stop"], ["start", "end"], ["open", "close"], ["enable", "disable"], ["pause", "resume"], ["allow", "deny"],
  ["approve", "reject"], ["before", "after"], ["first", "last"], ["from", "to"], ["min", "max"], ["input", "output"],
  ["source", "target"], ["x", "y"], ["limit", "offset"], ["sender", "recipient"], ["any", "all"],
]; // prettier-ignore

export function areOpposites(word: string, other: string): boolean {
  const isListed = OPPOSITES.some((pair) => pair.includes(word) && pair.includes(other));
  const isNegated = (one: string, two: string): boolean =>
    ["un", "dis", "de"].some((prefix) => `${prefix}${one}` === two);
  return isListed || isNegated(word, other) || isNegated(other, word);
}

/** The singular form of an English word, by its ending; other words as they are. `statuses` gives `status`. */
export function singularOf(word: string): string {
  if (word.length < 3 || !word.endsWith("s") || /(?:ss|us)$/.test(word)) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return /(?:ss|sh|ch|x|us)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}
