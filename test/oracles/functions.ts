/** Pure functions of texts, of JSON, and of results of tools, by their modules, with wide inputs for each. */
import { quickDigest } from "../../src/agent/registry/tool-names.js";
import { keepMedia, toModelParts, toPlainText } from "../../src/agent/adapters/model-parts.js";
import { leavesOf } from "../../src/agent/replay/plan.js";
import { readQuery } from "../../src/agent/search/read-query.js";
import { stem } from "../../src/agent/search/stem.js";
import { summarize } from "../../src/agent/toolset/find-tools.js";
import { plainAddressOf, restAddressOf } from "../../src/client/listing/wordpress/attach-abilities.js";
import { isTruthyInPhp, readAbility } from "../../src/client/listing/wordpress/read-abilities.js";
import { splitScopes } from "../../src/client/oauth/tokens.js";
import { excerpt, scrubSecrets, visibleText } from "../../src/client/server-errors.js";
import { makeServerName, parseServerArgument } from "../../src/config/parse-server-argument.js";
import { isWordPressUrl } from "../../src/core/ability.js";
import { isContractVersion } from "../../src/core/contract-version.js";
import {
  findInexactNumbers,
  findLossyNumbers,
  findRounded,
  spellNumbers,
  tryParseExactly,
  writeExactly,
} from "../../src/core/exact-json.js";
import { splitConflicts } from "../../src/core/generated-file.js";
import { bytesOf } from "../../src/core/hosts/conditions.js";
import { printShape, takePart } from "../../src/core/json-part.js";
import { jsonParts } from "../../src/core/json-text.js";
import { canonicalJson, isEqual, type JsonObject, type JsonValue } from "../../src/core/json.js";
import { measureDepth } from "../../src/core/limits.js";
import { compileNamePattern, findPatternProblem } from "../../src/core/name-pattern.js";
import { editDistance, nearestName } from "../../src/core/nearest-name.js";
import { isNumberText } from "../../src/core/number-text.js";
import { explainInstall, findPackageRunner } from "../../src/core/packages.js";
import { clip, endSentence, oneLine, printable, widthOf } from "../../src/core/printable.js";
import { toolRenamesNamed } from "../../src/core/rename.js";
import { spellName } from "../../src/impact/renames/text-edits.js";
import {
  fallbacksIn,
  isRandomSegment,
  isRecognizable,
  isSecretKey,
  isSecretName,
  isSecretValue,
  literalPart,
  replaceSecretShapes,
  secretPartsOf,
  variableName,
} from "../../src/core/secret-shapes.js";
import { showArguments } from "../../src/core/show-arguments.js";
import { sizeOf } from "../../src/core/steps.js";
import { splitToolName, toServerName, toWholeName } from "../../src/core/tool-name.js";
import { deriveCategory } from "../../src/core/words/derive-category.js";
import { areOpposites, areSynonyms, isVerb, isVerbInName, singularOf } from "../../src/core/words/verbs.js";
import { areAlike, kindsOf, partsOfName, wordsOfText } from "../../src/drift/renames/similarity.js";
import { findHiddenText } from "../../src/drift/security/find-hidden.js";
import { foldName, foldText, skeletonOf } from "../../src/drift/security/texts.js";
import { hashOf, isReserved } from "../../src/emit/name-tools.js";
import { foldCase } from "../../src/files/output-folder.js";
import { parseJson, withoutComments } from "../../src/files/parse-json.js";
import { findRegions, formOf, normalize, squash } from "../../src/impact/mentions/find-names.js";
import { quoteForShell, wrap } from "../../src/report/layout.js";
import { commonEnds } from "../../src/report/show-witness.js";
import { dataBesideTexts, readContent, readReason } from "../../src/runtime/result.js";
import { dropUndefined, findUnsendable } from "../../src/runtime/validate-call.js";
import { matchesAll, matchPattern, splitLookaheads } from "../../src/schema/pattern/match-pattern.js";
import { isChecked } from "../../src/schema/pattern/pattern.js";
import {
  escapeCode,
  escapeComment,
  isName,
  quoteKey,
  toCamelCase,
  toPascalCase,
} from "../../src/schema/print/identifiers.js";
import { samplePattern } from "../../src/schema/sample/sample-pattern.js";
import { hasFormat } from "../../src/schema/validation/format.js";
import { isIdField, rangeOfField } from "../../src/testing/fields.js";

