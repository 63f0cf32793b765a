import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const OWN = fileURLToPath(new URL("./", import.meta.url));
/** Third-party data beside the project, which is not part of it. */
export const SHARED: string = fileURLToPath(new URL("../../../shared/data/", import.meta.url));

export const hasShared: boolean = existsSync(SHARED);

/** The JSON files of one kind: ours, and those of `../shared/data` where it exists. Absolute paths. */
export function dataFiles(
  kind:
    | "tool-lists"
    | "tool-changes"
    | "json-schema-cases"
    | "wordpress"
    | "wordpress/tools-adapter-0.4.1"
    | "wordpress/tools-adapter-0.5.0",
): readonly string[] {
  return [OWN, SHARED]
    .map((folder) => `${folder}${kind}/`)
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((file) => file.endsWith(".json"))
        .sort()
        .map((file) => folder + file),
    );
}

/** What a test expects of our fixtures alone, or of all data where `../shared/data` exists. */
export function expected<T>(ofOurs: T, ofAll: T): T {
  return hasShared ? ofAll : ofOurs;
}
