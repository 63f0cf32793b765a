const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["image/jpeg", "jpg"],
  ["image/svg+xml", "svg"],
  ["audio/mpeg", "mp3"],
  ["audio/x-wav", "wav"],
  ["text/plain", "txt"],
]);

/** A name for the file of a part of an answer: of the tool, the number of the part, and what it is. */
export function nameFile(tool: string, number: number, mimeType: string): string {
  const stem = tool.replace(/[^\w-]/g, "_").slice(0, 80);
  const [type = ""] = mimeType.toLowerCase().split(";");
  const subtype = type.split("/")[1] ?? "";
  const extension = EXTENSIONS.get(type) ?? (/^[a-z0-9]{1,8}$/.test(subtype) ? subtype : "bin");
  return `${stem}-${number}.${extension}`;
}