const NAMES = [
  ...["get_order", "getOrder", "GET-order2", "HTTPServerURL", "users.list", "shop__get_order", "mcp__shop__list"],
  ...["create_pages", "wp/v2/posts", "list_user_ids", "delete_all", "isActive", "include_tags", "per-page", "a", ""],
  ...["class", "constructor", "__proto__", "1st", "$ref", "x".repeat(80), "-", "_", "créer une page", "日本語", "ﬁle"],
  ...["api_key", "apiKeyId", "accessToken", "max_tokens", "password_hint", "Authorization", "X-Api-Key", "secretary"],
  ...["price", "created_at", "email", "order_id", "uuid", "latitude", "zip", "phone number", "page_count", "url"],
  ...["раураl", "аdmin", "list", "fetch", "remove", "erase", "add", "insert", "enable", "disable", "show", "hide"],
  ...["categories", "statuses", "boxes", "series", "running", "relational", "happily", "conditional", "skies"],
]; // prettier-ignore
const PATTERNS = [
  ...["^a+$", "(a+)+$", "(?=.{3,5}$)a", "[a-z]{2,4}", "\\d+", "a|b", "(?<!x)y", "^(?:x|xy)*z$", "\\p{L}", "[", "(?i)a"],
  ...[".*", "^.*$", "^[^\\s]+@x$", "\\u{1F600}", "^(?!a)b", "^\\w{0,3}$", "^[A-Z][a-z-]*\\.?$", "x{1,3}?", "^(a|b)c?$"],
]; // prettier-ignore
const VALUES_AS_TEXT = [
  ...["0", "-0", "1e400", "9007199254740993", "1.10", "01", "0x10", "+1", "5.0", "1e-7", "-1.5e+3", "true", "null"],
  ...["2026-02-30", "2024-02-29", "2026-02-28T10:00:00Z", "2026-02-28t23:59:60.5+01:00", "10:00:00", "10:00:00Z"],
  ...["P1D", "P1Y2M3DT4H5M6S", "PT", "P1W", "a@b.c", "\"a b\"@c.de", "a..b@c.de", "a@[127.0.0.1]", "é@münchen.de"],
  ...["::1", "1::2::3", "fe80::1%eth0", "127.0.0.1", "256.1.1.1", "01.2.3.4", "xn--80ak6aa92e.com", "-a.com", "a_b.com"],
  ...["https://user:pa%20ss@x.example:8080/a/9f8e7d6c5b4a3f2e/b?token=abc123def456&page=2#frag", "http://[::1]:80/"],
  ...["https://x.example/blog/wp-json/mcp/mcp-adapter-default-server", "https://x.example/?rest_route=/mcp/a", "file:///x"],
  ...["urn:isbn:1", "/a/~1b", "/a~2", "0#", "1/a", "{var}", "{+path}/x{?q*}", "{", "a b", "//x", "%zz", "?a=b", "\\\\x"],
  ...["00000000-0000-4000-8000-000000000000", "1.2.0", "1.2", "v1.2.0", "1.2.0-rc.1", "2026-07-28", "a%2Fb"],
  ...['{"a":12345678901234567890,"a":1}', "[1,2.50]", '{"a":{"b":[1e400]}}', '{"a":1,}', "// c\n{}", '{"a":"\\u0041"}'],
  ...["{", '{"a" 1}', "[1 2]", '"x', "nul", "\ufeff{}", "/* c */ [1, // d\n 2]", '{"a":{"a":1},"b":[{"a":1,"a":2}]}'],
]; // prettier-ignore
const SENTENCES = [
  ...["Create a page and upload an image", "what orders has ann@example.com", "Lists orders. Use before refund_order."],
  ...["Deletes the item permanently! Cannot be undone.", "e.g. a list, i.e. all of them. Then more", "It's \"quoted\" and `code`"],
  ...["a\nb\r\nc\u2028d", "tab\tand  spaces ", "\u202eright to left", "zero\u200bwidth\u00ad", "tag\u{e0041}\u{e0042}", "👩‍👩‍👧 family"],
  ...["*/ evil", "</script><!--", "\u0000\u001b[31mred", "\ud800 half", "${HOME} and ${A:-b} and $C", "ｆｕｌｌ ｗｉｄｔｈ", "a".repeat(300)],
  ...[`Bearer ${"aB3".repeat(12)}`, `ghp_${"a1B2".repeat(9)}`, `sk-${"a1B2c3".repeat(8)}`, `AKIA${"ABCD".repeat(4)}`, "password=hunter2"],
  ...[`eyJ${"hbGc".repeat(5)}.eyJ${"zdWI".repeat(5)}.${"sig1".repeat(5)}`, "Basic dXNlcjpwYXNz", `key: ${"9f8e7d6c".repeat(4)}`],
  ...["npx -y @scope/pkg@1.2.3 --flag", "docker run -i --rm image:tag", "uvx tool==1", 'node "a b.js" \'c d\'', "python -m x", "FOO=1 node x.js"],
  ...["https://x.example/mcp", "npx a && rm b", "node 'open", "shop/get_order=fetch", "shop/find.limit=per_page", "read write  read"],
  ...["<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n", "# Title\n\nCall `get_order`.\n\n```js\nshop.getOrder()\n```\n", "allow: [shop__*]\ndeny: \"get-*\""],
  ...["a*", "{a,b}?", "[x]", "a{b", "!x", "shop__{get,list}_*", "*", "??", "{,a}"],
]; // prettier-ignore
const TEXTS = [...NAMES, ...PATTERNS, ...VALUES_AS_TEXT, ...SENTENCES];

