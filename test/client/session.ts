import { onTestFinished } from "vitest";
import type { ConnectionSettings } from "../../src/core/connection-settings.js";
import { McpCodegenError } from "../../src/core/errors.js";
import { openSession, type SessionOptions } from "../../src/client/open-session.js";
import type { Session } from "../../src/client/session.js";
import { endpointOf } from "./endpoint.js";

interface Options extends SessionOptions {
  readonly variables?: { readonly [name: string]: string };
}

/** Opens a session that ends with the test. */
export async function open(
  settings: ConnectionSettings,
  { variables, ...options }: Options = {},
): Promise<Session> {
  const session = await openSession(endpointOf(settings, variables), options);
  onTestFinished(() => session.close());
  return session;
}

/** Opens a session, and asks for its tools. */
export async function listTools(settings: ConnectionSettings, options?: Options): Promise<unknown> {
  return (await (await open(settings, options)).request("tools/list", {}))["tools"];
}

export async function failureOf(work: Promise<unknown>): Promise<McpCodegenError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof McpCodegenError) return error;
  throw new Error("It did not fail with a McpCodegenError.", { cause: error });
}
