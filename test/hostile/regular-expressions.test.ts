import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { parsePattern, partsOf, type PatternNode } from "../../src/schema/pattern/pattern-tree.js";

const SRC = fileURLToPath(new URL("../../src/", import.meta.url));
const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((path) => path.split(sep).join("/"))
  .filter((path) => path.endsWith(".ts"));

/** Regular expressions whose steps may grow with the square of a text, and why no text of a model or server makes them slow. */
const BOUNDED: readonly (readonly [source: RegExp, reason: string])[] = [
  [/(?<=\d)(?=(?:\d{3})+$)/, "a number of the program"],
  [/^-|0+$/, "22 digits"],
  [/<(script|style|head)\b[\s\S]*?<\/\1\s*>/, "20,000 characters"],
  [/\beyJ[\w-]{10,2000}\.[\w-]{10,}\.[\w-]*/, "looks at 2,000 characters at most from each place"],
  [/(?=[A-Za-z\d]{12})[A-Za-z]*\d+[A-Za-z]+\d+[A-Za-z]+\d/, "1,000 characters"],
  [/\bability\b.*\b(?:not found|does not exist|not registered|not exposed)\b/, "300 characters and the name of a tool"],
  [/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/, "a text of the configuration"],
  [/\$\{[A-Za-z_]\w*(?::-(?<fallback>[^}]*))?\}/, "a text of the configuration"],
  [/"([A-Za-z_-]{1,40})"\s{0,20}:\s{0,20}\[([^\]]*)\]/, "a file of the project"],
]; // prettier-ignore
const isBounded = ({ source }: RegExp): boolean => BOUNDED.some(([known]) => known.source === source);

interface Found {
  readonly file: string;
  readonly regexp: RegExp;
}

