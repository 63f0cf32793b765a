import type { JsonValue } from "../../core/json.js";
import { foldName, type FoundText, textsOf } from "./texts.js";

/** Private data of the model, its host or the user, which no tool needs. */
const PRIVATE =
  /(?:^| )(?:system prompts?|chain of thought|tool call history|(?:available|all) tools list|sidenote|side note|id rsa|ssh (?:private )?keys?|private (?:ssh )?keys?|mcp config|env file|dot ?env|etc passwd|browser (?:cookies|history)|seed phrase|wallet seed)(?: |$)/;
const CONVERSATION =
  /(?:^| )(?:(?:conversation|chat|dialog(?:ue)?) (?:history|log|transcript|so far)|previous (?:messages|conversation|prompts)|(?:full|entire|whole|complete) (?:conversation|chat|dialog(?:ue)?)|(?:last|latest|raw|verbatim|exact) user (?:message|prompt|input|words)|user (?:message|prompt|input|words) (?:verbatim|raw)|users? words)(?: |$)/;
const PROMPT = /(?:^| )system prompts?(?: |$)/;
const ANOTHER_MODEL =
  /\b(?:llm|model|agent|assistant|(?:chat ?)?bot|completion|generation|extraction|persona|character)s?\b/i;
const THIS_MODEL = /\b(?:your|current|entire|whole|verbatim|so far|word for word)\b/i;
const OF_SERVICE =
  /(?:^| )(openai|anthropic|claude|gemini|github|gitlab|aws|azure|gcp|google|slack|stripe|npm|pypi|docker|cursor|huggingface)(?: \w+){0,2} (?:token|secret|password|api ?key|access key|secret access key|credentials?|key|pat)$/;
const CREDENTIAL =
  /(?:^| )(?:passwords?|passwd|passphrase|secrets?|credentials?|api ?keys?|jwt|bearer|pat|(?:access|auth|api|bearer|refresh|session|id|oauth|secret|personal|user|admin) (?:keys?|tokens?|cookie)|client secret)$|^token$/;

interface SecretNameOptions {
  /** The words in the names of tool and server, as returned by `foldName`. A tool may ask for a credential of its own service. */
  readonly owners: string;
  /** Whether the tool existed without the parameter, so it worked without the credential. */
  readonly isLate: boolean;
  readonly description: () => string;
}

/** Returns the rule that a parameter's name breaks because it asks for something secret. */
export function findSecretName(
  name: string,
  { owners, isLate, description }: SecretNameOptions,
): "poison-secret-parameter" | "conversation-parameter" | undefined {
  const words = foldName(name);
  // A tool may need a prompt or a conversation for another model that it runs: "system prompt for the extraction".
  if ((CONVERSATION.test(words) || PROMPT.test(words)) && isForAnotherModel(description())) return undefined;
  if (CONVERSATION.test(words)) return "conversation-parameter";
  return isSecret(words, owners, isLate) ? "poison-secret-parameter" : undefined;
}

function isSecret(words: string, owners: string, isLate: boolean): boolean {
  // Names and counts of secrets are not secrets.
  if (
    / (?:u?u?ids?|names?|count|type|expiry|length|format|policy|hint|path|location)$/.test(words) ||
    /\bpublic\b/.test(words)
  )
    return false;
  if (isLate && CREDENTIAL.test(words)) return true;
  if (PRIVATE.test(words)) return !/\bkeys?$/.test(words) || !/\bkeys?\b/.test(owners);
  const service = OF_SERVICE.exec(words)?.[1];
  return service !== undefined && !owners.includes(service);
}

/** Whether a parameter is about a model that the tool runs, not about the one that calls it. */
function isForAnotherModel(description: string): boolean {
  return ANOTHER_MODEL.test(description) && !THIS_MODEL.test(description);
}

/** Whether a text is the name of a parameter, at any depth. */
export function isParameter({ path, isKey }: FoundText): boolean {
  return isKey && path.startsWith("/inputSchema/") && /\/properties\/[^/]*$/.test(path);
}

/**
 * Returns a test for late parameters: the earlier definition did not have their name, or only in deeper objects. An optional
 * parameter deep in the schema does not justify asking every caller for the same value. The depth is that of the text, so a
 * parameter of a shared definition has none to compare.
 */
export function compareParameters(before: JsonValue): (parameter: FoundText) => boolean {
  const nearest = new Map<string, number>();
  for (const parameter of textsOf(before, "").filter(isParameter))
    nearest.set(parameter.text, Math.min(depthOf(parameter), nearest.get(parameter.text) ?? Infinity));
  return (parameter) => {
    const depth = depthOf(parameter);
    return depth === 0 ? !nearest.has(parameter.text) : depth < (nearest.get(parameter.text) ?? Infinity);
  };
}

/** The number of objects around a parameter; 0 in a shared definition. */
function depthOf({ path }: FoundText): number {
  return /\/(?:\$defs|definitions)\//.test(path) ? 0 : path.split("/properties/").length - 1;
}