/** Every text with one of the texts after it, so that a function of two gets near and far ones. */
const PAIRS = TEXTS.flatMap((text, at) =>
  [1, 7].map((step) => [text, TEXTS[(at + step) % TEXTS.length] ?? ""] as const),
);

const VALUES: readonly JsonValue[] = [
  ...[null, true, false, 0, -1.5, 1e21, 9007199254740992, "", "text", "é\n\"", [], [1, 1], [[], {}], {}, { v: "x" }],
  ...[{ v: 9, w: [1, { x: null }] }, { b: 1, a: { d: 1, c: 2 } }, ["a", "b", "a"], { "a/b": { "~": [0] } }, { items: [1, 2, 3] }],
  ...[{ rows: [{ id: 1, name: "One" }, { id: 2 }, { id: 3, name: "Three", tags: ["x"] }], total: 3 }],
  ...[{ data: "x".repeat(400), next: null }, Array.from({ length: 40 }, (_, at) => ({ at, text: `Line ${at}` }))],
  ...[{ password: "hunter2", note: `token ghp_${"a1B2".repeat(9)}` }, { ["__proto__"]: { a: 1 }, constructor: 2 }],
  ...[{ name: "acme/get", label: "Get", description: "Gets.", category: "acme", input_schema: [], meta: { mcp: { public: true } } }],
  ...[[[[[[["deep"]]]]]], { a: { b: { c: { d: { e: 1 } } } } }, "0", "false", [0], { type: "text", text: "x" }],
] as readonly JsonValue[]; // prettier-ignore
/** What JSON does not have. */
const THINGS: readonly unknown[] = [
  ...VALUES,
  ...[undefined, Number.NaN, Infinity, 10n, new Date(0), /x/, new Map([["a", 1]]), () => 1, Symbol.iterator, "\ud800"],
  ...[{ a: undefined, b: [undefined, 1] }, new (class Own { x = 1; })(), new Array<number>(2)],
]; // prettier-ignore

