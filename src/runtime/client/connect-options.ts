import type { VariableLookup } from "../../core/connection.js";
import type { JsonObject } from "../../core/json.js";
import type { ServerDefinition } from "../../core/tool.js";

export interface DeclaredOptions {
  /** Whether a handler can answer questions. */
  readonly canAnswer: boolean;
}

/** Returns the client capabilities to declare: the configured ones, and elicitation if a handler can answer. */
export function capabilitiesOf(
  { capabilities, variants = {} }: ServerDefinition,
  { variant, canAnswer }: DeclaredOptions & { readonly variant?: string | undefined },
): JsonObject {
  const ofVariant = variant === undefined ? undefined : variants[variant]?.capabilities;
  return canAnswer
    ? { elicitation: { form: {}, url: {} }, ...(ofVariant ?? capabilities) }
    : { ...(ofVariant ?? capabilities) };
}

/** Reads a variable of the process. Browsers have none. */
export const lookUpVariable: VariableLookup = (name) => {
  const { process } = globalThis as { process?: { env?: { readonly [name: string]: string | undefined } } };
  return process?.env?.[name];
};