/** The regular expressions that are written in `src`. */
const WRITTEN: readonly Found[] = files.flatMap((file) => {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(SRC, file), "utf8"),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      found.push({ file, regexp: new RegExp(node.text.slice(1, end), node.text.slice(end + 1)) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
});

/** Rooms whose modules make regular expressions from parts when they are loaded. */
const ROOMS = ["agent/", "client/", "code-mode/limits", "core/", "drift/", "runtime/", "schema/"];

async function findMade(): Promise<readonly Found[]> {
  const made: Found[] = [];
  const Original = RegExp;
  let file = "";
  globalThis.RegExp = new Proxy(Original, {
    construct: (target, args: ConstructorParameters<RegExpConstructor>) => {
      const regexp = new target(...args);
      made.push({ file, regexp });
      return regexp;
    },
  });
  try {
    for (file of files.filter((path) => ROOMS.some((room) => path.startsWith(room))))
      // The query evaluates a module again that another test has loaded.
      await import(`${join(SRC, file)}?made`);
  } finally {
    globalThis.RegExp = Original;
  }
  return made;
}

const CHARACTERS = Array.from(
  "aA0_-. \n\t\"'\\/*[]{}<>`@:,=$()#&%;+~!?|^bBesdfxX91\u0001\u0002\u00e9\u202a\u200e\ufeff\u2800\u4e00\u0660\u06f0\u30fb\u{e0001}",
);
const VARIANTS = 7;

/** Returns a text that a part of a pattern probably matches; other variants choose other characters and branches. */
function textOf(node: PatternNode, variant: number, flags: string): string {
  switch (node.kind) {
    case "character": {
      const set = new RegExp(`^(?:${node.source})$`, flags);
      const fitting = CHARACTERS.filter((one) => set.test(one));
      if (fitting.length === 0) return node.source.replace(/^\\/, "");
      return fitting[variant % fitting.length] ?? "";
    }
    case "sequence":
      return node.parts.map((part) => textOf(part, variant, flags)).join("");
    case "choice":
      return textOf(node.options[variant % node.options.length] ?? node, variant, flags);
    case "repeat":
      return textOf(node.body, variant, flags).repeat(Math.max(1, Math.min(node.min, 30)));
    case "start":
    case "condition":
    case "look":
      return "";
    default:
      return node satisfies never;
  }
}

/** A text that grows: its middle is repeated. */
type Attack = readonly [before: string, repeated: string, after: string];

/** Returns texts that repeat what a pattern repeats, after what it has before, and that end so that it fails. */
function attacksOn(regexp: RegExp): readonly Attack[] {
  const unicode = regexp.flags.includes("u") ? "u" : "";
  const flags = unicode + (regexp.flags.includes("i") ? "i" : "");
  const tree = parsePattern(regexp.source, unicode);
  if (tree === undefined) throw new Error(`${String(regexp)} cannot be read.`);
  const attacks: (readonly [before: string, repeated: string])[] = [];
  const repeated = new Set<string>();
  const visit = (node: PatternNode, before: (variant: number) => string): void => {
    if (node.kind === "repeat" && node.max > 100)
      for (let variant = 0; variant < VARIANTS; variant += 1) {
        const [head, text] = [before(variant), textOf(node.body, variant, flags)];
        repeated.add(text);
        attacks.push([head, text], ["", head + text], ["a", text]);
      }
    if (node.kind === "sequence")
      for (const [index, part] of node.parts.entries()) {
        const first = { kind: "sequence", parts: node.parts.slice(0, index) } as const;
        visit(part, (variant) => before(variant) + textOf(first, variant, flags));
      }
    else for (const part of partsOf(node)) visit(part, before);
  };
  visit(tree, () => "");
  for (let variant = 0; variant < VARIANTS; variant += 1) attacks.push(["", textOf(tree, variant, flags)]);
  for (const one of [...repeated].slice(0, 5)) for (const other of repeated) attacks.push(["", one + other]);
  const texts = attacks
    .filter(([, text]) => text !== "")
    .flatMap(([before, text]) => ["", "\u0000", "\n", "!"].map((after) => [before, text, after] as const));
  return [...new Map(texts.map((attack) => [JSON.stringify(attack), attack])).values()].slice(0, 1_000);
}

function grow([before, repeated, after]: Attack, size: number): string {
  return before + repeated.repeat(Math.ceil(size / repeated.length)) + after;
}

/** The least of some times that a search takes. */
function timeOf(regexp: RegExp, text: string, tries = 1): number {
  let least = Infinity;
  for (let run = 0; run < tries; run += 1) {
    regexp.lastIndex = 0;
    const started = performance.now();
    if (regexp.global) text.replace(regexp, "");
    else regexp.exec(text);
    least = Math.min(least, performance.now() - started);
  }
  return least;
}

const SIZE = 1_500;
/** A search that is known to be quadratic: on a slow or busy machine, it is as slow. */
const timeOfQuadratic = (size: number): number => timeOf(/a+b/, "a".repeat(size), 3);
const [small, large] = [timeOfQuadratic(SIZE), timeOfQuadratic(4 * SIZE)];

/** Whether the time of a search grows with the square of a text, or faster. */
function isSlow(regexp: RegExp, attack: Attack, tries: number): boolean {
  const [short, long] = [grow(attack, 24 * attack[1].length), grow(attack, SIZE)];
  // Grows exponentially.
  if (timeOf(regexp, short) > small && timeOf(regexp, short, tries) > small) return true;
  const tenth = small / 10;
  if (timeOf(regexp, long) < tenth || timeOf(regexp, long, tries) < tenth) return false;
  const time = timeOf(regexp, grow(attack, 4 * SIZE), tries);
  if (time < large / 10 || time < 8 * timeOf(regexp, long, tries)) return false;
  // A search that other work on the machine slowed down seems linear at this size.
  return timeOf(regexp, grow(attack, 16 * SIZE), tries) > 8 * time;
}

/** Returns a text for which a search is slow each time: other work on the machine slows down some of the searches. */
function findSlow(regexp: RegExp): Attack | undefined {
  return attacksOn(regexp).find((attack) => [3, 5, 7].every((tries) => isSlow(regexp, attack, tries)));
}

function slowOnes(found: readonly Found[]): readonly string[] {
  const unique = new Map(found.map((one) => [String(one.regexp), one]));
  return [...unique].flatMap(([text, { file, regexp }]) => {
    if (isBounded(regexp) || !/[*+]|,\}/.test(regexp.source)) return [];
    const slow = findSlow(regexp);
    return slow === undefined ? [] : [`${file}: ${text} with ${JSON.stringify(slow)}`];
  });
}

describe("regular expressions", () => {
  it("of src are linear, unless their texts are short", () => {
    expect(WRITTEN.length).toBeGreaterThan(700);
    expect(slowOnes(WRITTEN)).toEqual([]);
    const sources = new Set(WRITTEN.map(({ regexp }) => regexp.source));
    expect(BOUNDED.filter(([known]) => !sources.has(known.source))).toEqual([]);
  });

  it("that modules make when they are loaded are linear", async () => {
    const made = await findMade();
    // Those of the rooms alone: other modules make theirs again only if no other test loaded them before.
    expect(made.length).toBeGreaterThan(30);
    expect(slowOnes(made)).toEqual([]);
  });
});
