/** A name of a tool in a file that agents read, such as a permission list, which the lock does not have. */
export interface MentionFinding {
  readonly rule: "mention-unknown";
  /** The file: posix, relative to the configuration. */
  readonly path: string;
  /** From 1, as is `column`. */
  readonly line: number;
  readonly column: number;
  readonly server: string;
  /** The name as the file has it, without the server. */
  readonly tool: string;
  readonly message: string;
}
