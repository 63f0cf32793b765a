import type { VariableLookup } from "../../contract/connection.js";

/** Nothing but the environment is read at run time, and browsers have none. */
export const lookUpVariable: VariableLookup = (name) => {
  const { process } = globalThis as { process?: { env?: { readonly [name: string]: string | undefined } } };
  return process?.env?.[name];
};
