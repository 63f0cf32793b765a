import { sha256 } from "./digest.js";
import { getOwn, isJsonObject, mapEntries } from "./json.js";
import type { Lockfile } from "./lockfile.js";
import { isOfApps, type ToolSnapshot } from "./snapshot.js";

/** The parts of a definition that planning needs. */
export interface DefinitionOutline {
  /** Hexadecimal SHA-256 of the definition's text in a lockfile, in which the order of keys matters. */
  readonly text: string;
  readonly hasOutput: boolean;
  /** Whether `readOnlyHint` of its annotations is true. */
  readonly isReadOnly: boolean;
  /** Whether only user interfaces call the tool. */
  readonly isForApps: boolean;
}

/** A lock without the definitions of its tools. Those of prompts and resources are small, and needed. */
export type LockOutline = Lockfile<DefinitionOutline>;

export function outlineOf(lock: Lockfile): LockOutline {
  const servers = mapEntries(lock.servers, (server) => ({
    ...server,
    tools: mapEntries(server.tools, (tool) => ({ ...tool, definition: outlineDefinition(tool.definition) })),
  }));
  return { ...lock, servers };
}

function outlineDefinition(definition: ToolSnapshot): DefinitionOutline {
  // As a lockfile has it: generated files from before have digests of that text.
  const text = JSON.stringify(definition, null, 2).replaceAll("\n", `\n${" ".repeat(10)}`);
  const annotations = getOwn(definition, "annotations");
  return {
    text: sha256(text),
    hasOutput: isJsonObject(getOwn(definition, "outputSchema")),
    isReadOnly: isJsonObject(annotations) && getOwn(annotations, "readOnlyHint") === true,
    isForApps: isOfApps(definition),
  };
}
