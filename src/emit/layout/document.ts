/**
 * What may be printed in several ways, in the form of Prettier's documents ("commands.md" in its repository), so that
 * either printer takes it.
 */
export type Doc =
  | string
  | readonly Doc[]
  | Align
  | BreakParent
  | Fill
  | Group
  | IfBreak
  | Indent
  | IndentIfBreak
  | Line
  | LineSuffixBoundary;

export interface Group {
  readonly type: "group";
  readonly id: symbol | undefined;
  readonly contents: Doc;
  /** Whether it is printed on several lines even if it fits on one. Printing settles that for groups that hold a line end. */
  break: boolean;
  /** Of a conditional group: what to try, the last one broken. */
  readonly expandedStates: readonly Doc[] | undefined;
}

export interface Fill {
  readonly type: "fill";
  /** Contents, with what separates them between. */
  readonly parts: readonly Doc[];
}

interface Align {
  readonly type: "align";
  readonly n: number;
  readonly contents: Doc;
}

interface Indent {
  readonly type: "indent";
  readonly contents: Doc;
}

interface IndentIfBreak {
  readonly type: "indent-if-break";
  readonly contents: Doc;
  readonly groupId: symbol;
}

interface IfBreak {
  readonly type: "if-break";
  readonly breakContents: Doc;
  readonly flatContents: Doc;
  readonly groupId: symbol | undefined;
}

interface Line {
  readonly type: "line";
  readonly soft?: boolean;
  readonly hard?: boolean;
}

interface BreakParent {
  readonly type: "break-parent";
}

interface LineSuffixBoundary {
  readonly type: "line-suffix-boundary";
}

interface GroupOptions {
  readonly shouldBreak?: boolean;
  readonly id?: symbol;
}

export const breakParent: BreakParent = { type: "break-parent" };
export const line: Line = { type: "line" };
export const softline: Line = { type: "line", soft: true };
export const hardline: Doc = [{ type: "line", hard: true }, breakParent];
/** Nothing here is ever put behind a line's end, so that this is where nothing happens. */
export const lineSuffixBoundary: LineSuffixBoundary = { type: "line-suffix-boundary" };

export function group(contents: Doc, { shouldBreak = false, id }: GroupOptions = {}): Group {
  return { type: "group", id, contents, break: shouldBreak, expandedStates: undefined };
}

/** The first of these that fits; the last one where none does. */
export function conditionalGroup(states: readonly [Doc, ...Doc[]]): Group {
  return { ...group(states[0]), expandedStates: states };
}

export function indent(contents: Doc): Indent {
  return { type: "indent", contents };
}

export function align(n: number, contents: Doc): Align {
  return { type: "align", n, contents };
}

export function fill(parts: readonly Doc[]): Fill {
  return { type: "fill", parts };
}

/** One thing where the group breaks that this is in, or the one that is named; another where not. */
export function ifBreak(
  breakContents: Doc,
  flatContents: Doc = "",
  { groupId }: { readonly groupId?: symbol } = {},
): IfBreak {
  return { type: "if-break", breakContents, flatContents, groupId };
}

export function indentIfBreak(contents: Doc, { groupId }: { readonly groupId: symbol }): IndentIfBreak {
  return { type: "indent-if-break", contents, groupId };
}

export function join(separator: Doc, docs: readonly Doc[]): Doc {
  return docs.flatMap((doc, at) => (at === 0 ? [doc] : [separator, doc]));
}

/** Whether a document is certain to take several lines. */
export function willBreak(doc: Doc): boolean {
  return holds(doc, (part) =>
    part.type === "group"
      ? part.break
      : part.type === "line"
        ? part.hard === true
        : part.type === "break-parent",
  );
}

/** Whether a document can take several lines. */
export function canBreak(doc: Doc): boolean {
  return holds(doc, ({ type }) => type === "line");
}

/** What is neither a text nor a list. */
export type Part = Exclude<Doc, string | readonly Doc[]>;

/** Whether some part is so; of a conditional group, its first state counts. */
function holds(doc: Doc, isSo: (part: Part) => boolean): boolean {
  if (typeof doc === "string") return false;
  if (isArray(doc)) return doc.some((part) => holds(part, isSo));
  if (isSo(doc)) return true;
  switch (doc.type) {
    case "line":
    case "break-parent":
    case "line-suffix-boundary":
      return false;
    case "fill":
      return holds(doc.parts, isSo);
    case "if-break":
      return holds(doc.breakContents, isSo) || holds(doc.flatContents, isSo);
    case "align":
    case "group":
    case "indent":
    case "indent-if-break":
      return holds(doc.contents, isSo);
    default:
      return doc satisfies never;
  }
}

/** `Array.isArray` does not tell a list that cannot be written from what is none. */
export function isArray(doc: Doc): doc is readonly Doc[] {
  return Array.isArray(doc);
}
