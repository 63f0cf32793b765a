import { readPageAssets } from "../files/read-page-assets.js";
import { type PageContent, renderPage } from "../report/page/html.js";

/** Returns a page as the text of an HTML file. */
export async function printPage(content: PageContent): Promise<string> {
  return renderPage(content, await readPageAssets());
}
