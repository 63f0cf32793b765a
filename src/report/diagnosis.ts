/**
 * What one look at a project found. `ok`: as it should be. `warning`: works, with a loss that the message names. `failed`:
 * does not work. `unchecked`: could not be checked, and why.
 */
export interface Diagnosis {
  /** What was looked at. */
  readonly about: DiagnosedPart;
  readonly status: "ok" | "warning" | "failed" | "unchecked";
  readonly message: string;
  /** How to fix it: a command, or a key or line to write. */
  readonly fix?: string;
}

export type DiagnosedPart =
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
