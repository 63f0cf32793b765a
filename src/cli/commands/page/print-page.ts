import { relative, sep } from "node:path";
import type { LoadedConfig } from "../../../config/load-config.js";
import { readPageAssets } from "../../../files/read-page-assets.js";
import { pageOf, type PageSource } from "../../../page/page-of-lock.js";
import type { PageProject } from "../../../page/page-tools.js";
import { renderPage } from "../../../page/render-page.js";
import { placesOf } from "../../../pipeline/places.js";
import { readPackage } from "../../read-package.js";

/** Returns a page as the text of an HTML file. */
export async function printPage(
  source: Omit<PageSource, "version" | "project">,
  loaded: LoadedConfig | undefined,
): Promise<string> {
  const data = await pageOf({
    ...source,
    version: readPackage().version,
    ...(loaded !== undefined && { project: projectOf(loaded) }),
  });
  return renderPage(data, await readPageAssets());
}

function projectOf(loaded: LoadedConfig): PageProject {
  const { output } = placesOf(loaded);
  return {
    config: loaded.config,
    ...(output !== undefined && { output: relative(loaded.dir, output).split(sep).join("/") }),
  };
}
