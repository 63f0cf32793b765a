import { keyOfTool } from "../../core/change.js";
import { findOutputs } from "../../serve/project/find-outputs.js";
import type { LoadedConfig } from "../../config/load-config.js";
import type { Lockfile } from "../../core/lockfile.js";
import { nextTurn } from "../../files/write-atomic.js";
import type { RenderedTool } from "../../emit/emit.js";
import { openLockfile, writeLockfile } from "../../files/lockfile-on-disk.js";
import { readWaivers } from "../../files/project-records.js";
import { compareFolder, writeFolder } from "./compare-folder.js";
import { findRaised, raiseContracts } from "./contract-bases.js";
import type { FolderOptions, WaiverOptions, GenerateReport } from "../reports.js";
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
    waivers,
    outputOf: await findOutputs(loaded),
    whileRendering: (tools) => scanAhead(source.lock(), tools),
  });
  if (folder.files.length > 0) {
    const [{ refuseUnaccepted }, { scanLock }] = await Promise.all([
      import("../check/waive-findings.js"),
      import("../../drift/security/scan-lock.js"),
    ]);
    const rendered = new Set(folder.renderedTools.map(keyOfTool));
    const suspicious = scanLock(source.lock(), waivers, {
      // The texts of tools whose files are up to date were scanned when the files were rendered.
      hasPassed: (server, tool) => !rendered.has(keyOfTool({ server, tool })),
    });
    refuseUnaccepted(source.lock(), suspicious, { waivers, today: options.today });
  }
  const files = await writeFolder(folder, places.output, {
    ...options,
    keepEdited: true,
    beforeWriting: raised.length > 0 ? () => writeLockfile(places.lock, source.lock()) : undefined,
  });
  return raised.length === 0 ? files : { ...files, raised };
}

/** Enough for about ten milliseconds, after which messages of threads are read. */
const SCANNED_AT_ONCE = 20;

/** Reads texts of tools for `refuseUnaccepted`. */
async function scanAhead(lock: Lockfile, tools: readonly RenderedTool[]): Promise<void> {
  const { createToolScan } = await import("../../drift/security/scan-lock.js");
  const scan = createToolScan(lock);
  for (const [at, { server, tool }] of tools.entries()) {
    scan(server, tool);
    if (at % SCANNED_AT_ONCE === 0) await nextTurn();
  }
}
