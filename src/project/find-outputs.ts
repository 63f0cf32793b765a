import { join, relative, resolve } from "node:path";
import type { LoadedConfig } from "../config/load-config.js";
import { McpCodegenError } from "../core/errors.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import type { LockedServer } from "../core/lockfile.js";
import { NOTHING_OBSERVED, OBSERVED_NAME, type Observed } from "../core/observed.js";
import type { OutputOf } from "../emit/plan-files.js";
import { parseJson } from "../files/parse-json.js";
import { readObserved } from "../files/project-records.js";
import { findBounded } from "../files/read-files.js";

/**
 * Returns the output schemas of tools that declare none: those of the configuration, or else those that were learned from
 * answers. An observation of another definition is not used. Undefined where there is neither.
 *
 * @throws McpCodegenError `OBSERVED_INVALID`, `FILE_FAILED`; `CONFIG_INVALID` for a file in `outputs` without a schema
 */
export async function findOutputs(loaded: LoadedConfig): Promise<OutputOf | undefined> {
  const [observed, stated] = await Promise.all([
    readObserved(join(loaded.dir, OBSERVED_NAME)),
    readStated(loaded),
  ]);
  if (stated.size === 0 && observed === NOTHING_OBSERVED) return undefined;
  return (server, tool, digest) => {
    const schema = stated.get(keyOf(server, tool));
    if (schema !== undefined) return { output: { schema } };
    return findObserved(observed, server, tool, digest);
  };
}

/** Returns the output schemas that callers of a locked server rely on where its tools declare none. */
export function expectedOutputs(
  locked: LockedServer | undefined,
  server: string,
  outputOf: OutputOf,
): (tool: string) => JsonValue | undefined {
  return (tool) => {
    const digest = getOwn(locked?.tools ?? {}, tool)?.digest;
    const output = digest === undefined ? undefined : outputOf(server, tool, digest);
    return output !== undefined && "output" in output ? output.output.schema : undefined;
  };
}

function findObserved(
  { servers }: Observed,
  server: string,
  tool: string,
  digest: string,
): ReturnType<OutputOf> {
  const observed = getOwn(getOwn(servers, server) ?? {}, tool);
  if (observed?.schema === undefined) return undefined;
  const { schema, samples, answers } = observed;
  if (observed.digest === digest)
    return { output: { schema, observed: samples }, answers: answers === "text" ? undefined : answers };
  return {
    unused: `Its answers were observed before its definition changed. Record it again and run "npx mcp-codegen generate --learn ${server}".`,
  };
}

async function readStated({ config, dir }: LoadedConfig): Promise<ReadonlyMap<string, JsonObject>> {
  const entries = Object.entries(config.servers).flatMap(([server, { outputs = {} }]) =>
    Object.entries(outputs).map(async ([tool, stated]): Promise<readonly [string, JsonObject]> => {
      const schema = typeof stated === "string" ? await readSchema(resolve(dir, stated), dir) : stated;
      return [keyOf(server, tool), schema];
    }),
  );
  return new Map(await Promise.all(entries));
}

async function readSchema(path: string, dir: string): Promise<JsonObject> {
  const bytes = await findBounded(path);
  const parsed = bytes && parseJson(bytes.toString("utf8"));
  if (parsed !== undefined && "value" in parsed && isJsonObject(parsed.value)) return parsed.value;
  const problem =
    parsed === undefined
      ? "does not exist"
      : "problem" in parsed
        ? `is not JSON at line ${parsed.problem.line}, column ${parsed.problem.column}: ${parsed.problem.reason}`
        : "holds no JSON Schema";
  throw new McpCodegenError(
    "CONFIG_INVALID",
    `"${relative(dir, path)}", an output schema of the configuration, ${problem}.`,
  );
}

function keyOf(server: string, tool: string): string {
  return JSON.stringify([server, tool]);
}
