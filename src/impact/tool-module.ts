import type { ToolSnapshot } from "../contract/snapshot.js";

/** What is generated for one locked tool. */
export interface ToolModule {
  readonly server: string;
  /** As the server calls it. */
  readonly tool: string;
  /** Posix, relative to the output folder, as is `index`. */
  readonly path: string;
  /** The server's index, through which the tool can be imported, too. */
  readonly index: string;
  /** The name of its function. */
  readonly wrapper: string;
  readonly definition: ToolSnapshot;
}
