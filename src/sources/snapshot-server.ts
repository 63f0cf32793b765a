import { resolve } from "node:path";
import type { ServerConfig } from "../config/config.js";
import { annotationsOf, findUnmatchedTexts, isIncluded } from "../config/match-tools.js";
import { preludeOf } from "../core/connection.js";
import type { PreludeCall } from "../core/connection-settings.js";
import { McpCodegenError } from "../core/errors.js";
import { findOwn, getOwn } from "../core/json.js";
import type { ServerSnapshot, ToolSnapshot } from "../core/snapshot.js";
import {
  hideInSnapshot,
  hideSecretsOf,
  type ListRequest,
  type Target,
  listInSession,
} from "../client/listing/list-in-session.js";
import {
  type ListHooks,
  type RunContext,
  type TakenSnapshot,
  listServer,
} from "../client/listing/list-server.js";
import type { Endpoint } from "../client/endpoint.js";
import type { RequestContext } from "../client/session.js";
import { snapshotPhp } from "./php/snapshot-of-php.js";
import { snapshotFile } from "./file/snapshot-file.js";

/** A configured server, in one of its environments and variants. */
export type ServerTarget = Target<ServerConfig>;

interface PreludeRequest {
  readonly server: string;
  readonly variant?: string | undefined;
  readonly calls: readonly PreludeCall[];
}

export type ConfirmPrelude = (request: PreludeRequest) => boolean | Promise<boolean>;

type Source = (target: ServerTarget, context: RunContext, hooks?: ListHooks) => Promise<TakenSnapshot>;

/** Returns how to list a server: from a saved list, from PHP code when nothing else is configured, or from the live server. */
export function sourceOf(settings: ServerConfig): Source {
  const { file, php, url, command, readLimit } = settings;
  if (file !== undefined) {
    return async ({ server }, { dir }, { onConnect } = {}) => {
      onConnect?.();
      return { snapshot: await snapshotFile(server, resolve(dir, file), readLimit) };
    };
  }
  if (php !== undefined && url === undefined && command === undefined) {
    return async ({ server }, { dir, lookup, signal }, { onConnect } = {}) => {
      onConnect?.();
      return { snapshot: await snapshotPhp(server, php, settings, { dir, lookup, signal }) };
    };
  }
  return listServer;
}

/**
 * Takes the snapshot of a configured server. Tools that the configuration excludes are omitted.
 *
 * @throws McpCodegenError `VARIABLE_MISSING` before it connects; with exit code 3 when the list could not be read
 *   completely
 */
export async function snapshotServer(target: ServerTarget, context: RunContext): Promise<TakenSnapshot> {
  const snapshot = await sourceOf(target.settings)(target, context);
  return { ...snapshot, snapshot: omitExcluded(target.settings, snapshot.snapshot) };
}

/**
 * As {@link snapshotServer}, in a session that the caller opened and closes. Only tools are listed.
 *
 * @throws McpCodegenError with exit code 3 when the list could not be read completely
 */
export async function snapshotInSession(
  target: ServerTarget,
  connection: { readonly session: RequestContext; readonly endpoint: Endpoint },
  request: ListRequest,
): Promise<ServerSnapshot> {
  const { snapshot } = await listInSession(target, connection, request);
  return omitExcluded(target.settings, hideInSnapshot(snapshot, hideSecretsOf(connection.endpoint)));
}

/** Omits the tools that the configuration excludes, and notes what it names and no tool has. */
export function omitExcluded(settings: ServerConfig, whole: ServerSnapshot): ServerSnapshot {
  const pick = (tools: readonly ToolSnapshot[]): readonly ToolSnapshot[] =>
    tools.filter((tool) => isIncluded(settings, tool.name));
  return {
    ...whole,
    tools: pick(whole.tools),
    ...(whole.repeated !== undefined && { repeated: pick(whole.repeated) }),
    diagnostics: [
      ...whole.diagnostics.filter(
        ({ code, tool }) => code === "ENTRY_UNUSABLE" || isIncluded(settings, tool),
      ),
      ...findUnmatchedTexts(settings, whole),
    ],
  };
}

/**
 * Returns a function that throws `PRELUDE_REFUSED` if the calls before a list are not confirmed, or one is of a tool that is
 * not read-only. Undefined without calls.
 */
export function approvalOf(
  { server, settings, variant }: ServerTarget,
  confirm: ConfirmPrelude | undefined,
): ListHooks["approvePrelude"] {
  const calls = preludeOf(settings, variant);
  if (calls === undefined) return undefined;
  const names = calls.map(({ tool }) => tool);
  return async (tools) => {
    const isReadOnly = (name: string): boolean => {
      const listed = tools.find((tool) => tool.name === name);
      const hints = listed && getOwn(listed, "annotations");
      return (annotationsOf(settings, name)?.readOnlyHint ?? findOwn(hints, "readOnlyHint")) === true;
    };
    const writing = names.find((name) => !isReadOnly(name));
    if (writing !== undefined)
      throw refuse(
        `"prelude" calls ${JSON.stringify(writing)}, which is not marked as read-only.`,
        `If it changes nothing, set readOnlyHint for it in servers.${server}.tools.annotations.`,
      );
    if ((await confirm?.({ server, variant, calls })) === true) return;
    const quoted = names.map((name) => JSON.stringify(name));
    throw refuse(
      `The calls before the list ("prelude": ${quoted.join(", ")}) were not confirmed.`,
      `Run "npx mcp-codegen pull ${server}" on a terminal, or add --prelude to it.`,
    );
  };
}

function refuse(message: string, hint: string): McpCodegenError {
  return new McpCodegenError("PRELUDE_REFUSED", message, { hint });
}
