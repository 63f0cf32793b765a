import { findOutputs } from "../../project/find-outputs.js";
import type { LoadedConfig } from "../../config/load-config.js";
import { openLockfile, writeLockfile } from "../../files/lockfile-on-disk.js";
import { readWaivers } from "../../files/project-records.js";
import { compareFolder, writeFolder } from "./compare-folder.js";
import { findRaised, raiseContracts } from "./contract-bases.js";
import type { FolderOptions, WaiverOptions } from "../options.js";
import type { GenerateReport } from "./generate-report.js";
import { outputOf, placesOf, sweep } from "../places.js";

export { EMIT_REVISION } from "../../emit/plan-files.js";

export interface GenerateOptions extends FolderOptions, WaiverOptions {
  /** Overwrite generated files that were edited by hand. */
  readonly force?: boolean | undefined;
}

/**
 * Lock → files, offline. Raises the contract of a server in the lock where a merge joined two branches that both counted to
 * one version. Throws before anything is written: `LOCK_NOT_FOUND`, `NAME_COLLISION`, `FILE_EDITED` for a
 * file that was not generated, `FINDING_UNACCEPTED` for a lock with unaccepted findings, and `CONFIG_INVALID` with
 * `output: false`. Files edited by hand are kept: all others are written, then `FILE_EDITED` names them.
 */
export async function generate(loaded: LoadedConfig, options: GenerateOptions = {}): Promise<GenerateReport> {
  const places = { ...placesOf(loaded), output: outputOf(loaded) };
  await sweep(places);
  const onDisk = await openLockfile(places.lock);
  const waivers = await readWaivers(places.waivers);
  const raised = await findRaised(loaded, onDisk.lock);
  const source = raised.length === 0 ? onDisk : { lock: () => raiseContracts(onDisk.lock(), raised) };
  const folder = await compareFolder(source, loaded.config, places.output, {
    ...options,
    outputOf: await findOutputs(loaded),
  });
  const { refuseUnaccepted } = await import("../check/waive-findings.js");
  const { scanLock } = await import("../../drift/security/scan-lock.js");
  refuseUnaccepted(source.lock(), scanLock(source.lock()), { waivers, today: options.today });
  const files = await writeFolder(folder, places.output, {
    ...options,
    keepEdited: true,
    beforeWriting: raised.length > 0 ? () => writeLockfile(places.lock, source.lock()) : undefined,
  });
  return raised.length === 0 ? files : { ...files, raised };
}
