/** The rules about tools as a whole, servers and texts: class, impacts, what happened, and the reason for the class. */
import type { ChangeClass, Impact } from "../../core/change.js";
import type { ListRule } from "../../core/diagnostic.js";
import type { MENTION_RULE } from "../../core/findings.js";

/** A kind of change. */
export interface Rule {
  readonly class: ChangeClass;
  /** Present if the change affects trust: approval, injection or identity. */
  readonly security?: true;
  /** A change without an impact is reported but does not count as drift. */
  readonly impacts: readonly Impact[];
  /** What happened, as a sentence without a full stop. */
  readonly says: string;
  /** The reason for the class. */
  readonly why: string;
}

function rule(level: ChangeClass, impacts: readonly Impact[], says: string, why: string): Rule {
  return { class: level, impacts, says, why };
}

/** Returns a rule for changes that affect trust: approval, injection or identity. */
function securityRule(level: ChangeClass, impacts: readonly Impact[], says: string, why: string): Rule {
  return { class: level, security: true, impacts, says, why };
}

export type ToolSide = "input" | "output";
export const SIDES: readonly ToolSide[] = ["input", "output"];

/** The class of a change of a schema on each side: calls are contravariant in their input and covariant in their output. */
export interface SidedEffect {
  readonly input: ChangeClass;
  readonly output: ChangeClass;
  readonly impacts: readonly Impact[];
  /**
   * Present if the class is only that of the change alone. A proof about the surrounding schemas may then show that the
   * change is safe, or that the schemas are equivalent.
   */
  readonly isProved?: true;
  /** The only side that has the rule, if it has no meaning on the other side. */
  readonly only?: ToolSide;
  /**
   * The class for a client that reads outputs strictly, if it differs: the change adds properties to a closed output, and
   * the default client keeps them.
   */
  readonly underStrict?: ChangeClass;
  /** Present if the types of callers change even if the schemas accept the same values. */
  readonly isOfTypes?: true;
}

/** A rule of schemas. */
export interface SidedRule extends SidedEffect {
  /** What happened, with `{side}` for the side. */
  readonly says: string;
  readonly why: Readonly<Record<ToolSide, string>>;
}

