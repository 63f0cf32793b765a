/** What a tool does to things, as far as its verb tells. */
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
    "undo unlock unmute unpin upgrade upload wait withdraw",
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
