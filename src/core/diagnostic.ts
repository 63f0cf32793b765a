/**
 * Something true about a tool that its user should know, and that does not stop the work.
 *
 * - `TOOL_UNUSABLE`: the definition cannot be used (no name, an input schema that is not an object schema, a number in
 *   `const` or `enum` that JavaScript cannot hold), or its code could not be printed. It is locked as sent and gets no code.
 * - `TOOL_DUPLICATE`: the server listed the name more than once; code is made of the first definition.
 * - `CALL_UNSUPPORTED`: the server demands something at calls that is not supported: that they run as tasks (`taskSupport:
 *   "required"`), or send parameters in HTTP headers (`x-mcp-header`). `path` is the demand.
 * - `KEYWORD_LOOSENED`: the generated schema accepts more than the server does, at `path`, and the message says why.
 * - `SCHEMA_FALLBACK`: past what reads well as Zod; a named run-time check interprets this part of the schema.
 * - `DEFAULT_NOT_SENT`: `defaults: "parse"` does not fill in the default at `path`, and the message says why.
 * - `ENTRY_UNUSABLE`: an entry of another list than the tools, such as a prompt, has no name, or the name of another; it is
 *   not locked, `tool` is empty, and `path` is the list. Or a locked URI template is not valid; it gets no code.
 * - `OBSERVATION_STALE`: the answers of the tool were observed under another definition, so they are not used.
 * - `OUTPUT_UNUSED`: the configuration states an output of a tool that is not listed, or that declares its own.
 * - `SERVER_DEPRECATED`: the server itself is deprecated, and the message names the one to use; `tool` is empty.
 * - `SERVER_NOISY`: the server also writes lines to standard output that are not messages; `tool` is empty.
 * - `SERVER_VAGUE`: input schemas of the server say nothing about the arguments; the message names the tools, and `tool` is empty.
 * - `SERVER_UNPINNED`: the command starts the newest version of a package, which may change at any time; `tool` is empty.
 * - `POLICY_UNMATCHED`: the policy (`server` is `policy`), or what a server's configuration includes, excludes, renames or puts
 *   into a category, has a name that no known tool, prompt or resource has; `tool` is empty.
 */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly server: string;
  /** The tool's name as the server sent it; empty when it has none. */
  readonly tool: string;
  /** JSON Pointer (RFC 6901) into the raw definition; empty for the definition itself. */
  readonly path: string;
  readonly message: string;
}

export type DiagnosticCode =
  | "TOOL_UNUSABLE"
  | "TOOL_DUPLICATE"
  | "CALL_UNSUPPORTED"
  | "KEYWORD_LOOSENED"
  | "SCHEMA_FALLBACK"
  | "DEFAULT_NOT_SENT"
  | "ENTRY_UNUSABLE"
  | "OBSERVATION_STALE"
  | "OUTPUT_UNUSED"
  | "SERVER_DEPRECATED"
  | "SERVER_NOISY"
  | "SERVER_VAGUE"
  | "SERVER_UNPINNED"
  | "POLICY_UNMATCHED";

/** The rules for a list that proves nothing although the server answered, or PHP ran. */
export type ListRule =
  | "list-nondeterministic"
  | "list-truncated"
  | "list-principal-mismatch"
  | "php-unresolved"
  | "php-output";