/** Rules about a tool, its annotations and its schemas as a whole. */
export const TOOL_RULES = {
  "tool-removed": rule("breaking", ["wire", "types"],
    "The tool was removed", "every call to it fails"),
  "tool-renamed": rule("breaking", ["wire", "types", "model"],
    "The tool was renamed, or other tools replaced it", "every call under the old name fails"),
  "tool-added": rule("safe", ["types", "model"],
    "The tool was added", "existing callers do not use it"),
  "tool-name-invalid": rule("dangerous", ["wire", "model"],
    "The MCP specification does not allow the tool's name", "some clients and models reject or change such a name"),
  "tool-name-duplicate": rule("breaking", ["wire", "types"],
    "The server lists the tool's name more than once", "it is not known which definition a call reaches"),
  "tool-name-collision": rule("breaking", ["types"],
    "The tool generates the same identifier as another tool", "each tool needs its own identifier, so rename one in the configuration"),
  "tool-name-taken": rule("safe", ["model"],
    "The tool's name equals or resembles the name of another server's tool", "models see `server__tool` where there are several servers"),
  "tool-description-changed": rule("dangerous", ["model"],
    "The tool's description changed", "models use it to choose tools"),
  "tool-title-changed": rule("dangerous", ["model"],
    "The tool's title changed", "people and models use it to choose tools"),
  "annotation-readonly-lost": securityRule("breaking", ["trust"],
    "The tool is no longer marked as read-only", "clients may have approved it without asking"),
  "annotation-readonly-gained": securityRule("dangerous", ["trust"],
    "The tool is now marked as read-only", "clients may stop asking before they call it"),
  "annotation-destructive-gained": securityRule("breaking", ["trust"],
    "The tool may now destroy data", "it was approved as not destructive"),
  "annotation-destructive-lost": securityRule("dangerous", ["trust"],
    "The tool is now marked as not destructive", "clients may stop asking before they call it"),
  "annotation-idempotent-lost": securityRule("dangerous", ["behaviour", "trust"],
    "The tool is no longer marked as idempotent", "callers that retry it may do harm"),
  "annotation-idempotent-gained": rule("safe", ["trust"],
    "The tool is now marked as idempotent", "callers that never retry are not affected"),
  "annotation-openworld-gained": securityRule("dangerous", ["trust"],
    "The tool may now reach external systems", "its answers may contain untrusted content"),
  "annotation-openworld-lost": rule("safe", ["trust"],
    "The tool is now marked as not reaching external systems", "callers that expect untrusted content are not affected"),
  "task-support-changed": rule("breaking", ["wire"],
    "The tool's support for tasks changed", "calls that use the old mode are rejected"),
  "task-support-added": rule("safe", ["wire"],
    "The tool can now also run as a task", "ordinary calls still work"),
  "tool-deprecated": rule("dangerous", ["model"],
    "The tool is now deprecated", "a later version may remove it"),
  "tool-undeprecated": rule("safe", ["model"],
    "The tool is no longer deprecated", "callers can continue to use it"),
  "icons-changed": rule("safe", ["trust"],
    "The tool's icons changed", "only people see them"),
  "meta-changed": rule("safe", ["behaviour"],
    "The tool's metadata changed", "callers do not depend on it"),
  "definition-changed": rule("dangerous", ["behaviour"],
    "A part of the definition that no other rule covers changed", "no call is rejected for it, but a client or a model may act on it"),
  "output-schema-added": rule("safe", ["types"],
    "The tool now declares an output schema", "callers that read its text are not affected"),
  "output-schema-removed": rule("breaking", ["wire", "types"],
    "The tool no longer declares an output schema", "callers relied on it"),
  "output-root-type-changed": rule("breaking", ["wire", "types"],
    "The type of the tool's output changed", "callers rely on the old type"),
  "schema-dialect-changed": rule("unknown", ["wire"],
    "The JSON Schema dialect of the schema changed", "the same keywords may have a different meaning"),
  "schema-ref-external": securityRule("breaking", ["wire", "types", "trust"],
    "The schema now refers to another document", "the document is never fetched, so it is not known what the schema accepts, and the document's host decides that"),
  "schema-ref-unresolved": rule("breaking", ["wire", "types"],
    "The schema now refers to a definition that does not exist", "validators reject such a schema, and every call with it"),
  "schema-ref-too-deep": rule("breaking", ["wire", "types"],
    "The schema is now nested too deeply, refers to itself without end, or is not a schema", "it cannot be read, so no call can be checked"),
} satisfies Readonly<Record<string, Rule>>; // prettier-ignore

/** Rules about the user interface of a tool (MCP Apps, `_meta.ui`). */
export const APP_RULES = {
  "app-added": securityRule("dangerous", ["behaviour", "trust"],
    "The tool now has a user interface", "hosts run its HTML, which can call the server's tools"),
  "app-changed": securityRule("dangerous", ["behaviour", "trust"],
    "The tool now has another user interface", "hosts run other HTML, which may not have been reviewed"),
  "app-removed": rule("safe", ["behaviour"],
    "The tool no longer has a user interface", "hosts show its answers as text"),
  "app-origin-added": securityRule("dangerous", ["trust"],
    "The tool's user interface may use another origin", "it may send data there, or load code from there"),
  "app-origin-removed": rule("safe", ["trust"],
    "The tool's user interface may no longer use an origin", "it can reach less"),
  "app-permission-added": securityRule("dangerous", ["trust"],
    "The tool's user interface requests another permission", "it may use a part of the user's device, such as the camera"),
  "app-permission-removed": rule("safe", ["trust"],
    "The tool's user interface no longer requests a permission", "it can use less of the user's device"),
  "app-visibility-added": securityRule("dangerous", ["model", "trust"],
    "Models or user interfaces can now call the tool", "it was not approved for them"),
  "app-visibility-removed": rule("dangerous", ["behaviour", "model"],
    "Models or user interfaces can no longer call the tool", "hosts no longer offer it to them"),
} satisfies Readonly<Record<string, Rule>>; // prettier-ignore

