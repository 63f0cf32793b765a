/** The objects that `--json` prints. Each has a published schema in `docs/schemas/`. */
import type { LearnReport } from "../pipeline/learn.js";
import type { Change } from "../core/change.js";
import type { FailOn } from "../core/check-policy.js";
import type { Finding } from "../core/finding.js";
import { type Section, SECTIONS } from "../core/findings.js";
import type { JsonObject } from "../core/json.js";
import type { StatedEffect } from "../core/snapshot.js";
import type { CheckReport } from "../pipeline/check/check-report.js";
import type { DiffReport } from "../pipeline/diff/diff.js";
import type { GenerateReport } from "../pipeline/generate/generate-report.js";
import type { LogReport } from "../pipeline/log/log.js";
import type { PullReport, ServerPlan } from "../pipeline/pull/pull-report.js";
import { type ErrorDetails, errorDetails } from "./layout.js";
import { withCauses } from "./fold-changes.js";
import type { EnvironmentTable } from "./environment-table.js";
import type { ExplainedRule, ListedRule } from "./print-rules.js";
import type { ListedServer } from "./list-tools.js";
import type { ReportContent } from "./report-content.js";
import { type Row, rowsOf } from "./rows.js";
import type { ReplaySummary } from "../agent/replay/run-replay.js";

interface ServerPlanDocument extends Omit<ServerPlan, "error" | "block"> {
  readonly error?: ErrorDetails | undefined;
}

interface PullDocument extends Omit<PullReport, "servers"> {
  readonly servers: readonly ServerPlanDocument[];
  /** The command that accepts the held back findings. */
  readonly accept?: string | undefined;
}

/** What every format prints: findings with one cause, in the words of the other formats. */
export type RowDocument = Omit<Row, "findings" | "owner" | "place" | "location" | "explanations"> & {
  readonly findings: readonly (Change | Finding)[];
};

interface CheckDocument extends Omit<CheckReport, Section> {
  readonly rows: readonly RowDocument[];
  /** Environments side by side, where several were checked. */
  readonly environments?: readonly EnvironmentTable[] | undefined;
  /** The threshold from the command line; absent when the configuration sets it. */
  readonly failOn?: FailOn | undefined;
  /** The commands that fix the findings, in the order to run them. */
  readonly repairs: readonly string[];
}

interface DiffDocument extends Omit<DiffReport, "changes" | "diagnostics"> {
  readonly rows: readonly RowDocument[];
  /** The threshold from the command line; absent when the configuration sets it. */
  readonly failOn?: FailOn | undefined;
}

/** A login, without its tokens. */
export interface ShownLogin {
  /** The names of the configured servers that use it. */
  readonly servers: readonly string[];
  /** The protected resource, usually the URL of the server. */
  readonly resource: string;
  /** The authorization server. */
  readonly issuer: string;
  /** The account, as the authorization server calls it. */
  readonly subject?: string | undefined;
  /** The ID of the OAuth client. */
  readonly client: string;
  /** The scopes that the server requires and the token has. */
  readonly scopes: readonly string[];
  /** The scopes that the server requires and the token does not have. The next login requests them. */
  readonly missingScopes?: readonly string[] | undefined;
  /** ISO 8601; absent if the authorization server did not say. */
  readonly expires?: string | undefined;
  /** Whether the token can be refreshed without a login. */
  readonly refreshable: boolean;
}

/** A rename in the form of --rename, with its confidence if it is a guess. */
interface ShownRename {
  /** As --rename takes it; names that may be read as several parts are quoted. */
  readonly rename: string;
  readonly confidence?: number | undefined;
}

/**
 * What one look at a project found. `ok`: as it should be. `warning`: works, with a loss that the message names. `failed`:
 * does not work. `unchecked`: could not be checked, and why.
 */
export interface Diagnosis {
  /** The examined part. */
  readonly about: DiagnosedPart;
  readonly status: "ok" | "warning" | "failed" | "unchecked";
  readonly message: string;
  /** How to fix it: a command, or a key or line to write. */
  readonly fix?: string | undefined;
}

