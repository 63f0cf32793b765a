import { basename, dirname, isAbsolute, relative, resolve, sep } from "node:path";

/** A file, or a folder with all PHP below it, and its listener. */
export interface WatchedPath {
  readonly path: string;
  readonly onChange: () => void;
}

/** Files of a watched folder that can change which abilities its PHP registers. */
const RELEVANT = /\.(?:php|inc|json)$/i;
/** Files that mcp-codegen writes. */
const WRITTEN = /^mcp-codegen\.(?:lock|waivers)\.json$/;

/**
 * Watches files and folders, including those that do not exist yet. Resolves once every change is noticed, with a function
 * that ends the watch.
 *
 * @param options.output the folder of generated files, which is not watched
 * @param options.onError called when some files cannot be watched, such as beyond the system's limit
 */
export async function watchFiles(
  watched: readonly WatchedPath[],
  { output, onError }: { readonly output?: string | undefined; readonly onError: (error: Error) => void },
): Promise<() => Promise<void>> {
  // Without paths, chokidar never becomes ready.
  if (watched.length === 0) return () => Promise.resolve();
  const { watch } = await import("chokidar");
  const places = watched.map(({ path }) => path);
  const isIgnored = (path: string, isFile: boolean): boolean => {
    if (places.some((place) => isInside(place, path))) return false;
    if (!places.some((place) => isInside(path, place))) return true;
    if (output !== undefined && isInside(path, output)) return true;
    const name = basename(path);
    if (name === "node_modules" || name.startsWith(".")) return true;
    return isFile && (!RELEVANT.test(name) || WRITTEN.test(name));
  };
  // Folders are watched, since a file may be deleted and written again.
  const watcher = watch([...new Set(places.map((place) => dirname(place)))], {
    ignoreInitial: true,
    ignored: (path, stats) => isIgnored(resolve(path), stats?.isFile() === true),
  });
  watcher.on("all", (event, path) => {
    if (event === "addDir") return;
    for (const { path: place, onChange } of watched) if (isInside(resolve(path), place)) onChange();
  });
  watcher.on("error", (error) => {
    onError(error instanceof Error ? error : new Error(String(error)));
  });
  await new Promise<void>((done) => watcher.once("ready", done));
  return () => watcher.close();
}

/** Whether a path is a folder or below it. */
function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
