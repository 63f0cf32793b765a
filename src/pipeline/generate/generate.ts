import { findSuspicious, loadJudges } from "../check/find-suspicious.js";
import type { Project } from "../../project/project.js";
import { compareFolder, writeFolder } from "./compare-folder.js";
import { findRaised, raiseContracts } from "./contract-bases.js";
import type { FolderOptions } from "../options.js";
import type { GenerateReport } from "./generate-report.js";

export interface GenerateOptions extends FolderOptions {
  /** Overwrite generated files that were edited by hand. */
  readonly force?: boolean | undefined;
}

/**
 * Lock → files, offline. Raises the contract of a server in the lock where a merge joined two branches that both counted to
 * one version. Throws before anything is written: `LOCK_NOT_FOUND`, `NAME_COLLISION`, `FILE_EDITED` for a
 * file that was not generated, `FINDING_UNACCEPTED` for a lock with unaccepted findings, and `CONFIG_INVALID` with
 * `output: false`. Files edited by hand are kept: all others are written, then `FILE_EDITED` names them.
 */
export async function generate(project: Project, options: GenerateOptions = {}): Promise<GenerateReport> {
  const { output } = project;
  await project.sweep();
  const onDisk = await project.lock();
  const waivers = await project.waivers();
  const raised = await findRaised(project);
  const lock = raised.length === 0 ? undefined : raiseContracts(onDisk.lock(), raised);
  const folder = await compareFolder(project, { ...options, lock });
  const after = lock === undefined ? onDisk : { lock: () => lock };
  const suspicious = await findSuspicious(project, after, options.trusts);
  if (suspicious.length + waivers.length > 0) {
    const { refuseUnaccepted } = await loadJudges();
    refuseUnaccepted(after.lock(), suspicious, { waivers, today: project.run.today });
  }
  const files = await writeFolder(folder, output, {
    ...options,
    keepEdited: true,
    beforeWriting: lock && (() => project.writeLock(lock)),
  });
  return lock === undefined ? files : { ...files, raised };
}
