import type { ToolSnapshot } from "../contract/snapshot.js";

/** The generated module of a locked tool. */
export interface ToolModule {
  readonly server: string;
  /** The tool's name on the server. */
  readonly tool: string;
  /** Posix, relative to the output folder, like `index`. */
  readonly path: string;
  /** The server's index, which also exports the tool. */
  readonly index: string;
  /** The name of the tool's function. */
  readonly wrapper: string;
  readonly definition: ToolSnapshot;
}
