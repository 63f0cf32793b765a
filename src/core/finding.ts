import type { HostEffect, HostId } from "./hosts/host.js";

/** Where a finding is, in a definition or in a file, and what was found: all that a waiver is bound to. */
export interface Finding {
  /** A rule of drift, one of the other rules, or the code of a note. */
  readonly rule: string;
  readonly server?: string | undefined;
  /** The environment of the server; absent for its own settings. */
  readonly environment?: string | undefined;
  /** Absent when the finding is about the server itself. */
  readonly tool?: string | undefined;
  /** JSON Pointer (RFC 6901) into the raw definition. */
  readonly path?: string | undefined;
  /** Posix, relative to the configuration's folder; of a generated file, to the output folder. */
  readonly file?: string | undefined;
  /** From 1, as is `column`. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** Absent for what the report words from `facts`. */
  readonly message?: string | undefined;
  /** How to fix it. */
  readonly hint?: string | undefined;
  /** Why somebody took responsibility for it, and until when; such a finding fails no check. */
  readonly waiver?: AppliedWaiver | undefined;
  readonly facts?: Facts | undefined;
}

/** The reason of the waiver that covers a finding, and its last day. */
export interface AppliedWaiver {
  /** The reason for accepting it. */
  readonly reason: string;
  /** The last valid day, such as `2026-12-31`. */
  readonly expires?: string;
}

/** What is known of a finding besides its place; each section has its own. */
export interface Facts {
  /** How many recorded calls have the problem; 0 where it is one of the file. */
  readonly calls?: number | undefined;
  /** Whether it is about the lock, or about the current tools of the servers. */
  readonly of?: "lock" | "server" | undefined;
  /** The tokens of a server's tools, and what `check.tokenBudget` allows. */
  readonly tokens?: number | undefined;
  readonly budget?: number | undefined;
  /** Whether some counts are estimates. */
  readonly isEstimate?: boolean | undefined;
  /** The largest tools, largest first. */
  readonly largest?: readonly { readonly tool: string; readonly tokens: number }[] | undefined;
  readonly host?: HostId | undefined;
  readonly effect?: HostEffect | undefined;
  /** JSON Pointers into the raw definition where a host refuses or changes it, sorted. */
  readonly paths?: readonly string[] | undefined;
  readonly state?: FileState | WaiverState | "edited" | undefined;
  /** Whether a server leaves the lock, which `pull` does only if it is asked. */
  readonly isRemoval?: boolean | undefined;
  /** The last lines that a started server wrote to stderr; absent without any. */
  readonly stderr?: readonly string[] | undefined;
  readonly php?: PhpNotes | undefined;
}

/**
 * `missing`: to be written. `stale`: its inputs have changed. `orphaned`: its tool was removed. `in-the-way`: not generated,
 * but blocks a generated file. `cut-off`: the marker of an interrupted write, listed instead of the files that it left out of
 * date.
 */
export type FileState = "missing" | "stale" | "orphaned" | "in-the-way" | "cut-off";

/** `expired`: its last day is over. `void`: its values have changed again. `unused`: there is no such finding. */
export type WaiverState = "expired" | "void" | "unused";

/** A registration that WordPress rejected, with the reason. */
interface RefusedRegistration {
  readonly kind: "ability" | "category";
  readonly name: string;
  readonly reason: string;
  readonly file: string;
  /** 0 if unknown. */
  readonly line: number;
}

/** Notes about the PHP code of a server. */
export interface PhpNotes {
  readonly server: string;
  /** The reader, such as `php 8.3.1`. */
  readonly by: string;
  /** The number of registered abilities. */
  readonly abilities: number;
  /** Registered abilities that the server does not list as tools; absent when it lists all. */
  readonly hidden?:
    | {
        readonly abilities: readonly string[];
        /** The key that is not true in them. */
        readonly key: "meta.mcp.public" | "meta.show_in_rest";
      }
    | undefined;
  /** Locked tools of other plugins, which this PHP code does not register. */
  readonly others: readonly string[];
  /** Registrations that WordPress rejected, with the reason. */
  readonly refused: readonly RefusedRegistration[];
  /** Facts that are good to know, such as the answers of a site with which the abilities are as locked. */
  readonly notes: readonly string[];
}
