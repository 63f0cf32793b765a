import { isArray, type Doc, type Fill, type Group, type Part } from "./document.js";
import { trimLine } from "./trim-line.js";

export interface PageOptions {
  readonly printWidth: number;
  readonly tabWidth: number;
  readonly useTabs: boolean;
}

/**
 * A document on a page, in the bytes that Prettier's own printer gives it, in less time. Undefined where a text holds
 * characters whose width takes a table to know.
 */
export function printDocument(doc: Doc, options: PageOptions): string | undefined {
  const widths = settle(doc);
  return widths && new Page(options, widths).print(doc);
}

/** Characters that take two columns wherever they stand: of East Asian scripts, and emoji that are no part of a sequence. */
const WIDE =
  /[\u3001\u3002\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]|(?!\p{Regional_Indicator}|\p{Emoji_Modifier})\p{Emoji_Presentation}/gu;
/** Characters that take one column. */
const PLAIN =
  /^[ -~\xa1-\xa8\xaa-\xac\xaf-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u203b\u20ac\u2190-\u2193\u2200-\u22ff]*$/;

/** How many columns texts take that take more than they have characters. */
type Widths = ReadonlyMap<string, number>;

/** Breaks every group that holds a line end, and measures every text; undefined where one cannot be measured. */
function settle(doc: Doc): Widths | undefined {
  const seen = new Set<Group>();
  const widths = new Map<string, number>();
  const unmeasured: string[] = [];
  const measure = (text: string): void => {
    if (PLAIN.test(text)) return;
    const plain = text.replace(WIDE, "  ");
    if (PLAIN.test(plain)) widths.set(text, plain.length);
    else unmeasured.push(text);
  };
  const visitAll = (docs: readonly Doc[]): boolean => {
    let breaks = false;
    for (const each of docs) if (visit(each)) breaks = true;
    return breaks;
  };
  /** Whether the part breaks the group that it is in. */
  const visit = (part: Doc): boolean => {
    if (typeof part === "string") {
      measure(part);
      return false;
    }
    if (isArray(part)) return visitAll(part);
    switch (part.type) {
      case "line":
      case "line-suffix-boundary":
        return false;
      case "break-parent":
        return true;
      case "group": {
        if (seen.has(part)) return part.break;
        seen.add(part);
        const breaks =
          part.expandedStates === undefined ? visit(part.contents) : visitAll(part.expandedStates);
        // A conditional group decides for itself.
        if (breaks && part.expandedStates === undefined) part.break = true;
        return part.break;
      }
      case "if-break": {
        const [whenBroken, whenFlat] = [visit(part.breakContents), visit(part.flatContents)];
        return whenBroken || whenFlat;
      }
      case "fill":
        return visitAll(part.parts);
      case "align":
      case "indent":
      case "indent-if-break":
        return visit(part.contents);
      default:
        return part satisfies never;
    }
  };
  visit(doc);
  return unmeasured.length === 0 ? widths : undefined;
}

/** How far lines are indented: whole levels, and alignments that become tabs when another level follows. */
interface Indentation {
  readonly text: string;
  readonly width: number;
  readonly levels: number;
  readonly spaces: number;
  /** How many alignments the spaces are of. */
  readonly alignments: number;
}

const NONE: Indentation = { text: "", width: 0, levels: 0, spaces: 0, alignments: 0 };

/** Something that is to be printed, on one line or on several. */
interface Command {
  readonly at: Indentation;
  readonly isBroken: boolean;
  readonly doc: Doc;
}

class Page {
  readonly #options: PageOptions;
  readonly #widths: Widths;
  readonly #commands: Command[] = [];
  readonly #brokenGroups = new Map<symbol, boolean>();
  readonly #lines: string[] = [];
  #line = "";
  /** The column that the line has come to. */
  #column = 0;
  /** Whether a group is to be measured though what it is in was found to fit: a line has ended since. */
  #mustMeasure = false;

  constructor(options: PageOptions, widths: Widths) {
    this.#options = options;
    this.#widths = widths;
  }

  print(doc: Doc): string {
    this.#push(doc, NONE, true);
    for (let command = this.#commands.pop(); command !== undefined; command = this.#commands.pop())
      this.#print(command);
    return [...this.#lines, this.#line].join("\n");
  }

  #push(doc: Doc, at: Indentation, isBroken: boolean): void {
    this.#commands.push({ at, isBroken, doc });
  }

  #print({ at, isBroken, doc }: Command): void {
    if (typeof doc === "string") {
      this.#write(doc);
    } else if (isArray(doc)) {
      for (let index = doc.length - 1; index >= 0; index -= 1) this.#push(doc[index] ?? "", at, isBroken);
    } else {
      this.#printPart(doc, at, isBroken);
    }
  }