type DiagnosedPart =
  | "node"
  | "configuration"
  | "variables"
  | "packages"
  | "tsconfig"
  | "php"
  | "lock"
  | "code"
  | "server"
  | "login"
  | "git"
  | "ci";

export interface FoundTool {
  /** The name that `describe` and `call` accept. */
  readonly name: string;
  readonly server: string;
  /** `uncategorized` for a tool without a category. */
  readonly category: string;
  /** Present if the category is guessed from the tool's name. */
  readonly guessedCategory?: true | undefined;
  readonly effect: StatedEffect;
  /** The first sentence of the tool's description. */
  readonly description: string;
  /** From 0 to about 1; 1 where there was no query. */
  readonly score: number;
}

export interface DescribedTool {
  /** The name that `call` accepts. */
  readonly name: string;
  readonly server: string;
  readonly title?: string | undefined;
  readonly description: string;
  /** "uncategorized" for a tool without a category. */
  readonly category: string;
  /** As the server sent it. */
  readonly inputSchema: JsonObject;
  /** As the server sent it; absent if the tool declares no output schema. */
  readonly outputSchema?: JsonObject | undefined;
  /** The server's claims about the tool. */
  readonly annotations: {
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
}

/** Why a call failed. */
export interface CallFailure {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** The last lines that a started server wrote to stderr. */
  readonly stderr?: readonly string[] | undefined;
  /** What does not match the schema, and where. */
  readonly issues?:
    | readonly { readonly path: readonly (string | number)[]; readonly message: string }[]
    | undefined;
  /** The questions of the tool: forms with their schemas, or addresses to open. */
  readonly questions?:
    | readonly (
        | { readonly kind: "form"; readonly message: string; readonly schema: JsonObject }
        | { readonly kind: "url"; readonly message: string; readonly url: string; readonly host: string }
      )[]
    | undefined;
}

/** What each report has besides its kind and the exit code of the command. */
interface Reports {
  readonly pull: PullDocument;
  readonly generate: GenerateReport;
  readonly check: CheckDocument;
  readonly diff: DiffDocument;
  readonly log: LogReport;
  readonly login: {
    readonly login: ShownLogin;
  };
  readonly logout: {
    /** The server as named by the user. */
    readonly server: string;
    readonly wasLoggedIn: boolean;
    /** Whether the authorization server revoked the tokens. */
    readonly revoked: boolean;
  };
  readonly learn: LearnReport;
  readonly page: {
    /** The path of the file, from the working folder. */
    readonly file: string;
    /** The number of servers. */
    readonly servers: number;
    /** The number of tools. */
    readonly tools: number;
    /** The size of the file. */
    readonly bytes: number;
  };
  readonly doctor: {
    readonly diagnoses: readonly Diagnosis[];
  };
  readonly fix: {
    /** The git ref of the lock that the code was written for. */
    readonly against: string;
    readonly applied: readonly ShownRename[];
    /** Renames that are only likely, and were not applied. */
    readonly guessed: readonly ShownRename[];
    /** The edited files, or those to edit without --write; posix, relative to the configuration. */
    readonly files: readonly string[];
    /** A unified diff. */
    readonly diff: string;
    /** Findings that need a person. */
    readonly left: readonly { readonly file: string; readonly line: number; readonly message: string }[];
    readonly wrote: boolean;
  };
  readonly whoami: {
    readonly logins: readonly ShownLogin[];
    /** The named servers without a login. */
    readonly missing: readonly string[];
    /** Saved logins that are damaged or not to be trusted. */
    readonly problems?: readonly ErrorDetails[] | undefined;
  };
  readonly replay: {
    /** The file of recorded changes and the journal, as named or found. */
    readonly changes: string;
    /** The journal, relative to the working directory. */
    readonly journal: string;
  } & ReplaySummary;
  readonly run: {
    /** The path of the script, from the working folder; absent with --check. */
    readonly script?: string | undefined;
    /** With --check: the paths of the scripts. */
    readonly scripts?: readonly string[] | undefined;
    /** The value that the script returned. */
    readonly result?: unknown;
    readonly logs?: unknown;
    /** With --check: what does not fit the tools. */
    readonly issues?: readonly {
      readonly script: string;
      readonly line: number;
      readonly column: number;
      readonly message: string;
    }[];
    /** Why the script failed, as a model sees it. */
    readonly error?: JsonObject | undefined;
  };
  readonly rules: {
    readonly rules: readonly ListedRule[];
  };
  readonly explain: ExplainedRule;
  readonly list: {
    readonly servers: readonly ListedServer[];
    /** With `--live`: the servers that could not be listed. */
    readonly unverified?: readonly Finding[] | undefined;
  };
  readonly version: {
    readonly name: string;
    readonly version: string;
    /** The version of Node.js. */
    readonly node: string;
    /** Operating system and processor, such as linux x64. */
    readonly platform: string;
    /** Increases when the same lock gives different generated code. */
    readonly emitRevision: number;
    /** The version of the lockfiles that this program writes. */
    readonly lockfileVersion: number;
    /** The MCP revisions that are accepted from servers, latest first. */
    readonly protocolVersions: readonly string[];
  };
  readonly search: {
    readonly query: string;
    /** Best first. */
    readonly tools: readonly FoundTool[];
    /** The number of matches without the limit. */
    readonly total: number;
  };
  readonly context: {
    /** What an agent should know about the tools, in at most `--max-tokens` tokens. */
    readonly text: string;
  };
  readonly describe: {
    readonly tools: readonly DescribedTool[];
  };
  readonly call: {
    readonly tool: string;
    readonly server: string;
    /** The environment of the call, if one was named. */
    readonly environment?: string | undefined;
    /** The tool's result: structured content, or its text. Absent where the call failed. */
    readonly result?: unknown;
    /**
     * The content blocks of an unstructured result, or the blocks of a structured result that are not text. Images, audio
     * and files have `bytes` instead of their data, and `file` where they were saved.
     */
    readonly content?: readonly JsonObject[] | undefined;
    /** Why the call failed. */
    readonly error?: CallFailure | undefined;
  };
  readonly completion: {
    readonly shell: string;
    /** The script that the shell sources. */
    readonly script: string;
  };
  readonly init: {
    /** Paths relative to the folder. */
    readonly wrote: readonly string[];
    /** The servers in the new configuration. */
    readonly servers: readonly string[];
    /** The commands to run next. */
    readonly next: readonly string[];
    /** Abilities of WordPress plugins that the MCP adapter does not show; absent when the plugins were not run. */
    readonly hidden?:
      | readonly {
          readonly ability: string;
          /** Posix, relative to the folder. */
          readonly file: string;
          readonly line?: number;
        }[]
      | undefined;
    /** One message for each plugin that could not be run and each ability that WordPress would refuse; `hidden` lacks these. */
    readonly failed?: readonly string[] | undefined;
  };
  readonly error: {
    readonly error: ErrorDetails;
  };
}

/** The report of one kind. */
export type DocumentOf<Kind extends keyof Reports> = Reports[Kind] & {
  readonly report: Kind;
  readonly exitCode: number;
};

export type ReportDocument = { [Kind in keyof Reports]: DocumentOf<Kind> }[keyof Reports];

/** Returns the rows of a report, in the order of its sections. */
export function rowDocuments(content: ReportContent): readonly RowDocument[] {
  const rows = rowsOf(content, { value: 400, line: 800, named: 20, hasReadings: true });
  return SECTIONS.flatMap((section): readonly Row[] => rows[section]).map(
    ({ section, level, fails, rule, subject, message, notes, findings }) => {
      return { section, level, fails, rule, subject, message, notes, findings };
    },
  );
}

export function pullDocument(
  report: PullReport,
  { exitCode, accept }: { readonly exitCode: number; readonly accept?: string | undefined },
): DocumentOf<"pull"> {
  const servers = report.servers.map(({ error, block: _block, ...plan }) => ({
    ...plan,
    changes: withCauses(plan.changes),
    error: error && errorDetails(error),
  }));
  return { report: "pull", exitCode, ...report, servers, accept };
}
