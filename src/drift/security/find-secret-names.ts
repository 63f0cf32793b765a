import { foldName } from "./fold-text.js";

/** Private data of the model, its host or the user, which no tool needs. */
const PRIVATE =
  /(?:^| )(?:system prompts?|(?:full |entire |whole )?(?:conversation|chat) (?:history|log|transcript)|previous (?:messages|conversation|prompts)|chain of thought|tool call history|(?:available|all) tools list|sidenote|side note|id rsa|ssh (?:private )?keys?|private (?:ssh )?keys?|mcp config|env file|dot ?env|etc passwd|browser (?:cookies|history)|seed phrase|wallet seed)(?: |$)/;
/** Data of a model. A tool may legitimately need it for another model that it runs. */
const OF_A_MODEL =
  /(?:^| )(?:system prompts?|(?:conversation|chat) (?:history|log|transcript)|previous (?:messages|conversation|prompts))(?: |$)/;
const ANOTHER_MODEL =
  /\b(?:llm|model|agent|assistant|(?:chat ?)?bot|completion|generation|extraction|persona|character)s?\b/i;
const THIS_MODEL = /\b(?:your|current|entire|whole|verbatim|so far|word for word)\b/i;
/** Credentials of a named service. */
const OF_SERVICE =
  /(?:^| )(openai|anthropic|claude|gemini|github|gitlab|aws|azure|gcp|google|slack|stripe|npm|pypi|docker|cursor|huggingface)(?: \w+){0,2} (?:token|secret|password|api ?key|access key|secret access key|credentials?|key|pat)$/;
/** Credentials of any kind. */
const CREDENTIAL =
  /(?:^| )(?:passwords?|passwd|passphrase|secrets?|credentials?|api ?keys?|jwt|bearer|pat|(?:access|auth|api|bearer|refresh|session|id|oauth|secret|personal|user|admin) (?:keys?|tokens?|cookie)|client secret)$|^token$/;

export interface SecretNameOptions {
  /** The words in the names of tool and server, as returned by `foldName`. A tool may ask for a credential of its own service. */
  readonly owners: string;
  /** Whether the tool existed without the parameter, so it worked without the credential. */
  readonly isLate: boolean;
  /** Returns the description of the parameter. */
  readonly description: () => string;
}

/** Whether a parameter's name asks for something secret. */
export function isSecretName(name: string, { owners, isLate, description }: SecretNameOptions): boolean {
  const words = foldName(name);
  // Names and counts of secrets are not secrets.
  if (
    / (?:u?u?ids?|names?|count|type|expiry|length|format|policy|hint|path|location)$/.test(words) ||
    /\bpublic\b/.test(words)
  )
    return false;
  if (isLate && CREDENTIAL.test(words)) return true;
  // "System prompt for the extraction" asks for a new prompt for another model.
  if (OF_A_MODEL.test(words) && isForAnotherModel(description())) return false;
  if (PRIVATE.test(words)) return !/\bkeys?$/.test(words) || !/\bkeys?\b/.test(owners);
  const service = OF_SERVICE.exec(words)?.[1];
  return service !== undefined && !owners.includes(service);
}

function isForAnotherModel(description: string): boolean {
  return ANOTHER_MODEL.test(description) && !THIS_MODEL.test(description);
}
