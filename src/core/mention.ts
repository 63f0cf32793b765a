import type { AppliedWaiver, Waivable } from "./waivers.js";
import { joinPointer } from "./json-pointer.js";

/** The rule of such a finding. It finds no change, so it has no class. */
export const MENTION_RULE = "mention-unknown";

/** A name of a tool in a file that agents read, such as a permission list, which the lock does not have. */
export interface MentionFinding {
  readonly rule: typeof MENTION_RULE;
  /** The file: posix, relative to the configuration. */
  readonly path: string;
  /** From 1, as is `column`. */
  readonly line: number;
  readonly column: number;
  readonly server: string;
  /** The name as the file has it, without the server. */
  readonly tool: string;
  readonly message: string;
  /** Present if a waiver covers it. Then it is reported and does not fail. */
  readonly waiver?: AppliedWaiver;
}

/** What a waiver of the name covers: all its places in the file. The path is the file, as a JSON Pointer of one step. */
export function placeOfMention({ rule, server, tool, path }: MentionFinding): Waivable {
  return { rule, server, tool, path: joinPointer("", path), security: false };
}
