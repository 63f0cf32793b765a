import type { ListRule } from "../contract/unverified.js";

/** Why a list of tools that was read proves nothing. These rules find no change, so a configuration cannot set their class. */
export const UNVERIFIED_RULES: Readonly<Record<ListRule, { readonly says: string; readonly why: string }>> = {
  "list-truncated": {
    says: "The server's list of tools is cut off, repeats a cursor or never ends",
    why: "it is not known which other tools the server has",
  },
  "list-nondeterministic": {
    says: "The server listed different tools in two identical requests",
    why: "the next answer may differ again",
  },
  "list-principal-mismatch": {
    says: "The lock was made with a different account",
    why: "servers list different tools for different accounts",
  },
  "php-unresolved": {
    says: "The PHP code of an ability could not be read completely",
    why: "it is not known what the code registers",
  },
  "php-stub-differs": {
    says: "The WordPress stub registers an ability differently from the real WordPress",
    why: "a check with the stub proves nothing about this ability",
  },
};
