// The conformance suite imports fs.globSync, which Node has since version 22. Only its command "tier-check" calls it.
import { register } from "node:module";
import process from "node:process";

const HOOKS = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!url.includes("/@modelcontextprotocol/conformance/dist/")) return loaded;
    return { ...loaded, source: String(loaded.source).replace(/\\bglobSync as \\w+,/, "") };
  }
`;

if (Number(process.versions.node.split(".")[0]) < 22)
  register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
