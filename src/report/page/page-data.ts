/**
 * The data of a page, which its script reads from JSON, and addresses in it. Texts of servers are unescaped, except in
 * sections and notes.
 */
import type { StatedEffect } from "../../core/snapshot.js";
import type { JsonValue } from "../../core/json.js";

export interface PageData {
  /** The version of mcp-codegen. */
  readonly version: string;
  /** The name of the project, or the command. */
  readonly title: string;
  readonly servers: readonly PageServer[];
  readonly tools: readonly PageTool[];
  /** Absent where nothing was compared. */
  readonly report?: PageReport | undefined;
  /** Whether the page is served, and reloads when the server says that the lock has changed. */
  readonly isServed: boolean;
}

export interface PageServer {
  readonly name: string;
  readonly contract: string;
  /** As the server calls itself, with its version. */
  readonly identity?: string | undefined;
  readonly protocol?: string | undefined;
  readonly instructions?: string | undefined;
  readonly tokens: number;
  readonly isEstimate: boolean;
  /** Prompts, resources and skills by the name of their list. */
  readonly entries: readonly { readonly list: string; readonly ids: readonly string[] }[];
  /** Newest first; absent where git has no history of the lock. */
  readonly history?: readonly PageVersion[] | undefined;
}

export interface PageVersion {
  /** Null where the server was removed. */
  readonly contract: string | null;
  readonly date: string;
  readonly commit: string;
  readonly subject: string;
  readonly tools: number;
  readonly findings: readonly PageFinding[];
  /** How many findings are left out. */
  readonly left: number;
}

export interface PageTool {
  readonly server: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly category: string;
  readonly tokens: number;
  readonly isEstimate: boolean;
  /** The effect of a call, by the server's annotations. */
  readonly effect: StatedEffect;
  /** What else a caller needs to know, such as `asks before it runs`. */
  readonly hints: readonly string[];
  /** The name of its function in generated code; absent without any. */
  readonly generatedName?: string | undefined;
  /** Why no code is generated for the tool. */
  readonly unusable?: string | undefined;
  /** TypeScript; absent for a schema that cannot be parsed. */
  readonly signature?: string | undefined;
  /** TypeScript that calls the tool; absent without generated code. */
  readonly code?: string | undefined;
  /** A command line that calls the tool; absent if it has invisible characters, since it is meant to be copied. */
  readonly command?: string | undefined;
  readonly input: JsonValue;
  readonly output?: JsonValue | undefined;
  readonly ability?: PageAbility | undefined;
}

interface PageAbility {
  readonly name: string;
  readonly plugin?: string | undefined;
  readonly file?: string | undefined;
}

export interface PageReport {
  /** The work, as in `checked 1 server and 14 files against the lock`. */
  readonly work: string;
  /** The text when nothing was found. */
  readonly clean: string;
  readonly isClean: boolean;
  readonly findings: readonly PageFinding[];
  /** The changed schemas of the findings. */
  readonly schemas: readonly PageSchemas[];
  /** The names of the two sides, as in `Locked` and `Now`. */
  readonly sides: readonly [before: string, after: string];
  /** The other lists of the report. */
  readonly sections: readonly { readonly title: string; readonly lines: readonly string[] }[];
  readonly repairs: readonly { readonly command: string; readonly does: string }[];
  readonly note?: string | undefined;
}

/** The schemas of a changed tool before and after. An absent one does not exist. */
export interface PageSchemas {
  /** The name of the tool in the findings. */
  readonly tool: string;
  readonly before: SchemasOfTool;
  readonly after: SchemasOfTool;
}

interface SchemasOfTool {
  readonly inputSchema?: JsonValue | undefined;
  readonly outputSchema?: JsonValue | undefined;
}

/** Changes with the same cause, shown as one finding. */
export interface PageFinding {
  /** As `ChangeClass`, whose module cannot be read without Node. */
  readonly class: "breaking" | "dangerous" | "safe" | "unknown";
  readonly security: boolean;
  readonly fails: boolean;
  readonly server: string;
  readonly environment?: string | undefined;
  /** Names of the tools; empty for the server itself. */
  readonly tools: readonly string[];
  readonly rules: readonly string[];
  /** The change, and the reason for its class. */
  readonly says: string;
  readonly edits: readonly PageEdit[];
  /** How many edits are left out. */
  readonly left: number;
  /** A JSON value that one side accepts and the other rejects. */
  readonly witness?: PageWitness | undefined;
  /** The reason and the places in code, each optionally after a quotation. */
  readonly notes: readonly { readonly quote?: string | undefined; readonly text: string }[];
}

interface PageWitness {
  readonly json: string;
  readonly says: string;
  /** The index of the edit that it is about. */
  readonly edit: number;
}

export interface PageEdit {
  readonly tool?: string | undefined;
  readonly place: string;
  /** JSON Pointer into the definition. */
  readonly path: string;
  /** The index of the schemas that the path leads into, in those of the report; absent where they are not known. */
  readonly schemas?: number | undefined;
  /** The old name of a renamed property. */
  readonly renamedFrom?: string | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** The address of a server or a tool in this page. */
export function addressInPage(server: string, tool?: string): string {
  const parts = tool === undefined ? [server] : [server, tool];
  return `#${parts.map(encodePart).join("/")}`;
}

/** An address cannot hold a lone surrogate: it is escaped as in `%uD800`, which no other name yields. */
export function encodePart(name: string): string {
  return name
    .split(/(\p{Cs})/u)
    .map((part, at) =>
      at % 2 === 1 ? `%u${part.charCodeAt(0).toString(16).toUpperCase()}` : encodeURIComponent(part),
    )
    .join("");
}

/** The address of the findings; no server has an empty name. */
export const FINDINGS = "#/changes";
/** The address of the overview. A page with changes opens on them. */
export const OVERVIEW = "#/overview";
