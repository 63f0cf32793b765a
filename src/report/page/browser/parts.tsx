/** Parts of several views. */
import { diffArrays } from "diff/lib/diff/array.js";
import { type ComponentChildren, options } from "preact";
import { useState } from "preact/hooks";
import { formatNumber } from "../../../core/printable.js";
import { addressInPage, type PageData, type PageTool } from "../page-data.js";

/** Hidden characters, and those that reorder the text around them. Line breaks and tabs stay. */
const HIDDEN = /(?![\n\t]|\uFE0F)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Escapes the characters that browsers hide or obey, as in `\u{202E}`. */
function visible(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(visible);
  if (typeof value !== "string") return value;
  return value.replace(
    HIDDEN,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}

// The texts of all elements, so that no view can forget it.
options.vnode = ({ type, props }) => {
  const entries = Object.entries(props).filter(([name]) => typeof type === "string" || name === "children");
  Object.assign(props, Object.fromEntries(entries.map(([name, value]) => [name, visible(value)])));
};

export interface PageProps {
  readonly data: PageData;
}

/** Whether the page is printed as HTML, for readers without JavaScript. */
const IS_STATIC = typeof document === "undefined";

interface LazyProps {
  readonly summary: ComponentChildren;
  readonly isOpen?: boolean;
  readonly class?: string;
  /** Whether readers without JavaScript get the content, too; a recursive schema would have no end. */
  readonly isInHtml?: boolean;
  readonly children: () => ComponentChildren;
}

/** A disclosure that creates its content when it is first opened. */
export function Lazy({ summary, isOpen = false, class: name, isInHtml = false, children }: LazyProps) {
  const [isFilled, fill] = useState(isOpen || (IS_STATIC && isInHtml));
  if (IS_STATIC && !isFilled) return <div class={name}>{summary}</div>;
  const onToggle = (): void => {
    fill(true);
  };
  return (
    <details class={name} open={isOpen} onToggle={onToggle}>
      <summary>{summary}</summary>
      {isFilled && children()}
    </details>
  );
}

/** A disclosure is not worth fewer items. */
const LEAST_MORE = 3;

/** The first items of a list, and the others in a disclosure. */
export function List<T>(props: {
  readonly items: readonly T[];
  readonly most: number;
  readonly class: string;
  readonly children: (item: T) => ComponentChildren;
}) {
  const { items, most, class: name, children } = props;
  const print = (part: readonly T[]) => (
    <ul class={name}>
      {part.map((item, at) => (
        <li key={at}>{children(item)}</li>
      ))}
    </ul>
  );
  const rest = items.slice(most);
  if (rest.length < LEAST_MORE) return print(items);
  return (
    <>
      {print(items.slice(0, most))}
      <Lazy class="more" summary={`${formatNumber(rest.length)} more`} isInHtml>
        {() => print(rest)}
      </Lazy>
    </>
  );
}

/** A sentence whose parts in backticks are code. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <>{text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
  );
}

/** Code with a button that copies it. */
export function Code({ code }: { readonly code: string }) {
  const [label, setLabel] = useState("Copy");
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(code);
    setLabel("Copied");
  };
  return (
    <div class="code">
      <pre>
        <code>{code}</code>
      </pre>
      {!IS_STATIC && (
        <button type="button" onClick={() => void copy()}>
          {label}
        </button>
      )}
    </div>
  );
}

/** Longer unchanged parts of a text are cut. */
const MOST_KEPT = 240;
/** Longer values are not on one line with others. */
const LONGEST_ON_LINE = 60;

/** Words and signs, each with the space after it. */
function wordsOf(text: string): string[] {
  return text.match(/(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]|^)\s*/gu) ?? [];
}

interface DiffProps {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** A value before and after: as one text if they share the most, with what is gone struck out and what came underlined. */
export function Diff({ before = "", after = "" }: DiffProps) {
  const parts = (diffArrays(wordsOf(before), wordsOf(after), { maxEditLength: 200 }) ?? []).map(
    ({ value, ...part }) => ({ ...part, value: value.join("") }),
  );
  const kept = parts.filter(({ added, removed }) => !added && !removed);
  const isAlike = 2 * kept.reduce((sum, { value }) => sum + value.length, 0) > before.length;
  const isOnLine = before.length + after.length < LONGEST_ON_LINE;
  return (
    <p class="diff">
      {isAlike && !isOnLine
        ? parts.map(({ added, removed, value }, at) => {
            if (removed) return <del key={at}>{value}</del>;
            if (added) return <ins key={at}>{value}</ins>;
            if (value.length <= MOST_KEPT) return value;
            const start = at === 0 ? "" : value.slice(0, MOST_KEPT / 2);
            return `${start} … ${at === parts.length - 1 ? "" : value.slice(-MOST_KEPT / 2)}`;
          })
        : [
            before !== "" && <del key="before">{before}</del>,
            before !== "" && after !== "" && (isOnLine ? " → " : "\n"),
            after !== "" && <ins key="after">{after}</ins>,
          ]}
    </p>
  );
}

/** The name of a tool, which leads to its page if there is one. */
export function ToolName({
  data,
  server,
  name,
}: PageProps & { readonly server: string; readonly name: string }) {
  const isKnown = data.tools.some((tool) => tool.server === server && tool.name === name);
  return isKnown ? <a href={addressInPage(server, name)}>{name}</a> : <span>{name}</span>;
}

/** Tokens, with a sign for an estimate. */
export function tokens({ tokens: amount, isEstimate }: Pick<PageTool, "tokens" | "isEstimate">): string {
  return `${isEstimate ? "≈ " : ""}${formatNumber(amount)} tokens`;
}
