import { getOwn, isJsonObject, type JsonValue } from "../../contract/json.js";

/**
 * Whether a change of icons is suspicious: an icon has a new origin, or one is an SVG and none was before. An SVG can
 * contain a script (specification 2025-11-25, `Icon`).
 */
export function isIconsChangeSuspicious(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): boolean {
  const [old, now] = [iconsOf(before), iconsOf(after)];
  const origins = new Set(old.map(({ origin }) => origin));
  return (
    (now.some(({ isSvg }) => isSvg) && !old.some(({ isSvg }) => isSvg)) ||
    now.some(({ origin }) => !isAllowed(origin) || (old.length > 0 && !origins.has(origin)))
  );
}

interface Icon {
  readonly origin: string;
  readonly isSvg: boolean;
}

/** Whether the specification allows the scheme of an icon; it forbids those that can run code. */
function isAllowed(origin: string): boolean {
  return origin === "" || origin === "data:" || /^https?:/.test(origin);
}

function iconsOf(value: JsonValue | undefined): readonly Icon[] {
  if (!Array.isArray(value)) return [];
  return value.map((icon: JsonValue): Icon => {
    const source = isJsonObject(icon) ? getOwn(icon, "src") : undefined;
    const type = isJsonObject(icon) ? getOwn(icon, "mimeType") : undefined;
    const address = typeof source === "string" ? source.trim() : "";
    return {
      origin: originOf(address),
      isSvg:
        (typeof type === "string" && /svg/i.test(type)) ||
        /^data:image\/svg/i.test(address) ||
        /\.svgz?(?:$|[?#])/i.test(address),
    };
  });
}

function originOf(address: string): string {
  const scheme = /^[a-z][a-z\d+.-]*:/i.exec(address)?.[0].toLowerCase() ?? "";
  if (scheme !== "https:" && scheme !== "http:") return scheme;
  return /^https?:[\\/]*([^\\/?#]*)/i.exec(address)?.[0].toLowerCase() ?? scheme;
}