  #printPart(part: Part, at: Indentation, isBroken: boolean): void {
    switch (part.type) {
      case "indent":
        this.#push(part.contents, this.#indent(at), isBroken);
        break;
      case "align":
        this.#push(part.contents, this.#align(at, part.n), isBroken);
        break;
      case "group":
        this.#printGroup(part, at, isBroken);
        break;
      case "fill":
        this.#printFill(part, at, isBroken);
        break;
      case "if-break": {
        const isMeant = this.#isBroken(part.groupId, isBroken);
        this.#push(isMeant ? part.breakContents : part.flatContents, at, isBroken);
        break;
      }
      case "indent-if-break":
        this.#push(part.contents, this.#isBroken(part.groupId, isBroken) ? this.#indent(at) : at, isBroken);
        break;
      case "line":
        if (isBroken || part.hard === true) {
          this.#mustMeasure ||= !isBroken;
          this.#endLine(at);
        } else if (part.soft !== true) {
          this.#write(" ");
        }
        break;
      case "break-parent":
      case "line-suffix-boundary":
        break;
      default:
        part satisfies never;
    }
  }

  #write(text: string): void {
    this.#line += text;
    this.#column += this.#widthOf(text);
  }

  #widthOf(text: string): number {
    return (this.#widths.size === 0 ? undefined : this.#widths.get(text)) ?? text.length;
  }

  #endLine(at: Indentation): void {
    this.#lines.push(trimLine(this.#line));
    this.#line = at.text;
    this.#column = at.width;
  }

  #isBroken(groupId: symbol | undefined, isBroken: boolean): boolean {
    return groupId === undefined ? isBroken : this.#brokenGroups.get(groupId) === true;
  }

  #printGroup(group: Group, at: Indentation, isBroken: boolean): void {
    const command = this.#chooseState(group, at, isBroken);
    this.#commands.push(command);
    if (group.id !== undefined) this.#brokenGroups.set(group.id, command.isBroken);
  }

  #chooseState(group: Group, at: Indentation, isBroken: boolean): Command {
    const { contents, expandedStates = [] } = group;
    if (!isBroken && !this.#mustMeasure) return { at, isBroken: group.break, doc: contents };
    this.#mustMeasure = false;
    const last = expandedStates.at(-1) ?? contents;
    if (!group.break) {
      // The last one is printed whether or not it fits.
      const fitting = [contents, ...expandedStates.slice(1, -1)].find((state) => this.#fits(state, true));
      if (fitting !== undefined) return { at, isBroken: false, doc: fitting };
    }
    return { at, isBroken: true, doc: last };
  }

  /** As much on each line as fits. */
  #printFill({ parts }: Fill, at: Indentation, isBroken: boolean): void {
    const [content, separator, next] = parts;
    if (content === undefined) return;
    const fits = this.#fits(content, false);
    const rest = parts.slice(2);
    if (rest.length > 0) this.#push({ type: "fill", parts: rest }, at, isBroken);
    if (separator !== undefined) {
      const isTogether = next === undefined ? fits : this.#fits([content, separator, next], false);
      this.#push(separator, at, !isTogether);
    }
    this.#push(content, at, !fits);
  }

  /**
   * Whether a document fits on the line if it is not broken, up to the first line end that may follow it: in what
   * comes after it, where `isFollowed`. Else it stands alone, and nothing in it may break.
   */
  #fits(doc: Doc, isFollowed: boolean): boolean {
    let width = this.#options.printWidth - this.#column;
    let following = isFollowed ? this.#commands.length : 0;
    // A space counts once something follows it.
    let space = 0;
    const docs: Doc[] = [doc];
    const broken: boolean[] = [false];
    while (width >= 0) {
      let part = docs.pop();
      let isBroken = broken.pop() === true;
      if (part === undefined) {
        following -= 1;
        const command = this.#commands[following];
        if (command === undefined) return true;
        part = command.doc;
        isBroken = command.isBroken;
      }
      if (typeof part === "string") {
        if (part !== "") {
          width -= this.#widthOf(part) + space;
          space = 0;
        }
      } else if (isArray(part)) {
        for (let index = part.length - 1; index >= 0; index -= 1) {
          docs.push(part[index] ?? "");
          broken.push(isBroken);
        }
      } else if (part.type === "line") {
        if (isBroken || part.hard === true) return true;
        if (part.soft !== true) space = 1;
      } else if (part.type === "group") {
        if (!isFollowed && part.break) return false;
        const breaks = part.break || isBroken;
        docs.push((breaks ? part.expandedStates?.at(-1) : undefined) ?? part.contents);
        broken.push(breaks);
      } else if (part.type === "if-break") {
        docs.push(this.#isBroken(part.groupId, isBroken) ? part.breakContents : part.flatContents);
        broken.push(isBroken);
      } else if (part.type !== "break-parent" && part.type !== "line-suffix-boundary") {
        docs.push(part.type === "fill" ? part.parts : part.contents);
        broken.push(isBroken);
      }
    }
    return false;
  }

  #indent({ levels, spaces, alignments }: Indentation): Indentation {
    // An alignment of less than a tab is one tab under a further level.
    return this.#indentBy(
      levels + 1 + (this.#options.useTabs ? alignments : 0),
      this.#options.useTabs ? 0 : spaces,
      0,
    );
  }

  #align({ levels, spaces, alignments }: Indentation, width: number): Indentation {
    return this.#indentBy(levels, spaces + width, alignments + 1);
  }

  #indentBy(levels: number, spaces: number, alignments: number): Indentation {
    const { tabWidth, useTabs } = this.#options;
    const text = (useTabs ? "\t".repeat(levels) : " ".repeat(levels * tabWidth)) + " ".repeat(spaces);
    return { text, width: levels * tabWidth + spaces, levels, spaces, alignments };
  }
}
