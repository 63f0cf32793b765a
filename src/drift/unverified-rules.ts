import type { ListRule } from "../contract/reports.js";

/** Why a list that was read proves nothing. These rules find no change, so no configuration gives them a class. */
export const UNVERIFIED_RULES: Readonly<Record<ListRule, { readonly says: string; readonly why: string }>> = {
  "list-truncated": {
    says: "The server's list breaks off after some pages, repeats a cursor or never ends",
    why: "which tools there are is not known",
  },
  "list-nondeterministic": {
    says: "Two lists of the server in one run mean different things",
    why: "what it says now may not be what it says next",
  },
  "list-principal-mismatch": {
    says: "The lock was made for another account than the one that asked",
    why: "servers list by who asks",
  },
  "php-unresolved": {
    says: "Something in the PHP of an ability could not be read without running it",
    why: "what it is then is not known",
  },
};
