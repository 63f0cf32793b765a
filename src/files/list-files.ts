import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Returns the paths of the files in and below a folder that end so, sorted; none for a missing folder. Does not follow links. */
export async function listFiles(folder: string, ending: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  const found = await Promise.all(
    sorted.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === "node_modules" ? [] : listFiles(path, ending);
      return entry.isFile() && entry.name.endsWith(ending) && !entry.name.startsWith(".") ? [path] : [];
    }),
  );
  return found.flat();
}
