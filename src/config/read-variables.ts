import { basename, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import type { VariableLookup } from "../core/connection.js";
import { McpCodegenError } from "../core/errors.js";
import { getOwn } from "../core/json.js";
import { readBounded } from "../files/read-bounded.js";

/** The files with variables next to the configuration; earlier ones win. */
export const ENV_FILES = [".env.local", ".env"] as const;

export interface VariableSources {
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
    ...(envFile === undefined ? [] : [readEnvFile(resolve(dir, envFile), true)]),
    ...ENV_FILES.map((name) => readEnvFile(join(dir, name), false)),
  ]);
  return (name) => {
    for (const variables of [environment, ...files]) {
      const value = getOwn(variables, name);
      if (value !== undefined) return value;
    }
    return undefined;
  };
}

async function readEnvFile(
  path: string,
  isNamed: boolean,
): Promise<{ readonly [name: string]: string | undefined }> {
  let text: string;
  try {
    text = (await readBounded(path)).toString("utf8");
  } catch (cause) {
    if (!isNamed) return {};
    if (cause instanceof McpCodegenError) throw cause;
    throw new McpCodegenError(
      "CONFIG_NOT_FOUND",
      `The environment file "${basename(path)}" cannot be read.`,
      {
        hint: 'Name an existing file with "--env-file".',
        cause,
      },
    );
  }
  return parseEnv(text);
}