/** Rules about prompts, resources and their templates, and skills. */
export const ENTRY_RULES = {
  "prompt-added": rule("safe", ["wire", "types"],
    "A prompt was added", "no caller uses it yet"),
  "prompt-removed": rule("breaking", ["wire", "types"],
    "A prompt was removed", "callers that get it fail"),
  "prompt-required-argument-added": rule("breaking", ["wire", "types"],
    "A required argument was added to a prompt", "callers that do not pass it are rejected"),
  "prompt-optional-argument-added": rule("safe", ["wire", "types"],
    "An optional argument was added to a prompt", "callers do not have to pass it"),
  "prompt-argument-removed": rule("breaking", ["wire", "types"],
    "An argument of a prompt was removed", "callers that pass it are rejected, or the value is ignored"),
  "prompt-argument-became-required": rule("breaking", ["wire", "types"],
    "An argument of a prompt became required", "callers that do not pass it are rejected"),
  "prompt-argument-became-optional": rule("safe", ["wire", "types"],
    "An argument of a prompt became optional", "callers may continue to pass it"),
  "prompt-text-changed": rule("dangerous", ["model"],
    "The title or description of a prompt, or of one of its arguments, changed", "people and models choose the prompt and fill in its arguments by them"),
  "prompt-details-changed": rule("safe", ["behaviour"],
    "The metadata of a prompt changed", "callers do not depend on it"),
  "resource-added": rule("safe", ["wire", "types"],
    "A resource or a template of resources was added", "no caller reads it yet"),
  "resource-removed": rule("breaking", ["wire", "types"],
    "A resource or a template of resources was removed", "callers that read it fail"),
  "resource-type-changed": rule("dangerous", ["wire"],
    "The media type of a resource changed", "callers that parse it as the old type may fail"),
  "resource-text-changed": rule("dangerous", ["model"],
    "The name, title or description of a resource changed", "people and models choose what to read by them"),
  "resource-details-changed": rule("safe", ["behaviour"],
    "The size, annotations or metadata of a resource changed", "callers do not depend on them"),
  "skill-added": rule("safe", ["model"],
    "A skill was added", "no agent has activated it yet"),
  "skill-removed": rule("breaking", ["model"],
    "A skill was removed", "agents that activate it fail"),
  "skill-text-changed": rule("dangerous", ["model"],
    "The name or description of a skill changed", "models choose it by them"),
  "skill-files-changed": securityRule("dangerous", ["model", "trust"],
    "The files of a skill changed", "agents follow other instructions than those that were reviewed"),
  "skill-became-dynamic": securityRule("dangerous", ["model", "trust"],
    "The server no longer publishes the digests of a skill's files", "its instructions may change with every reading, and no change is visible"),
  "skill-tools-widened": securityRule("dangerous", ["model", "trust"],
    "A skill allows further tools without asking", "agents may call them as soon as the skill is active"),
  "skill-details-changed": rule("dangerous", ["behaviour", "model"],
    "Another field of a skill's frontmatter changed", "hosts may act on it"),
} satisfies Readonly<Record<string, Rule>>; // prettier-ignore

