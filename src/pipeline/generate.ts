import { findOutputs } from "./find-outputs.js";
import type { LoadedConfig } from "../config/load-config.js";
import { openLockfile } from "../files/lockfile-on-disk.js";
import { readWaivers } from "../files/waivers-on-disk.js";
import { compareFolder, writeFolder } from "./compare-folder.js";
import type { RenderOptions, WaiverOptions, GenerateReport } from "./reports.js";
import { outputOf, placesOf, sweep } from "./places.js";

export { EMIT_REVISION } from "../emit/plan-files.js";

export interface GenerateOptions extends RenderOptions, WaiverOptions {
  /** Overwrite generated files that were edited by hand. */
  readonly force?: boolean;
}

/**
 * Lock → files, offline. Throws before anything is written: `LOCK_NOT_FOUND`, `NAME_COLLISION`, `FILE_EDITED` for a
 * file that was not generated, `FINDING_UNACCEPTED` for a lock with unaccepted findings, and `CONFIG_INVALID` with
 * `output: false`. Files edited by hand are kept: all others are written, then `FILE_EDITED` names them.
 */
export async function generate(loaded: LoadedConfig, options: GenerateOptions = {}): Promise<GenerateReport> {
  const places = { ...placesOf(loaded), output: outputOf(loaded) };
  await sweep(places);
  const source = await openLockfile(places.lock);
  const waivers = await readWaivers(places.waivers);
  const folder = await compareFolder(source, loaded.config, places.output, {
    ...options,
    waivers,
    outputOf: await findOutputs(loaded),
  });
  if (folder.files.length > 0) {
    const { refuseUnaccepted } = await import("./waive-findings.js");
    // Tools whose files are up to date were scanned when the files were rendered.
    refuseUnaccepted(source.lock(), folder.renderedTools, {
      waivers,
      today: options.today,
    });
  }
  const { files, refuse } = await writeFolder(folder, places.output, { ...options, keepEdited: true });
  refuse?.();
  return files;
}
