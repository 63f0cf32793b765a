import type { ListRule } from "../contract/unverified.js";

/** Why a list that was read proves nothing. These rules find no change, so no configuration gives them a class. */
export const UNVERIFIED_RULES: Readonly<Record<ListRule, { readonly says: string; readonly why: string }>> = {
  "list-truncated": {
    says: "The server's list breaks off after some pages, repeats a cursor or never ends",
    why: "it is not known which tools there are",
  },
  "list-nondeterministic": {
    says: "The server listed different tools when it was asked twice",
    why: "the next answer may differ again",
  },
  "list-principal-mismatch": {
    says: "The lock was made with another account",
    why: "servers list different tools for different accounts",
  },
  "php-unresolved": {
    says: "The PHP of an ability could not be read completely",
    why: "it is not known what it registers",
  },
  "php-stub-differs": {
    says: "The stub of WordPress does not register an ability as the real WordPress does",
    why: "a check with the stub proves nothing for it",
  },
};
