import { joinPointer } from "../../core/json-pointer.js";
import type { JsonValue } from "../../core/json.js";

/** One string of a definition: a key or a value. */
export interface FoundText {
  /** JSON Pointer to the value, or to the value of the key. */
  readonly path: string;
  readonly text: string;
  readonly isKey: boolean;
}

/** Returns every string of a JSON value, including keys, in document order. */
export function textsOf(root: JsonValue, pointer: string): readonly FoundText[] {
  const found: FoundText[] = [];
  // An explicit stack, since a server may nest deeper than recursion can go.
  const open: { readonly value: JsonValue; readonly path: string; readonly key?: string | undefined }[] = [
    { value: root, path: pointer },
  ];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const { value, path, key } = entry;
    if (key !== undefined) found.push({ path, text: key, isKey: true });
    if (typeof value === "string") found.push({ path, text: value, isKey: false });
    if (typeof value !== "object" || value === null) continue;
    const isList = Array.isArray(value);
    // Reversed, since the stack returns the last entry first.
    for (const [name, item] of Object.entries(value).reverse())
      open.push({ value: item, path: joinPointer(path, name), key: isList ? undefined : name });
  }
  return found;
}

/**
 * Letters of other scripts that look exactly like Latin letters (Unicode Technical Standard 39), as pairs: the look-alike,
 * then the Latin letter.
 */
const LOOK_ALIKES =
  "аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwкkмmтtвbгrпnАAВBЕEЗ3КKМMНHОOРPСCТTУYХXІIЈJЅSԌGԚQԜWүyҮYӏl" +
  "αaεeοoρpνvιiκkτtυuχxγyΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXϲcϳjɑaɡgıiｌlǀlօoսuցgհhոnԼLՏSՕO";

const LATIN_OF: ReadonlyMap<string, string> = new Map(
  Array.from(LOOK_ALIKES.matchAll(/(.)(.)/gu), ([, alike = "", latin = ""]): [string, string] => [
    alike,
    latin,
  ]),
);

const NON_ASCII = /[^\0-\x7f]/;
const IGNORABLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Mn}\u2800]/gu;

/**
 * Returns a text as it looks: replaces styled and full-width letters and look-alikes of other scripts by Latin letters,
 * and removes invisible characters and combining marks.
 */
function foldLetters(text: string): string {
  if (!NON_ASCII.test(text)) return text;
  const plain = text.normalize("NFKD").replace(IGNORABLE, "");
  return plain.replace(/[^\0-\x7f]/gu, (character) => LATIN_OF.get(character) ?? character);
}

/** As {@link foldLetters}, and replaces white space by single spaces. */
export function foldText(text: string): string {
  const letters = foldLetters(text);
  return (OTHER_SPACE.test(letters) ? letters.replace(/\s+/g, " ") : letters).trim();
}

/** White space that is not one space. */
const OTHER_SPACE = /\s\s|[^\S ]/;

/** Returns the words in a name: `ssh key` for `sshKey`, `ssh-key` and `SSH_KEY`. */
export function foldName(name: string): string {
  return foldLetters(name)
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[^A-Za-z\d]+/g, " ")
    .trim()
    .toLowerCase();
}

/**
 * Returns a form that is equal for names that look alike: it unifies look-alikes of other scripts, and ASCII characters
 * that look alike in many typefaces.
 */
export function skeletonOf(name: string): string {
  return foldLetters(name).replace(/[1I|]/g, "l").replace(/0/g, "O").replace(/rn/g, "m").replace(/vv/g, "w");
}

/** Returns the matches of a global pattern. `matchAll` would copy the pattern for every text, which takes longer than the search. */
export function matchesOf(text: string, pattern: RegExp): readonly RegExpExecArray[] {
  const matches: RegExpExecArray[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    matches.push(match);
    if (match[0] === "") pattern.lastIndex += 1;
  }
  return matches;
}
