import { join, resolve } from "node:path";
import { getOwn, isJsonObject, type JsonObject } from "../../core/json.js";
import { LOCKFILE_NAME } from "../../core/lockfile.js";
import { OBSERVED_NAME, OBSERVED_VERSION } from "../../core/observed.js";
import { withFileLock } from "../../files/write-atomic.js";
import { readLockfile } from "../../files/lockfile-on-disk.js";
import { readObserved, writeObserved } from "../../files/project-records.js";
import { observe } from "../../schema/infer/observe.js";
import { writeTogether } from "./cassette-folder.js";

/** The tool that answered. */
interface AnsweredTool {
  readonly server: string;
  readonly tool: string;
  /** The version of the contract that the caller was generated from. */
  readonly contract: string | undefined;
}

interface Answer extends AnsweredTool {
  readonly result: JsonObject;
}

/** The folders of projects that this process learns for, by path. */
const learners = new Map<string, (answer: Answer) => Promise<void>>();

/**
 * Adds the shape of an answer, without its values, to `mcp-codegen.observed.json` of a project. Ignores a tool that the lock
 * does not have in this version of the contract.
 *
 * @param folder the folder of the lock; a relative path is relative to the process
 * @throws McpCodegenError `LOCK_NOT_FOUND`, `LOCK_INVALID`, `OBSERVED_INVALID`, `FILE_FAILED`
 */
export async function learnAnswer(folder: string, tool: AnsweredTool, result: unknown): Promise<void> {
  const path = resolve(folder);
  const learnOne = learners.get(path) ?? createLearner(path);
  learners.set(path, learnOne);
  if (isJsonObject(result)) await learnOne({ ...tool, result });
}

function createLearner(folder: string): (answer: Answer) => Promise<void> {
  const digestOf = readDigests(folder);
  return writeTogether(async (answers) => learnAll(folder, answers, await digestOf()));
}

type DigestOf = (tool: AnsweredTool) => string | undefined;

/** Reads the lock once. */
function readDigests(folder: string): () => Promise<DigestOf> {
  let read: Promise<DigestOf> | undefined;
  return () =>
    (read ??= readLockfile(join(folder, LOCKFILE_NAME)).then(
      ({ servers }) =>
        ({ server, tool, contract }) => {
          const locked = getOwn(servers, server);
          const found = contract === locked?.contract ? getOwn(locked?.tools ?? {}, tool) : undefined;
          return found === undefined || getOwn(found.definition, "outputSchema") !== undefined
            ? undefined
            : found.digest;
        },
    ));
}

async function learnAll(folder: string, answers: readonly Answer[], digestOf: DigestOf): Promise<void> {
  const path = join(folder, OBSERVED_NAME);
  await withFileLock(join(folder, `.${OBSERVED_NAME}.lock`), async () => {
    const before = await readObserved(path);
    const servers = new Map(Object.entries(before.servers));
    for (const { result, ...tool } of answers) {
      const digest = digestOf(tool);
      if (digest === undefined) continue;
      const known = servers.get(tool.server) ?? {};
      const now = observe(digest, [result], getOwn(known, tool.tool), "further");
      if (now !== undefined) servers.set(tool.server, { ...known, [tool.tool]: now });
    }
    if (servers.size > 0)
      await writeObserved(path, { observedVersion: OBSERVED_VERSION, servers: Object.fromEntries(servers) });
  });
}
