const LONGEST = 200;
// C0 and C1 controls, bidirectional marks, zero-width characters and line separators: none belongs in a terminal line.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

/** Returns one short printable line of a text from a server, for an error message. HTML tags are removed. */
export function excerpt(text: string): string {
  const head = text.slice(0, 20_000);
  const words = /<[a-z!/]/i.test(head)
    ? head.replace(/<(script|style|head)\b[\s\S]*?<\/\1\s*>/gi, " ").replace(/<[^>]*>/g, " ")
    : head;
  const line = words.replace(UNPRINTABLE, " ").replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
