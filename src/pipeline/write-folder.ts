import type { WriteFilesOptions } from "../files/write-files.js";
import type { FolderComparison } from "./compare-folder.js";
import type { GenerateReport } from "./reports.js";

interface FolderWrite {
  readonly files: GenerateReport;
  /** Throws `FILE_EDITED` for files that were edited by hand and kept; absent if there are no such files. */
  readonly refuse?: () => void;
}

/** Writes the files that differ, and calls `beforeWriting` also if there are none. */
export async function writeFolder(
  folder: FolderComparison,
  dir: string | undefined,
  options: Omit<WriteFilesOptions, "keep">,
): Promise<FolderWrite> {
  const { current, diagnostics } = folder;
  const isCurrent = folder.files.length === 0 && folder.stale.length === 0 && !folder.isCutOff;
  const { force, keepEdited, beforeWriting } = options;
  if (dir === undefined) await beforeWriting?.();
  if (dir === undefined || (isCurrent && beforeWriting === undefined)) {
    return { files: { written: [], removed: [], unchanged: current.length, diagnostics } };
  }
  const { refuseEdited, writeFiles } = await import("../files/write-files.js");
  const result = await writeFiles(dir, folder.files, {
    keep: current,
    ...(force !== undefined && { force }),
    ...(keepEdited !== undefined && { keepEdited }),
    ...(beforeWriting !== undefined && { beforeWriting }),
  });
  const { written, removed, edited } = result;
  return {
    files: { written, removed, unchanged: current.length, diagnostics },
    ...(edited.length > 0 && {
      refuse: () => {
        refuseEdited(edited, result);
      },
    }),
  };
}
