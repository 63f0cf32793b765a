import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { createSearchIndex } from "../../src/agent/search/create-search-index.js";
import { readQuery } from "../../src/agent/search/read-query.js";
import { stem } from "../../src/agent/search/stem.js";
import { excerpt, scrubSecrets } from "../../src/client/server-errors.js";
import { wrapLines } from "../../src/cli/print-text.js";
import { fitSchema } from "../../src/core/hosts/fit-schema.js";
import {
  findInexactNumbers,
  readJsonText,
  tryParseExactly,
  writeExactly,
} from "../../src/core/exact-json.js";
import { findRepeatedKey, locateInJson } from "../../src/core/json-text.js";
import { oneLine, printable, printJson, widthOf } from "../../src/core/printable.js";
import {
  isSecretKey,
  isSecretValue,
  replaceSecretShapes,
  variableName,
} from "../../src/core/secret-shapes.js";
import { showArguments } from "../../src/core/show-arguments.js";
import { deriveCategory } from "../../src/core/words/derive-category.js";
import { nearestName } from "../../src/core/nearest-name.js";
import { splitWords } from "../../src/core/words/words.js";
import { findHiddenText } from "../../src/drift/security/find-hidden.js";
import { diffToolPoison } from "../../src/drift/security/find-poison.js";
import { foldText, skeletonOf } from "../../src/drift/security/texts.js";
import { locateJsonError } from "../../src/files/parse-json.js";
import { findRegions } from "../../src/impact/mentions/find-names.js";
import { redactCall } from "../../src/runtime/cassette/redact.js";
import { readPattern } from "../../src/schema/pattern/pattern.js";
import {
  escapeCode,
  escapeComment,
  quoteLiteral,
  toCamelCase,
  toPascalCase,
} from "../../src/schema/print/identifiers.js";
import { hasFormat } from "../../src/schema/validation/format.js";

const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });

/** What reads texts of models and servers. */
const SCANS: Readonly<Record<string, (text: string) => unknown>> = {
  printable: (text) => printable(text, text.length),
  printJson,
  oneLine: (text) => oneLine(text, text.length),
  widthOf,
  wrapLines: (text) => wrapLines([text, `npx x "${text}`, `\`${text}`], terminal),
  showArguments: (text) => showArguments({ text, list: Array.from(text.slice(0, 5_000)), id: 1 }, 2_000),
  excerpt,
  scrubSecrets: (text) => scrubSecrets(text, ["secret-value", text.slice(0, 40)]),
  replaceSecretShapes: (text) => replaceSecretShapes(text, "***"),
  isSecretValue,
  isSecretKey,
  variableName,
  redactCall: (text) => redactCall({ text, [text]: `password=${text}` }, { scrub: (one) => one }),
  findRepeatedKey: (text) => findRepeatedKey(`{"a":1,"a":${JSON.stringify(text)}}`, { a: text }),
  locateInJson: (text) => locateInJson(JSON.stringify({ a: text, b: [text] }), ["/b/0"]),
  readJsonText: (text) => [readJsonText(text), readJsonText(`[${text}`)],
  locateJsonError,
  tryParseExactly: (text) => [tryParseExactly(text), writeExactly(tryParseExactly(`[${JSON.stringify(text)},12345678901234567890]`))],
  findInexactNumbers: (text) => findInexactNumbers(`[${JSON.stringify(text)},12345678901234567890]`),
  splitWords,
  nearestName: (text) => nearestName(text, ["get_post", `${text}x`, text.toUpperCase()]),
  deriveCategory,
  stem,
  readQuery,
  search: (text) => createSearchIndex([{ name: text, description: text }]).search(text),
  findHiddenText,
  foldText,
  skeletonOf,
  diffToolPoison: (text) =>
    diffToolPoison(undefined, [{ name: text, description: text }], { server: "s", own: new Set(["a_b"]), others: new Set(["c_d"]) }),
  findRegions: (text) => [findRegions(text, "markdown"), findRegions(text, "settings")],
  fitSchema: (text) => fitSchema({ type: "object", properties: { [text]: { pattern: text, $ref: text } } }, "gemini"),
  readPattern,
  hasFormat: (text) =>
    ["email", "idn-email", "hostname", "idn-hostname", "uri", "iri", "uri-template", "date-time", "duration", "json-pointer", "ipv6", "time"].map((name) => hasFormat(text, name)),
  toCamelCase,
  toPascalCase,
  escapeCode,
  escapeComment,
  quoteLiteral,
}; // prettier-ignore

/** Repeated pieces of texts that look like what a scan searches for, and never end it. */
const PIECES = [
  ..."a A 0 _ - . = < [ { ( \" \\ ` / * @ : , % \n \t \u202e \u00e9 😀".split(" "),
  ...[" ", "aA", "a.", "a b ", "need to ", "<!--", "<a ", "/*", "//", '\\"', '","', "${a:-", "%41", "\\u0061", "eyJ", "A1", "xn--"],
  ...["the user must not ", "ignore ", "```\n", "\n---\n", "{\"a\":", "password=", "Bearer ", "http://a@", "- \n", "a(", "[a", "a|"],
]; // prettier-ignore
const ENDS = ["", "!", "\n\u0000"];
const SIZE = 5_000;

function timeOf(scan: (text: string) => unknown, text: string): number {
  const started = performance.now();
  scan(text);
  return performance.now() - started;
}

/** A search that is known to be quadratic: on a slow or busy machine, it is as slow. */
const large = Math.min(...[1, 2, 3].map(() => timeOf((text) => /a+b/.exec(text), "a".repeat(4 * SIZE))));

it.each(Object.entries(SCANS))("%s takes a time that grows with the length of its text", (_, scan) => {
  const isSlow = ([piece, end]: readonly [piece: string, end: string]): boolean => {
    const make = (size: number): string => piece.repeat(Math.ceil(size / piece.length)) + end;
    const least = (size: number): number => Math.min(...[1, 2, 3].map(() => timeOf(scan, make(size))));
    if (timeOf(scan, make(4 * SIZE)) < large / 3) return false;
    const [short, long] = [least(SIZE), least(4 * SIZE)];
    return long > large / 3 && long > 8 * short;
  };
  const texts = PIECES.flatMap((piece) => ENDS.map((end) => [piece, end] as const));
  // Other work on the machine slows down some of the scans, and not each time.
  expect(texts.filter(isSlow).filter(isSlow).filter(isSlow)).toEqual([]);
});
