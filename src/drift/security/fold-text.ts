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
 * A text as it looks: styled and full-width letters plain, look-alikes of other scripts Latin, invisible characters
 * and combining marks gone.
 */
export function foldLetters(text: string): string {
  if (!NON_ASCII.test(text)) return text;
  const plain = text.normalize("NFKD").replace(IGNORABLE, "");
  return plain.replace(/[^\0-\x7f]/gu, (character) => LATIN_OF.get(character) ?? character);
}

/** A text as it is read: {@link foldLetters}, on one line, one space where there was white space. */
export function foldText(text: string): string {
  return foldLetters(text).replace(/\s+/g, " ").trim();
}

/** The words in a name: `sshKey`, `ssh-key` and `SSH_KEY` all give `ssh key`. */
export function foldName(name: string): string {
  return foldLetters(name)
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[^A-Za-z\d]+/g, " ")
    .trim()
    .toLowerCase();
}

/**
 * What two names have in common when they are hard to tell apart: look-alikes of other scripts, and within ASCII the
 * digits and letters that many typefaces draw alike.
 */
export function skeletonOf(name: string): string {
  return foldLetters(name).replace(/[1I|]/g, "l").replace(/0/g, "O").replace(/rn/g, "m").replace(/vv/g, "w");
}
