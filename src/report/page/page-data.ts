/**
 * The data of a page, which its script reads from JSON, and addresses in it. Texts of servers are unescaped, except in
 * the head, sections and notes.
 */
import type { StatedEffect } from "../../core/snapshot.js";
import type { JsonValue } from "../../core/json.js";

export interface PageData {
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
  /** Why no code is generated for the tool. */
  readonly unusable?: string | undefined;
  readonly input: JsonValue;
  readonly output?: JsonValue | undefined;
  readonly ability?:
    | { readonly name: string; readonly plugin?: string | undefined; readonly file?: string | undefined }
    | undefined;
}

export interface PageReport {
  /** The work, as in `checked 1 server and 14 files against the lock`. */
  readonly work: string;
  /** The text when nothing was found. */
  readonly clean: string;
  readonly isClean: boolean;
  /** A line about each server that changed. */
  readonly heads: readonly string[];
  /** What can be done, with the purpose in few words. */
  readonly ways: readonly { readonly command: string; readonly does: string }[];
  readonly notes: readonly string[];
  /** The lines of the user's code that changes hit. */
  readonly hits: readonly (PageNote & { readonly tools: readonly string[] })[];
  /** The worst class first. */
  readonly findings: readonly PageFinding[];
  /** The other lists of the report. */
  readonly sections: readonly { readonly title: string; readonly lines: readonly string[] }[];
}

/** A line of text, optionally after a quotation. */
interface PageNote {
  readonly quote?: string | undefined;
  readonly text: string;
  /** The tools that it is about; absent for all. */
  readonly tools?: readonly string[];
}

/** Changes with the same cause, shown as one finding. */
export interface PageFinding {
  /** As `ChangeClass`, whose module cannot be read without Node. */
  readonly class: "breaking" | "dangerous" | "safe" | "unknown";
  readonly security: boolean;
  /** Undefined where nothing is judged, as in a comparison. */
  readonly fails?: boolean | undefined;
  readonly server: string;
  readonly environment?: string | undefined;
  /** Names of the tools; empty for the server itself. */
  readonly tools: readonly string[];
  readonly rules: readonly string[];
  /** The change, and the reason for its class. */
  readonly says: string;
  readonly edits: readonly PageEdit[];
  /** A JSON value that one side accepts and the other rejects. */
  readonly witness?:
    | { readonly tool?: string | undefined; readonly json: string; readonly says: string }
    | undefined;
  /** The reason and the places in code. */
  readonly notes: readonly PageNote[];
}

/** An edit that one or several tools of a finding have. */
export interface PageEdit {
  readonly tools: readonly string[];
  readonly place: string;
  /** JSON Pointer into the definition. */
  readonly path: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** The address of a server or a tool in this page. */
export function addressInPage(server: string, tool?: string): string {
  const parts = tool === undefined ? [server] : [server, tool];
  return `#${parts.map(encodePart).join("/")}`;
}

/** An address cannot hold a lone surrogate: it is escaped as in `%uD800`, which no other name yields. */
function encodePart(name: string): string {
  return name
    .split(/(\p{Cs})/u)
    .map((part, at) =>
      at % 2 === 1 ? `%u${part.charCodeAt(0).toString(16).toUpperCase()}` : encodeURIComponent(part),
    )
    .join("");
}

/** Returns an address in the form of {@link addressInPage}: browsers and people encode names differently. */
export function readAddress(hash: string): string {
  try {
    return `#${hash.slice(1).split("/").map(decodeURIComponent).map(encodePart).join("/")}`;
  } catch {
    return hash;
  }
}

/** The address of the findings; no server has an empty name. */
export const FINDINGS = "#/changes";
/** The address of the overview. A page with changes opens on them. */
export const OVERVIEW = "#/overview";
