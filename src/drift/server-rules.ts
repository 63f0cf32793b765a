import type { MENTION_RULE } from "../contract/mention.js";
import type { ListRule } from "../contract/diagnostic.js";
import type { Rule } from "./rules.js";

/** Rules about a server itself. */
export const SERVER_RULES = {
  "server-name-changed": {
    class: "breaking",
    impacts: ["trust"],
    says: "The server's name changed",
    why: "it may be another server",
  },
  "server-version-changed": {
    class: "safe",
    impacts: [],
    says: "The server's version changed",
    why: "this alone changes no tool",
  },
  "server-version-kept": {
    class: "dangerous",
    impacts: ["trust"],
    says: "The server's tools changed, but its version did not",
    why: "clients that compare versions miss the change",
  },
  "server-info-changed": {
    class: "safe",
    impacts: ["trust"],
    says: "The server's description of itself changed",
    why: "only people see it",
  },
  "server-instructions-changed": {
    class: "dangerous",
    impacts: ["model", "trust"],
    says: "The server's instructions changed",
    why: "models follow them",
  },
  "server-protocol-changed": {
    class: "safe",
    impacts: [],
    says: "The server's protocol version changed",
    why: "this alone changes no tool",
  },
  "server-scope-added": {
    class: "dangerous",
    impacts: ["trust"],
    says: "The server requires another OAuth scope",
    why: "a login with it lets the server do more",
  },
  "server-scope-removed": {
    class: "safe",
    impacts: [],
    says: "The server no longer requires an OAuth scope",
    why: "a login with it is still accepted",
  },
  "server-capability-removed": {
    class: "breaking",
    impacts: ["wire"],
    says: "The server lost a capability",
    why: "clients that use it fail",
  },
  "server-capability-added": {
    class: "safe",
    impacts: ["wire"],
    says: "The server gained a capability",
    why: "no client depends on it yet",
  },
  "server-capability-changed": {
    class: "unknown",
    impacts: ["wire"],
    says: "A capability of the server changed",
    why: "its effect is unknown",
  },
  "server-extension-removed": {
    class: "breaking",
    impacts: ["wire"],
    says: "The server lost an extension",
    why: "clients that use it fail",
  },
  "server-extension-added": {
    class: "safe",
    impacts: ["wire"],
    says: "The server gained an extension",
    why: "no client depends on it yet",
  },
  "server-extension-changed": {
    class: "unknown",
    impacts: ["wire"],
    says: "The settings of an extension of the server changed",
    why: "its effect is unknown",
  },
  "variant-added": {
    class: "safe",
    impacts: ["types"],
    says: "A variant of the server is new in the lock",
    why: "no caller uses it yet",
  },
  "variant-removed": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "A variant of the server is no longer configured",
    why: "callers that connect to it fail",
  },
  "variant-tool-removed": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "A variant of the server no longer lists the tool, while others do",
    why: "callers that use the tool in this variant fail",
  },
  "variant-tool-added": {
    class: "safe",
    impacts: ["types", "model"],
    says: "Another variant of the server lists the tool",
    why: "callers of the other variants are not affected",
  },
} satisfies Readonly<Record<string, Rule>>;

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
  "php-output": {
    says: "The PHP code prints text while abilities are registered",
    why: "a site sends the text before its JSON, which clients cannot parse then",
  },
};

/** Findings in files that contradict the lock. They fail as files do that are out of date; a waiver may cover them. */
export const FILE_RULES: Readonly<
  Record<typeof MENTION_RULE, { readonly says: string; readonly why: string }>
> = {
  "mention-unknown": {
    says: "A file that agents read names a tool that the lock does not have",
    why: "a permission or instruction has no effect",
  },
};
