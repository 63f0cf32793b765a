import { resolve } from "node:path";
import type { ServerConfig } from "../config/config.js";
import { annotationsOf, isIncluded } from "../config/match-tools.js";
import { type PreludeCall, preludeOf } from "../core/connection.js";
import { McpCodegenError } from "../core/errors.js";
import { findOwn, getOwn } from "../core/json.js";
import type { ServerSnapshot, ToolSnapshot } from "../core/snapshot.js";
import {
  hideInSnapshot,
  hideSecretsOf,
  type ListRequest,
  type Target,
} from "../client/listing/list-in-session.js";
import type { RunContext, TakenSnapshot } from "../client/listing/list-server.js";
import type { Endpoint } from "../client/endpoint.js";
import type { RequestContext } from "../client/session.js";

/** A configured server, in one of its environments and variants. */
export type ServerTarget = Target<ServerConfig>;

/**
 * Called with the list while the server is connected; `listAgain` lists once more. An error rejects the
 * snapshot. Saved lists are not confirmed.
 */
export type ConfirmList = (first: ServerSnapshot, listAgain: () => Promise<ServerSnapshot>) => Promise<void>;

interface PreludeRequest {
  readonly server: string;
  readonly variant?: string | undefined;
  readonly calls: readonly PreludeCall[];
}

export type ConfirmPrelude = (request: PreludeRequest) => boolean | Promise<boolean>;

export interface SnapshotHooks {
  /** Called when all settings are resolved, before the source is read. */
  readonly onConnect?: (() => void) | undefined;
  /** Called after each page, with the number of tools so far. */
  readonly onPage?: ((page: number, tools: number) => void) | undefined;
  readonly confirm?: ConfirmList | undefined;
  readonly confirmPrelude?: ConfirmPrelude | undefined;
}

/**
 * Takes the snapshot of a configured server: from a saved list, the live server, or PHP code when nothing else is
 * configured. Tools that the configuration excludes are omitted.
 *
 * @throws McpCodegenError `VARIABLE_MISSING` before it connects; with exit code 3 when the list could not be read
 *   completely
 */
export async function snapshotServer(
  target: ServerTarget,
  context: RunContext,
  { onConnect, onPage, confirm, confirmPrelude }: SnapshotHooks = {},
): Promise<TakenSnapshot> {
  const { server, settings, variant } = target;
  const { dir, signal } = context;
  const pick = (whole: ServerSnapshot): ServerSnapshot => pickTools(settings, whole);
  if (settings.file !== undefined) {
    onConnect?.();
    const { snapshotFile } = await import("./file/snapshot-file.js");
    return { snapshot: pick(await snapshotFile(server, resolve(dir, settings.file), settings.readLimit)) };
  }
  if (settings.php !== undefined && settings.url === undefined && settings.command === undefined) {
    onConnect?.();
    const { snapshotPhp } = await import("./php/snapshot-of-php.js");
    return { snapshot: pick(await snapshotPhp(server, settings.php, settings, { dir, signal })) };
  }
  const calls = preludeOf(settings, variant);
  const { listServer } = await import("../client/listing/list-server.js");
  const taken = await listServer(target, context, {
    onConnect,
    onPage,
    approvePrelude:
      calls &&
      ((tools) => approvePrelude({ server, variant, calls }, { tools, settings, confirm: confirmPrelude })),
    confirm: confirm && ((first, listAgain) => confirm(pick(first), async () => pick(await listAgain()))),
  });
  return { ...taken, snapshot: pick(taken.snapshot) };
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
  const { listInSession } = await import("../client/listing/list-in-session.js");
  const { snapshot } = await listInSession(target, connection, request);
  return pickTools(target.settings, hideInSnapshot(snapshot, hideSecretsOf(connection.endpoint)));
}

function pickTools(settings: ServerConfig, whole: ServerSnapshot): ServerSnapshot {
  const pick = (tools: readonly ToolSnapshot[]): readonly ToolSnapshot[] =>
    tools.filter((tool) => isIncluded(settings, tool.name));
  return {
    ...whole,
    tools: pick(whole.tools),
    ...(whole.repeated !== undefined && { repeated: pick(whole.repeated) }),
    diagnostics: whole.diagnostics.filter(
      ({ code, tool }) => code === "ENTRY_UNUSABLE" || isIncluded(settings, tool),
    ),
  };
}

/** Throws `PRELUDE_REFUSED` for a call of a tool that is not read-only, or that was not confirmed. */
async function approvePrelude(
  request: PreludeRequest,
  {
    tools,
    settings,
    confirm,
  }: {
    readonly tools: readonly ToolSnapshot[];
    readonly settings: ServerConfig;
    readonly confirm: ConfirmPrelude | undefined;
  },
): Promise<void> {
  const names = request.calls.map(({ tool }) => tool);
  const isReadOnly = (name: string): boolean => {
    const listed = tools.find((tool) => tool.name === name);
    const hints = listed && getOwn(listed, "annotations");
    return (annotationsOf(settings, name)?.readOnlyHint ?? findOwn(hints, "readOnlyHint")) === true;
  };
  const writing = names.find((name) => !isReadOnly(name));
  if (writing !== undefined) {
    throw new McpCodegenError(
      "PRELUDE_REFUSED",
      `"prelude" calls ${JSON.stringify(writing)}, which is not marked as read-only.`,
      {
        hint: `If it changes nothing, set readOnlyHint for it in servers.${request.server}.tools.annotations.`,
      },
    );
  }
  if ((await confirm?.(request)) === true) return;
  const calls = names.map((name) => JSON.stringify(name)).join(", ");
  throw new McpCodegenError(
    "PRELUDE_REFUSED",
    `The calls before the list ("prelude": ${calls}) were not confirmed.`,
    { hint: `Run "npx mcp-codegen pull ${request.server}" on a terminal, or add --prelude to it.` },
  );
}