/** Rules about a server itself. */
export const SERVER_RULES = {
  "server-name-changed": rule("breaking", ["trust"],
    "The server's name changed", "it may be another server"),
  "server-version-changed": rule("safe", [],
    "The server's version changed", "this alone changes no tool"),
  "server-version-kept": rule("dangerous", ["trust"],
    "The server's tools changed, but its version did not", "clients that compare versions miss the change"),
  "server-info-changed": rule("safe", ["trust"],
    "The server's description of itself changed", "only people see it"),
  "server-instructions-changed": rule("dangerous", ["model", "trust"],
    "The server's instructions changed", "models follow them"),
  "server-protocol-changed": rule("safe", [],
    "The server's protocol version changed", "this alone changes no tool"),
  "server-scope-added": rule("dangerous", ["trust"],
    "The server requires another OAuth scope", "a login with it lets the server do more"),
  "server-scope-removed": rule("safe", [],
    "The server no longer requires an OAuth scope", "a login with it is still accepted"),
  "server-capability-removed": rule("breaking", ["wire"],
    "The server lost a capability", "clients that use it fail"),
  "server-capability-added": rule("safe", ["wire"],
    "The server gained a capability", "no client depends on it yet"),
  "server-capability-changed": rule("unknown", ["wire"],
    "A capability of the server changed", "its effect is unknown"),
  "server-extension-removed": rule("breaking", ["wire"],
    "The server lost an extension", "clients that use it fail"),
  "server-extension-added": rule("safe", ["wire"],
    "The server gained an extension", "no client depends on it yet"),
  "server-extension-changed": rule("unknown", ["wire"],
    "The settings of an extension of the server changed", "its effect is unknown"),
  "tool-unusable": rule("breaking", ["types"],
    "No code can be generated for the tool any more", "its generated module disappears"),
  "tool-usable": rule("unknown", ["wire", "types"],
    "Code can be generated for the tool now", "its old definition could not be read exactly, so the calls that it accepted are not known"),
  "variant-added": rule("safe", ["types"],
    "A variant of the server is new in the lock", "no caller uses it yet"),
  "variant-removed": rule("breaking", ["wire", "types"],
    "A variant of the server is no longer configured", "callers that connect to it fail"),
  "variant-tool-removed": rule("breaking", ["wire", "types"],
    "A variant of the server no longer lists the tool, while others do", "callers that use the tool in this variant fail"),
  "variant-tool-added": rule("safe", ["types", "model"],
    "Another variant of the server lists the tool", "callers of the other variants are not affected"),
} satisfies Readonly<Record<string, Rule>>; // prettier-ignore

/** Texts that mislead or give away a secret: the first six are exact, the others know the wording of published attacks. */
export const POISON_RULES = {
  "poison-repeated-secret": securityRule("dangerous", ["model", "trust"],
    "A text repeats a secret that the connection used", "a mark takes its place in everything that is locked or printed"),
  "poison-hidden-unicode": securityRule("dangerous", ["model", "trust"],
    "A text has characters or white space that hide a part of the text", "models read what people do not see"),
  "poison-bidi": securityRule("dangerous", ["model", "trust"],
    "A text has characters that change its reading direction", "people and models read different texts"),
  "poison-tag-characters": securityRule("dangerous", ["model", "trust"],
    "A text has Unicode tag characters", "they spell words that models read and no program shows"),
  "poison-ansi": securityRule("dangerous", ["model", "trust"],
    "A text has control characters", "terminals act on them and may hide a part of the text"),
  "poison-html-comment": securityRule("dangerous", ["model", "trust"],
    "A text has a hidden comment", "clients that render Markdown do not show it, but models read it"),
  "poison-instruction": securityRule("dangerous", ["model", "trust"],
    "A text reads like an instruction to the model", "models may follow it instead of the user"),
  "poison-cross-tool-reference": securityRule("dangerous", ["model", "trust"],
    "A text gives orders to another tool, or names a tool of another server", "models may use that tool differently because of it"),
  "poison-exfiltration": securityRule("dangerous", ["model", "trust"],
    "A text asks for secrets, or asks to send them somewhere", "models may read them and pass them on"),
  "poison-secret-parameter": securityRule("dangerous", ["model", "trust"],
    "A parameter's name asks for a secret", "models fill in what they know"),
} satisfies Readonly<Record<string, Rule>>; // prettier-ignore

/** Whether a rule judges texts. */
export const isPoisonRule = (name: string): boolean => Object.hasOwn(POISON_RULES, name);

/** A finding that is not a change, so a configuration cannot set its class. */
interface OtherRule {
  readonly says: string;
  readonly why: string;
}

/** Why a list of tools that was read proves nothing. */
export const UNVERIFIED_RULES: Readonly<Record<ListRule, OtherRule>> = {
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
export const FILE_RULES: Readonly<Record<typeof MENTION_RULE, OtherRule>> = {
  "mention-unknown": {
    says: "A file that agents read names a tool that the lock does not have",
    why: "a permission or instruction has no effect",
  },
};
