import { createHash } from "node:crypto";
import type { PageData } from "./page-data.js";

/** The script and the style of a page, as built. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/**
 * Returns a page as one HTML file. No request leaves it: its policy allows its own script and style by their hashes, and
 * nothing else; a served page may also wait for changes from its own server. The script shows texts of servers as
 * text.
 */
export function renderPage(data: PageData, { script, style }: PageAssets): string {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src data:",
    ...(data.isServed ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="mcp-codegen">
<title>${escapeText(data.title)}</title>
<link rel="icon" href="${ICON}">
<style>${style}</style>
</head>
<body>
<noscript><p>This page needs JavaScript: its script is in this file, and requests nothing.</p></noscript>
<script type="application/json" id="data">${escapeJson(data)}</script>
<script>${script}</script>
</body>
</html>
`;
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b6e5f'/%3E%3Cpath d='M4 5l3 3-3 3M8.5 11.5H12' stroke='white' stroke-width='1.5' fill='none'/%3E%3C/svg%3E";

/** Of Content Security Policy level 3: the hash of the text between the tags. */
function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** JSON that cannot end its script, nor begin a comment in it (HTML, "Restrictions for contents of script elements"). */
function escapeJson(data: PageData): string {
  return JSON.stringify(data).replaceAll("<", "\\u003c");
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
