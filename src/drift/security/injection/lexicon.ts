import { foldText } from "../texts.js";
import { ENGLISH_WORDS, type Idea, IDEAS, type Words } from "./words/english.js";
import { LATIN_WORDS } from "./words/latin.js";
import { OTHER_WORDS } from "./words/other.js";
import { ROMANCE_WORDS } from "./words/romance.js";

/** Files and stores with secrets. Their names are the same in every language. */
const PLACES =
  "~/.ssh*|.ssh/*|id rsa*|id ed25519*|id ecdsa*|.aws/*|~/.aws*|aws/credentials|/etc/passwd|/etc/shadow|.netrc|.npmrc|.pypirc|.pgpass|.git credentials|.gitconfig|.bash history|.zsh history|.kube/*|.docker/*|.gnupg*|.cursor/*|mcp.json|claude desktop config*|wallet.dat|login data|cookies.sqlite|logins.json|key4.db|keychain|kwallet|keepass*|.kdbx|1password|bitwarden|authorized keys|known hosts|aws secret access key|github token|openai api key|anthropic api key|aws access key id|gcloud/*|.azure/*|application default credentials*|service account.json|/proc/self/environ|credentials.json|secrets.yaml|secrets.yml|secrets.json|.config/*|.terraform.d*|hosts.yml|metamask|.htpasswd|ntuser.dat|sam hive|.vault token|169.254.169.254"; // prettier-ignore

/** Programs that run other programs. */
const PROGRAMS = "terminal|shell|bash|sh|zsh|python|python3|powershell|sudo|npx|pip|chmod|eval";

/** The language of words that are the same in every language. */
export const ANY_LANGUAGE = "";

const LEXICON: { readonly [language: string]: Words } = {
  ...ENGLISH_WORDS,
  ...ROMANCE_WORDS,
  ...LATIN_WORDS,
  ...OTHER_WORDS,
};

/** Whether texts in a language need its most common words, since its letters do not show the language. */
export const isLatin = (language: string): boolean => LEXICON[language]?.common !== undefined;

/** A word in a text, with the idea that it expresses in a language. */
export interface FoundWord {
  readonly language: string;
  readonly idea: Idea;
  readonly from: number;
  readonly to: number;
}

interface Node {
  readonly next: Map<string, Node>;
  readonly words: { readonly language: string; readonly idea: Idea; readonly isWhole: boolean }[];
}

const makeNode = (): Node => ({ next: new Map(), words: [] });

const ALPHABETIC = /[\p{Script=Latin}\p{Script=Cyrillic}]/u;
const isLetter = (letter: string | undefined): boolean => letter !== undefined && ALPHABETIC.test(letter);

/** Unifies the case and the separators of a folded text. Keeps its length. */
function unify(text: string): string {
  const small = text.toLowerCase();
  const same = small.length === text.length ? small : text;
  return same.replace(/[_-]/g, " ").replaceAll("’", "'");
}

interface Trees {
  readonly ideas: Node;
  /** The most common words. Most sentences need none of them. */
  readonly common: Node;
}

let grown: Trees | undefined;

/** Returns the trees of all words. Created on demand, since many commands scan no text. */
function growTrees(): Trees {
  if (grown !== undefined) return grown;
  const [root, common] = [makeNode(), makeNode()];
  for (const [language, words] of Object.entries(LEXICON)) {
    for (const idea of IDEAS) {
      const tree = idea === "common" ? common : root;
      for (const word of words[idea]?.split("|") ?? []) addWord(tree, word, { language, idea });
    }
  }
  for (const word of PLACES.split("|")) addWord(root, word, { language: ANY_LANGUAGE, idea: "secretPlace" });
  for (const word of PROGRAMS.split("|")) addWord(root, word, { language: ANY_LANGUAGE, idea: "run" });
  grown = { ideas: root, common };
  return grown;
}

function addWord(
  root: Node,
  text: string,
  meaning: { readonly language: string; readonly idea: Idea },
): void {
  const word = text.replace("*", "");
  if (word === "") return;
  const isWhole = word === text && isLetter(word.at(-1));
  const last = word.endsWith(" ") ? " " : "";
  // Small and capital letters have different look-alikes, so a word beyond ASCII has several folded forms.
  const forms = /[^\0-\x7f]/.test(word)
    ? [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()]
    : [word];
  for (const form of new Set(forms.map((each) => unify(foldText(each)) + last))) {
    let node = root;
    for (const letter of form) {
      const next = node.next.get(letter) ?? makeNode();
      node.next.set(letter, next);
      node = next;
    }
    node.words.push({ ...meaning, isWhole });
  }
}

/**
 * Returns the known words in a folded text, in their order. Takes linear time: each letter is compared at most as often as
 * the longest word has letters.
 */
export function findWords(text: string): readonly FoundWord[] {
  return findIn(growTrees().ideas, text);
}

/** Returns how many of the most common words of a language a folded text has. */
export function countCommon(text: string, language: string): number {
  return findIn(growTrees().common, text).filter((word) => word.language === language).length;
}

function findIn(root: Node, text: string): readonly FoundWord[] {
  const found: FoundWord[] = [];
  const letters = unify(text);
  let isInWord = false;
  for (let from = 0; from < letters.length; from += 1) {
    const isContinued = isInWord;
    isInWord = isLetter(letters[from]);
    if (isContinued && isInWord) continue;
    let node = root.next.get(letters[from] ?? "");
    for (let to = from + 1; node !== undefined; to += 1) {
      for (const { language, idea, isWhole } of node.words)
        if (!isWhole || !isLetter(letters[to])) found.push({ language, idea, from, to });
      node = node.next.get(letters[to] ?? "");
    }
  }
  return found;
}
