import type { ConnectionSettings } from "../contract/connection.js";

/** A server: its name, the version of its contract and how it is reached, variables unresolved. */
export interface ServerDefinition extends ConnectionSettings {
  readonly name: string;
  /** Semantic version of the contract that the code was generated from. Absent where nothing is locked. */
  readonly contract?: string;
  /** The `output` of calls that do not say their own: what the configuration calls `validateOutput`. */
  readonly output?: "strict" | "warn" | "off";
}

/** The definition as it is. Generated code calls this, so that its form can grow. */
export function defineServer(server: ServerDefinition): ServerDefinition {
  return server;
}
