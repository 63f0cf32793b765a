import { stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import type { VariableLookup } from "../core/connection.js";
import { McpCodegenError } from "../core/errors.js";
import { getOwn } from "../core/json.js";
import { readTextBounded } from "../files/read-files.js";

/** The files with variables next to the configuration; earlier ones win. */
export const ENV_FILES = [".env.local", ".env"] as const;

interface VariableSources {
  /** The folder of the configuration, with `.env` and `.env.local`. */
  readonly dir: string;
  /** The process environment; it wins over every file. */
  readonly environment: { readonly [name: string]: string | undefined };
  /** A file named by the user, which wins over `.env.local`; relative to `dir`. */
  readonly envFile?: string | undefined;
}

/**
 * Returns the values for `${VAR}`: from the environment, then the named file, then `.env.local`, then `.env`.
 *
 * @throws McpCodegenError `CONFIG_NOT_FOUND` when the named file cannot be read
 */
export async function readVariables(sources: VariableSources): Promise<VariableLookup> {
  const { dir, environment, envFile } = sources;
  const files = await Promise.all([
    ...(envFile === undefined ? [] : [readEnvFile(resolve(dir, envFile))]),
    ...ENV_FILES.map((name) => readEnvFile(join(dir, name)).catch((): Variables => ({}))),
  ]);
  return (name) => {
    for (const variables of [environment, ...files]) {
      const value = getOwn(variables, name);
      if (value !== undefined) return value;
    }
    return undefined;
  };
}

type Variables = VariableSources["environment"];

async function readEnvFile(path: string): Promise<Variables> {
  return parseEnv(await readTextBounded(path, (cause) => refuseEnvFile(path, cause)));
}

function refuseEnvFile(path: string, cause?: unknown): McpCodegenError {
  const message = `The environment file "${basename(path)}" cannot be read.`;
  const hint = 'Name an existing file with "--env-file".';
  return new McpCodegenError("CONFIG_NOT_FOUND", message, { hint, cause });
}

/** Throws `CONFIG_NOT_FOUND` for a file that is not there. Commands that need no variables would not notice. */
export async function assertEnvFile(path: string): Promise<void> {
  // A pipe can be read only once.
  const entry = await stat(path).catch((cause: unknown) => {
    throw refuseEnvFile(path, cause);
  });
  if (entry.isDirectory()) throw refuseEnvFile(path);
}
