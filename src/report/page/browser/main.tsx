/** The script of a page. It reads the data beside it, and shows the view of the address. */
import { render } from "preact";
import { type PageData, readAddress } from "../page-data.js";
import { App } from "./app.js";

// `renderPage` writes this JSON.
const data = JSON.parse(document.getElementById("data")?.textContent ?? "") as PageData;
const root = document.getElementById("page") ?? document.body;
root.replaceChildren();

function show(): void {
  const { hash } = location;
  const address = hash.length > 1 ? readAddress(hash) : "";
  render(<App data={data} address={address} />, root);
  const heading = root.querySelector("h1")?.textContent ?? "";
  document.title = address === "" ? data.title : `${heading} · ${data.title}`;
}

addEventListener("hashchange", () => {
  show();
  scrollTo(0, 0);
  // Screen readers announce the new heading.
  root.querySelector("h1")?.focus({ preventScroll: true });
});
show();
performance.mark("mcp-codegen-ready");

if (data.isServed) {
  new EventSource("events").addEventListener("change", () => {
    location.reload();
  });
}
