import { foldText } from "../texts.js";
import { type Idea, IDEAS, WORDS } from "./words.js";

/** Files and stores with secrets. */
const PLACES =
  "~/.ssh*|.ssh/*|id rsa*|id ed25519*|id ecdsa*|.aws/*|~/.aws*|aws/credentials|/etc/passwd|/etc/shadow|.netrc|.npmrc|.pypirc|.pgpass|.git credentials|.gitconfig|.bash history|.zsh history|.kube/*|.docker/*|.gnupg*|.cursor/*|mcp.json|claude desktop config*|wallet.dat|login data|cookies.sqlite|logins.json|key4.db|keychain|kwallet|keepass*|.kdbx|1password|bitwarden|authorized keys|known hosts|aws secret access key|github token|openai api key|anthropic api key|aws access key id|gcloud/*|.azure/*|application default credentials*|service account.json|/proc/self/environ|credentials.json|secrets.yaml|secrets.yml|secrets.json|.config/*|.terraform.d*|hosts.yml|metamask|.htpasswd|ntuser.dat|sam hive|.vault token|169.254.169.254"; // prettier-ignore

/** Programs that run other programs. */
const PROGRAMS = "terminal|shell|bash|sh|zsh|python|python3|powershell|sudo|npx|pip|chmod|eval";

/** A word in a text, with the idea that it expresses. */
export interface FoundWord {
  readonly idea: Idea;
  readonly from: number;
  readonly to: number;
}

/** What a word means, and whether it ends where it does in a text. */
interface Meaning {
  readonly idea: Idea;
  readonly isWhole: boolean;
}

const ALPHABETIC = /[\p{Script=Latin}\p{Script=Cyrillic}]/u;
/** A word that folding does not change. */
const PLAIN = /^[a-z'](?:[a-z']| (?! ))*$/;

/** Whether a code is that of a letter: 0 is unknown, 1 no, 2 yes. */
const letters = new Uint8Array(0x10000);

function isLetter(code: number): boolean {
  if (letters[code] === 0) letters[code] = ALPHABETIC.test(String.fromCharCode(code)) ? 2 : 1;
  return letters[code] === 2;
}

/** Unifies the case and the separators of a folded text. Keeps its length. */
function unify(text: string): string {
  const small = text.toLowerCase();
  const same = small.length === text.length ? small : text;
  return same.replace(/[_-]/g, " ").replaceAll("’", "'");
}

let grown: WordTree<Meaning> | undefined;

/** Returns the tree of all words. Created on demand, since many commands scan no text. */
function growTree(): WordTree<Meaning> {
  if (grown !== undefined) return grown;
  grown = new WordTree<Meaning>();
  for (const idea of IDEAS) for (const word of WORDS[idea]?.split("|") ?? []) addWord(grown, word, idea);
  for (const word of PLACES.split("|")) addWord(grown, word, "secretPlace");
  for (const word of PROGRAMS.split("|")) addWord(grown, word, "run");
  return grown;
}

function addWord(tree: WordTree<Meaning>, text: string, idea: Idea): void {
  const word = text.replace("*", "");
  const isWhole = word === text && isLetter(word.charCodeAt(word.length - 1));
  const last = word.endsWith(" ") ? " " : "";
  const folded = PLAIN.test(word) ? word : unify(foldText(word)) + last;
  if (folded !== "") tree.add(folded, { idea, isWhole });
}

/**
 * Returns the known words in a folded text, in their order. Takes linear time: each letter is compared at most as often as
 * the longest word has letters.
 */
export function findWords(text: string): readonly FoundWord[] {
  const tree = growTree();
  const found: FoundWord[] = [];
  const small = unify(text);
  let isInWord = false;
  for (let from = 0; from < small.length; from += 1) {
    const isContinued = isInWord;
    const code = small.charCodeAt(from);
    isInWord = isLetter(code);
    if (isContinued && isInWord) continue;
    let node = tree.next(0, code);
    for (let to = from + 1; node !== 0; to += 1) {
      // Beyond the end, `charCodeAt` returns a number that is not an integer, which slows down all others.
      const following = to < small.length ? small.charCodeAt(to) : 0;
      const meanings = tree.meaningsOf(node);
      if (meanings !== undefined)
        for (const { idea, isWhole } of meanings)
          if (!isWhole || !isLetter(following)) found.push({ idea, from, to });
      node = tree.next(node, following);
    }
  }
  return found;
}

/**
 * A tree of words with their meanings, by the codes of their letters. Node 0 is the root, and no child or sibling. Lists of
 * numbers, since a lexicon has 60,000 nodes: as objects they would be slow to create and to search.
 */
class WordTree<Meaning> {
  readonly #codes: number[] = [0];
  readonly #children: number[] = [0];
  readonly #siblings: number[] = [0];
  readonly #meanings: (Meaning[] | undefined)[] = [undefined];
  /** The children of the root, which are many. */
  readonly #starts = new Map<number, number>();

  /** Returns the child of a node for a letter; 0 without one. */
  next(node: number, code: number): number {
    if (node === 0) return this.#starts.get(code) ?? 0;
    let child = this.#children[node] ?? 0;
    while (child !== 0 && this.#codes[child] !== code) child = this.#siblings[child] ?? 0;
    return child;
  }

  meaningsOf(node: number): readonly Meaning[] | undefined {
    return this.#meanings[node];
  }

  add(word: string, meaning: Meaning): void {
    let node = 0;
    for (let at = 0; at < word.length; at += 1) {
      const code = word.charCodeAt(at);
      const next = this.next(node, code);
      node = next === 0 ? this.#grow(node, code) : next;
    }
    const known = this.#meanings[node];
    if (known === undefined) this.#meanings[node] = [meaning];
    else known.push(meaning);
  }

  #grow(parent: number, code: number): number {
    const node = this.#codes.push(code) - 1;
    this.#children.push(0);
    this.#siblings.push(parent === 0 ? 0 : (this.#children[parent] ?? 0));
    this.#meanings.push(undefined);
    if (parent === 0) this.#starts.set(code, node);
    else this.#children[parent] = node;
    return node;
  }
}
