/**
 * Finds words that we do not use in comments, messages, titles of tests and the documentation.
 * `npm run lint` checks everything; `node test/plain-english.js src/drift docs` checks a part.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import ts from "typescript";

/** Each pattern with a replacement. */
const BANNED = [
  [/\bnobody\b/, '"no one", or name who'],
  [/\bwhoever\b/, '"a caller", "a program"'],
  [/(?<!\bthere )\b(?:is|are|was|were) none\b/, '"there is no …", "is not a …"'],
  [/\bmend(?:s|ed|ing)?\b/, '"fix"'],
  [
    /\b(?:am|is|are|was|were|be|been|being|not) told\b(?! apart)|\btold (?:of|as|by)\b/,
    '"reported", "named"',
  ],
  // "Do not tell the user" is what attackers write.
  [
    /(?<!\b(?:not|never) )\btells? (?!apart\b)(?:of|a|an|the|what|which|whether|who|how|about)\b/,
    '"reports", "shows", "says"',
  ],
  [/\bby itself\b/, '"automatically", "alone"'],
  [
    /\bstands? (?:in|at|there|here|beside|as|behind|before|after|on|under|above|below|alone|apart|written|where)\b/,
    '"is"',
  ],
  [
    /(?<!\bthere )\b(?:is|are) no (?!longer|more|other|such|need|reason|way)[a-z]+/,
    '"is not a …", "has no …"',
  ],
];
/** Patterns at which a native reader stops. They apply to the rooms in {@link PLAIN_ROOMS}. */
const STILTED = [
  // At the start of a sentence that is not a question: "What is sent comes first."
  [
    /(?<=(?:\/\*\*?|\/\/|[.;:!?]|["'`])\s*)\b(?:what|who|whose) (?!(?:if|about)\b)(?![^.!?]*\?)/,
    "a noun as the subject",
  ],
  [/\b(?:is|are|was|were) what (?:is|are|was|were|has|have)\b/, "a noun"],
  [
    /\b(?:knows?|knew|known|says?|said|learns?|learned|warns?|warned|speaks?|hears?|heard) of (?!course\b)/,
    '"about", "from"',
  ],
  [/\bof which (?:nothing|no|none)\b/, '"which is not …", "without"'],
  [/\bof (?:a|an|the|its|their) [a-z']+ making\b/, "an adjective"],
  [/\banew\b/, '"again"'],
  [/\bheld against\b/, '"compared with"'],
  [/\b(?:has|have|had|is|are) against\b/, '"rejects"'],
  [/\b(?:comes|came) to\b(?= *(?:[.,;:)]|$|is\b|was\b))/, '"the result of"'],
  [/\bcomes? about\b|\bcame about\b/, '"happens", "is made"'],
  [/\bas (?:it|they) (?:is|are)(?= *(?:[.,;:)]|$|for\b|so\b))/, '"unchanged"'],
  [/\b(?:is|are) as good\b/, '"equals", "counts as"'],
  [/\bsays? more than\b/, '"takes precedence over"'],
  [/\b(?:is|are|was|were|as|like) one (?:that|which|who|of those)\b/, "the noun, or the verb alone"],
  [/(?<=(?:\/\*\*?|\/\/|[.;:!?])\s+)one (?:that|which|who)\b/, "the noun"],
  [/\bone all the same\b|\bin truth\b/, '"too", "really"'],
  [/\b(?:it|they) alone\b/, '"only it"'],
  [/\bfor want of\b/, '"because there is no"'],
  [/\bmakes? of (?:it|them|the|its|this|that)\b/, '"returns for", "converts to"'],
  [/\b(?:when|while|until) it is over\b/, '"ended"'],
];
/** The rooms whose texts follow all patterns. */
const PLAIN_ROOMS =
  /^src\/(?:(?:runtime|agent|serve|client|sources|testing(?!\/example-server)|pipeline|impact|schema\/infer|schema\/validation)\/|codegen\.ts)/;

/** Files with texts of attackers and of other programs. */
const FOREIGN =
  /golden|fixtures|\/[\w-]*app\/|test\/(?:drift\/security|drift\/find-repeated|servers)|src\/drift\/security\/injection\/|plain-english/;

const [...areas] = process.argv.slice(2);
const all = ["src", "bin", "action", "benchmarks", "test", "docs", "README.md"];
const files = execFileSync("git", ["ls-files", ...(areas.length > 0 ? areas : all)], { encoding: "utf8" })
  .split("\n")
  .filter((file) => /\.(?:tsx?|js|md)$/.test(file) && !FOREIGN.test(file));

const found = files.flatMap((file) => {
  const text = readFileSync(file, "utf8");
  const parts = file.endsWith(".md") ? [[0, text.replace(/```[\s\S]*?```/g, blank)]] : textsOf(file, text);
  return parts.flatMap(([start, part]) =>
    hitsIn(part, PLAIN_ROOMS.test(file) ? [...BANNED, ...STILTED] : BANNED).map(
      (hit) => `${file}:${lineAt(text, start + hit.at)} ${hit.text}`,
    ),
  );
});
if (found.length > 0) {
  process.stdout.write(
    `${found.join("\n")}\n${found.length} banned words; see "How we write" in CONTRIBUTING.md.\n`,
  );
  process.exitCode = 1;
}

function hitsIn(part, patterns) {
  // A sentence may continue on the next line of a comment.
  const flat = part.replace(/\n[ \t]*(?:\*|\/\/)?/g, blank);
  return patterns.flatMap(([pattern, instead]) =>
    [...flat.matchAll(new RegExp(pattern, "gi"))].map(({ 0: word, index }) => ({
      at: index,
      text: `"${word.replace(/\s+/g, " ")}": write ${instead}`,
    })),
  );
}

function blank(text) {
  return text.replace(/[^\n]/g, " ").replace(/\n/g, " ");
}

/** Returns comments and string literals with their offsets. */
function textsOf(file, text) {
  const parts = [];
  const comments = new Set();
  const visit = (node) => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
    ];
    for (const { pos, end } of ranges) {
      if (comments.has(pos)) continue;
      comments.add(pos);
      parts.push([pos, text.slice(pos, end)]);
    }
    if (ts.isStringLiteralLike(node) || ts.isTemplateMiddleOrTemplateTail(node) || ts.isTemplateHead(node))
      parts.push([node.getStart(), text.slice(node.getStart(), node.getEnd())]);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return parts;
}

function lineAt(text, offset) {
  return text.slice(0, offset).split("\n").length;
}
