import type { ConnectionSettings, OutputMode } from "../contract/connection.js";

/** A server: its name, the version of its contract and how it is reached, variables unresolved. */
export interface ServerDefinition extends ConnectionSettings {
  readonly name: string;
  /** Semantic version of the contract that the code was generated from. Absent where nothing is locked. */
  readonly contract?: string;
  /** The `output` of calls that do not set it: `validateOutput` of the configuration. */
  readonly output?: OutputMode;
}

/** The definition as it is. Generated code calls this, so that its form can grow. */
export function defineServer(server: ServerDefinition): ServerDefinition {
  return server;
}

/** The server of a tool that is not locked. */
export function withoutContract({ name, ...settings }: ServerDefinition): ServerDefinition {
  return { name, ...Object.fromEntries(Object.entries(settings).filter(([key]) => key !== "contract")) };
}
