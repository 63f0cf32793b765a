import { renderToString } from "preact-render-to-string";
import type { PageData } from "../page-data.js";
import { App } from "./app.js";

/** Returns the view at an address as HTML. */
export function toHtml(data: PageData, address = ""): string {
  return renderToString(<App data={data} address={address} />);
}
