import { McpCodegenError } from "../core/errors.js";

/** The minimum number of characters: a shorter token could be guessed. */
const SHORTEST_TOKEN = 16;

/**
 * Refuses a token that others could guess. `false` serves without one.
 *
 * @throws McpCodegenError `CONFIG_INVALID`
 */
export function assertToken(token: string | false | undefined): void {
  if (token === false || (token !== undefined && token.length >= SHORTEST_TOKEN)) return;
  const take = `Take at least ${SHORTEST_TOKEN} random characters, such as those of "openssl rand -hex 32"`;
  const isShort = token !== undefined && token !== "";
  const problem = isShort ? "is too short to be safe" : `is ${token === undefined ? "missing" : "empty"}`;
  throw new McpCodegenError("CONFIG_INVALID", `The bearer token ${problem}.`, {
    hint: isShort ? `${take}.` : `${take}, or pass token: false if another component authenticates requests.`,
  });
}
