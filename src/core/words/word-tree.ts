/**
 * A tree of words with their meanings, by the codes of their letters. Node 0 is the root, and no child or sibling. Lists of
 * numbers, since a lexicon has 60,000 nodes: as objects they would be slow to create and to search.
 */
export class WordTree<Meaning> {
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
