import { getOwn } from "./json.js";

/** The name for static tools instead of a server, in policies, filters and options. No server has this name. */
export const STATIC_TOOLS = "static";

/** Returns the access token for the next request. Called once more if the server refuses that token. */
export type AuthProvider = () => Promise<string>;

/**
 * Receives each line that a started server writes to stderr, with the server's name. The line has no control characters and
 * none of the secrets that we gave the server, but it is the server's text.
 */
export type ServerOutputListener = (server: string, line: string) => void;

/** Returns the value of a variable; undefined if it is not set. */
export type VariableLookup = (name: string) => string | undefined;

/**
 * How to treat an answer that does not fit the output schema.
 *
 * - `tolerant`: unknown keys in closed objects are kept and reported as the event `tool.output.unknown_keys`; every other
 *   fault fails the call.
 * - `strict`: every fault fails the call.
 * - `warn`: a fault causes a warning, and the answer is returned.
 * - `off`: the answer is not validated.
 */
export type OutputMode = "tolerant" | "strict" | "warn" | "off";

/** How to treat an input that does not fit the input schema: `strict` refuses the call, `warn` sends it with a warning. */
export type InputMode = "strict" | "warn";

/** The revisions of MCP in which each request carries its version, and no session is initialized. */
export const MODERN_VERSIONS: readonly string[] = ["2026-07-28"];

/** The revisions of MCP in which `initialize` opens a session, the latest first. */
export const LEGACY_VERSIONS: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

/** The revisions of MCP that the client speaks, the latest first. */
export const PROTOCOL_VERSIONS: readonly string[] = [...MODERN_VERSIONS, ...LEGACY_VERSIONS];

/** Whether a protocol version belongs to the modern era (specification 2026-07-28, "Versioning"). */
export function isModernVersion(version: string): boolean {
  return MODERN_VERSIONS.includes(version);
}

interface Prelude<Call> {
  readonly prelude?: readonly Call[] | undefined;
}

/** Returns the calls before the list of a server, or of its variant; undefined without any. */
export function preludeOf<Call>(
  {
    prelude,
    variants = {},
  }: Prelude<Call> & { readonly variants?: { readonly [name: string]: Prelude<Call> } | undefined },
  variant: string | undefined,
): readonly Call[] | undefined {
  const calls = (variant === undefined ? undefined : getOwn(variants, variant)?.prelude) ?? prelude;
  return calls === undefined || calls.length === 0 ? undefined : calls;
}
