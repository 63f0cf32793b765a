/**
 * The words of a name or a text, in small letters: `createBlogPost`, `create_blog_post`, `create-blog.post` and
 * "Create blog post" have the same. Digits stay with the letters before them (`r2`, `k8s`, `mp3`). Accents are taken off.
 */
export function splitWords(text: string): readonly string[] {
  const plain = /[^\p{ASCII}]/u.test(text) ? text.normalize("NFKD").replace(/\p{Mark}/gu, "") : text;
  // "P&L" is one word; so is no other text with "&".
  const parts =
    plain.match(
      /(?<![\p{Letter}\p{Number}])\p{Letter}&\p{Letter}(?![\p{Letter}\p{Number}])|[\p{Letter}\p{Number}]+/gu,
    ) ?? [];
  return parts.flatMap((part) => {
    const small = part.toLowerCase();
    return small === part ? part : splitCase(part).map((word) => word.toLowerCase());
  });
}

/** The parts of `HTTPServer2Name`: HTTP, Server2, Name. Plurals of acronyms (`VMs`, `APIs`) stay whole. */
function splitCase(word: string): readonly string[] {
  // A version is a part of its own, after an acronym too: `installSSLV1`.
  const version = /(?<=.)V\d+$/.exec(word)?.[0] ?? "";
  if (version !== "") return [...splitCase(word.slice(0, -version.length)), version];
  if (/^\p{Letter}&/u.test(word)) return [word];
  return word.match(/\p{Lu}+s?(?!\p{Ll})\p{Number}*|\p{Lu}?[^\p{Lu}]+|\p{Lu}+/gu) ?? [word];
}