const BLOCKS: readonly JsonValue[] = [
  ...[{ type: "text", text: "plain" }, { type: "text", text: '{"a":1}' }, { type: "text", text: "" }, { type: "text", text: "x" }],
  ...[{ type: "image", data: "aGk=", mimeType: "image/png" }, { type: "audio", data: "aGk=", mimeType: "audio/wav" }],
  ...[{ type: "resource_link", uri: "file:///a", name: "a" }, { type: "resource", resource: { uri: "a:b", text: "inner" } }],
  ...[{ type: "resource", resource: { uri: "a:b", blob: "aGk=" } }, { type: "new", x: 1 }, { text: "no type" }, 5, null],
]; // prettier-ignore
const STRUCTURED: readonly (JsonValue | undefined)[] = [undefined, null, {}, { a: 1 }, { result: "plain" }, { a: "x", b: 1 }, [1], "x", 12345678901234567000]; // prettier-ignore
/** Results of tools as servers send them. */
const RESULTS: readonly JsonObject[] = [
  ...[{}, { content: null }, { content: {} }, { isError: true }, { isError: "yes", content: [] }, { content: [[]], isError: true }],
  ...BLOCKS.flatMap((block, at) =>
    STRUCTURED.map((structuredContent, turn): JsonObject => ({
      content: at % 3 === 0 ? [block] : [block, BLOCKS[(at + turn) % BLOCKS.length] ?? null],
      ...(structuredContent !== undefined && { structuredContent }),
      ...(turn % 3 === 1 && { isError: true }),
    })),
  ),
]; // prettier-ignore

type Functions<I extends readonly unknown[]> = Readonly<Record<string, (...input: I) => unknown>>;

const FORMATS = ["date", "date-time", "duration", "email", "hostname", "idn-email", "idn-hostname", "ipv4", "ipv6", "iri", "iri-reference", "json-pointer", "regex", "relative-json-pointer", "time", "uri", "uri-reference", "uri-template", "uuid", "other"]; // prettier-ignore

const OF_TEXT: Functions<[text: string]> = {
  ...{ quickDigest, readQuery, stem, summarize, splitScopes, excerpt, visibleText },
  ...{ restAddresses: (text) => [restAddressOf, plainAddressOf].map((addressOf) => addressOf(text)?.("/a/b", { c: "d e" })) },
  ...{ makeServerName: (text) => makeServerName(text, ["x", "a-b"]), parseServerArgument, isWordPressUrl, isContractVersion },
  ...{ findInexactNumbers, findLossyNumbers, tryParseExactly, splitConflicts, jsonParts: (text) => [...jsonParts(text)] },
  ...{ findPatternProblem, isNumberText, clip: (text) => [3, 12, 40].map((room) => clip(text, room)), endSentence, widthOf },
  ...{ oneLine: (text) => oneLine(text, 30), printable: (text) => [printable(text), printable(text, 20)], toolRenamesNamed: (text) => toolRenamesNamed([text]) },
  ...{ spellName: (text) => ['"', "'", "`"].map((quote) => spellName(text, quote)), fallbacksIn, isRandomSegment, isSecretKey, isSecretName },
  ...{ isRecognizable: (text) => [true, false].map((isNamed) => isRecognizable(text, isNamed)), isSecretValue, literalPart, secretPartsOf },
  ...{ replaceSecretShapes: (text) => replaceSecretShapes(text, "***"), variableName, splitToolName, toServerName, toWholeName, deriveCategory },
  ...{ isVerb, isVerbInName, singularOf, kindsOf, partsOfName, wordsOfText, findHiddenText: (text) => [...findHiddenText(text)] },
  ...{ foldName, foldText, skeletonOf, hashOf, isReserved, foldCase, parseJson, withComments: (text) => parseJson(text, { allowComments: true }) },
  ...{ withoutComments, formOf, regions: (text) => [findRegions(text, "markdown"), findRegions(text, "settings")], normalize, squash },
  ...{ quoteForShell, wrap: (text) => [12, 40].map((room) => wrap(text, room)), matchesAll, splitLookaheads, isChecked, escapeCode, escapeComment },
  ...{ isName, quoteKey, toCamelCase, toPascalCase, isIdField, rangeOfField, hasFormat: (text) => FORMATS.filter((format) => hasFormat(text, format)) },
  ...{ samplePattern: (text) => samplePattern(text, { characters: ["q"], counts: [2] }).slice(0, 9), nearestName: (text) => nearestName(text, NAMES) },
  ...{ runner: (text) => [findPackageRunner, explainInstall].map((find) => find(text.split(" ")[0] ?? "", text.split(" ").slice(1))) },
}; // prettier-ignore

