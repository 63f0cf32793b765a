import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Returns the path of the first installed one of these programs. */
export function findProgram(names: readonly string[]): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

export const CHROMIUM = findProgram(["chromium", "chromium-browser", "google-chrome"]);
