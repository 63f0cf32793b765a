import type { Change } from "../../contract/change.js";
import type { Generated } from "../find-impact.js";
import type { ToolModule } from "../tool-finder.js";

/** A renamed tool: its modules, and its exports by their old names. */
export interface ToolRename {
  readonly before: ToolModule;
  readonly after: ToolModule;
  readonly names: ReadonlyMap<string, string>;
}

/** A renamed property of a tool's arguments or results, or a renamed value of one. */
export interface PropertyRename {
  readonly kind: "property" | "value";
  readonly tool: ToolModule;
  /** Names the type of the tool's arguments, or results. */
  readonly type: string;
  /** The same in the new generated code; absent if the tool is not there. */
  readonly now?: { readonly tool: ToolModule; readonly type: string };
  readonly change: Change;
}

/** Where the user's code is, and the generated files that it was written for. */
export interface CodeLocation {
  /** The configuration's folder, the output folder and the TypeScript configuration, absolute. */
  readonly dir: string;
  readonly output: string;
  readonly tsconfig: string;
  readonly before: Generated;
  /** Absolute paths of code that the TypeScript project may leave out. */
  readonly sources: readonly string[];
}

export interface RenameRequest {
  readonly after: Generated;
  readonly tools: readonly ToolRename[];
  readonly properties: readonly PropertyRename[];
}
