import { relative, sep } from "node:path";
import type { LoadedConfig } from "../config/load-config.js";
import { readPageAssets } from "../files/read-page-assets.js";
import { placesOf } from "../project/project.js";
import { collectPage, type PageContent, renderPage } from "../report/page/html.js";
import { readPackage } from "./own-package.js";

/** Returns a page as the text of an HTML file. */
export async function printPage(content: PageContent, loaded: LoadedConfig | undefined): Promise<string> {
  const { version } = readPackage();
  const { output } = loaded === undefined ? {} : placesOf(loaded);
  const project = loaded && {
    config: loaded.config,
    output: output === undefined ? undefined : relative(loaded.dir, output).split(sep).join("/"),
  };
  return renderPage(await collectPage({ ...content, version, project }), await readPageAssets());
}
