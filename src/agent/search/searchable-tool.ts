/** What search reads of a tool; a `RegisteredTool` is one. */
export interface SearchableTool {
  /** What identifies it among the tools that are searched: `server__tool`, or a tool's own name. */
  readonly name: string;
  readonly server?: string;
  readonly title?: string;
  readonly description?: string;
  readonly category?: string;
  /** Between tools that fit equally well, one that only reads comes first. */
  readonly annotations?: { readonly readOnlyHint?: boolean };
  /** The raw input schema; the names of its properties are searched. Not called before the index is built. */
  readonly inputSchema?: () => unknown;
}