const OF_TWO_TEXTS: Functions<[text: string, other: string]> = {
  ...{ areSynonyms, areOpposites, areAlike, commonEnds, editDistance: (text, other) => editDistance(text, other, 3) },
  ...{ matchPattern, compileNamePattern: (text, other) => compileNamePattern(text)(other) },
  ...{ scrubSecrets: (text, other) => scrubSecrets(`${text} ${other}`, [other]) },
}; // prettier-ignore

const OF_VALUE: Functions<[value: JsonValue]> = {
  ...{ canonicalJson, printShape, sizeOf, bytesOf, isTruthyInPhp, readAbility, leavesOf, toModelParts, toPlainText: (value) => toPlainText(toModelParts(value)) },
  ...{ measureDepth: (value) => [1, 3, 9].map((limit) => measureDepth(value, limit)), writeExactly: (value) => writeExactly(value, 1) },
  ...{ takePart: (value) => [{ most: 60 }, { most: 60, page: 2 }, { most: 500, fields: ["v", "rows.id", "items", "a.d"] }].map((part) => takePart(value, part)) },
  ...{ isEqual: (value) => VALUES.map((other) => isEqual(value, other)), showLonger: (value) => showArguments(value, 60) },
}; // prettier-ignore

const OF_THING: Functions<[thing: unknown]> = { findUnsendable, dropUndefined, findRounded, spellNumbers, showArguments: (thing) => showArguments(thing, 30) }; // prettier-ignore

const OF_RESULT: Functions<[result: JsonObject]> = {
  ...{ readContent: (result) => readContent(result), readReason: (result) => readReason(readContent(result)) },
  ...{ dataBesideTexts: (result) => dataBesideTexts(readContent(result)), keepMedia: (result) => keepMedia(readContent(result).content) },
  ...{ parts: (result) => toModelParts(readContent(result)) },
}; // prettier-ignore

/** Returns what a function says of each input, with its errors. */
function* answersTo<I extends readonly unknown[]>(
  functions: Functions<I>,
  inputs: readonly Readonly<I>[],
): Generator<readonly [name: string, answers: readonly unknown[]]> {
  for (const [name, answer] of Object.entries(functions))
    yield [
      name,
      inputs.map((input) => {
        try {
          return answer(...input) ?? null;
        } catch (error) {
          return String(error);
        }
      }),
    ];
}

/** What each function answers to each of its inputs. */
export function answersOfFunctions(): ReadonlyMap<string, readonly unknown[]> {
  const alone = <T>(inputs: readonly T[]): readonly (readonly [T])[] => inputs.map((input) => [input]);
  return new Map([
    ...answersTo(OF_TEXT, alone(TEXTS)),
    ...answersTo(OF_TWO_TEXTS, PAIRS),
    ...answersTo(OF_VALUE, alone(VALUES)),
    ...answersTo(OF_THING, alone(THINGS)),
    ...answersTo(OF_RESULT, alone(RESULTS)),
  ]);
}
