/** Runs scripts in isolation. Limits of calls, results and time are enforced outside of it as well. */
export interface CodeExecutor {
  /** Runs a script. Rejects only if it cannot run any script. */
  execute(task: CodeTask): Promise<CodeOutcome>;
}

export interface CodeTask {
  /** JavaScript: an expression whose value is an async function without parameters. */
  readonly code: string;
  /** The functions that the script may call, by the global object that has them. */
  readonly functions: { readonly [server: string]: readonly string[] };
  /**
   * Calls a tool: the only capability of a script. Returns `{"ok":true,"value":…}` or `{"ok":false,"error":{…}}`, whose
   * members an error in the script has.
   *
   * @param path such as `shop.createOrder`
   * @param json the arguments
   * @param stack the stack of the call in the script, for its line
   */
  readonly callTool: (path: string, json: string, stack: string) => Promise<string>;
  /** Receives each line that the script logs. */
  readonly log: (text: string) => void;
  readonly limits: {
    /** Milliseconds that the script may compute without waiting for a call. */
    readonly timeMs: number;
    readonly memoryBytes: number;
    readonly calls: number;
    readonly logBytes: number;
  };
  /** Aborts when the script must end at once, also in an endless loop. */
  readonly signal: AbortSignal;
}

/** The result of a script: the JSON of its value, or the error that ended it. Both are text that the script made. */
export type CodeOutcome =
  | { readonly ok: true; readonly json: string }
  | {
      readonly ok: false;
      readonly name: string;
      readonly message: string;
      readonly stack?: string | undefined;
      /** The limit that ended the script. */
      readonly stopped?: "timeMs" | "memoryBytes" | undefined;
    };
