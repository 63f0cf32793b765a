import { compilesPattern } from "../../core/json.js";
import { type Check, report } from "./checks.js";

type FormatName = keyof typeof FORMATS;

/** Requires that a string has the format: JSON Schema 2020-12 validation, section 7.3. */
export function format(name: FormatName): Check {
  return (payload) => {
    if (typeof payload.value === "string" && !FORMATS[name](payload.value))
      report(payload, `Invalid string: must be of format ${name}`);
  };
}

/** Whether a string has the format. True for an unknown format. */
export function hasFormat(value: string, name: string): boolean {
  return isFormat(name) ? FORMATS[name](value) : true;
}

function isFormat(name: string): name is FormatName {
  return Object.hasOwn(FORMATS, name);
}

// RFC 3986, and RFC 3987 for characters beyond ASCII.
const UCS =
  "\\u{a0}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}" +
  Array.from({ length: 14 }, (_, plane) => {
    const first = plane === 13 ? "e1000" : `${(plane + 1).toString(16)}0000`;
    return `\\u{${first}}-\\u{${(plane + 1).toString(16)}fffd}`;
  }).join("");
const PRIVATE = "\\u{e000}-\\u{f8ff}\\u{f0000}-\\u{ffffd}\\u{100000}-\\u{10fffd}";

interface ResourceForms {
  readonly absolute: RegExp;
  readonly relative: RegExp;
}

function resourceForms(letters: string, inQuery: string): ResourceForms {
  const of = (more: string): string => `(?:[\\w.~!$&'()*+,;=${letters}${more}\\-]|%[\\dA-Fa-f]{2})`;
  const part = of(":@");
  const rest = `(?:\\/${part}*)*`;
  const end = `(?:\\?${of(`:@/?${inQuery}`)}*)?(?:#${of(":@/?")}*)?$`;
  // The address in brackets is checked by `fitsResource`.
  const authority = `(?:${of(":")}*@)?(?:\\[([^\\]]*)\\]|${of("")}*)(?::\\d*)?`;
  const path = (first: string): string =>
    `(?:\\/\\/${authority}${rest}|\\/(?:${part}+${rest})?|${first}${rest}|)`;
  return {
    absolute: new RegExp(`^[A-Za-z][A-Za-z\\d+.\\-]*:${path(`${part}+`)}${end}`, "u"),
    // A colon in the first part would make the text before it a scheme.
    relative: new RegExp(`^${path(`${of("@")}+`)}${end}`, "u"),
  };
}

const URI = resourceForms("", "");
const IRI = resourceForms(UCS, PRIVATE);

function fitsResource(pattern: RegExp, value: string): boolean {
  const match = pattern.exec(value);
  if (match === null) return false;
  const [, literal] = match;
  return literal === undefined || isIpv6(literal) || /^[vV][\dA-Fa-f]+\.[\w.~!$&'()*+,;=:-]+$/.test(literal);
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** RFC 4291, section 2.2: no zone, no mask. */
function isIpv6(value: string): boolean {
  const [head = "", tail, ...more] = value.split("::");
  if (more.length > 0) return false;
  const groups = (text: string, isLast: boolean): number => {
    if (text === "") return 0;
    const parts = text.split(":");
    const last = parts.at(-1) ?? "";
    const hasIpv4 = isLast && IPV4.test(last);
    const plain = hasIpv4 ? parts.slice(0, -1) : parts;
    return plain.every((part) => /^[\dA-Fa-f]{1,4}$/.test(part))
      ? plain.length + (hasIpv4 ? 2 : 0)
      : Infinity;
  };
  if (tail === undefined) return groups(head, true) === 8;
  return groups(head, false) + groups(tail, true) < 8;
}

/** RFC 5321, section 4.1.2: a mailbox. */
const LOCAL = /^(?:[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*|"(?:[ !#-[\]-~]|\\[ -~])*")$/;
/** RFC 6531, section 3.3: the same with characters beyond ASCII. */
const WIDE_LOCAL =
  /^(?:[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+)*|"(?:[ !#-[\]-~\u{80}-\u{10ffff}]|\\[ -~])*")$/u;

function isMailbox(value: string, local: RegExp, isDomain: (domain: string) => boolean): boolean {
  const at = value.lastIndexOf("@");
  const domain = value.slice(at + 1);
  if (at < 0 || !local.test(value.slice(0, at))) return false;
  if (!domain.startsWith("[") || !domain.endsWith("]")) return isDomain(domain);
  const literal = domain.slice(1, -1);
  return /^ipv6:/i.test(literal) ? isIpv6(literal.slice("ipv6:".length)) : IPV4.test(literal);
}

function isDate(value: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day >= 1 && day <= days;
}

/** RFC 3339, section 5.6: `full-time`. A leap second is valid only at the end of a UTC day. */
function isTime(value: string): boolean {
  const match = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i.exec(value);
  if (match === null) return false;
  const [, hours, minutes, seconds, sign, offsetHours, offsetMinutes] = match;
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)];
  const [awayHours, awayMinutes] = [Number(offsetHours ?? 0), Number(offsetMinutes ?? 0)];
  if (hour > 23 || minute > 59 || awayHours > 23 || awayMinutes > 59) return false;
  if (second < 60) return true;
  const away = (awayHours * 60 + awayMinutes) * (sign === "-" ? -1 : 1);
  const inUtc = (((hour * 60 + minute - away) % 1440) + 1440) % 1440;
  return second === 60 && inUtc === 1439;
}

// RFC 3339, appendix A: without fractions or skipped units.
const DURATION =
  /^P(?:\d+W|(?=[\dT])(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/;

// RFC 6570, section 2.
const VARIABLE = "(?:\\w|%[\\dA-Fa-f]{2})(?:\\.?(?:\\w|%[\\dA-Fa-f]{2}))*(?:\\*|:[1-9]\\d{0,3})?";
const TEMPLATE = new RegExp(
  `^(?:[!#$&'()*+,\\-./\\w:;=?@[\\]~${UCS}${PRIVATE}]|%[\\dA-Fa-f]{2}|\\{[+#./;?&=,!@|]?${VARIABLE}(?:,${VARIABLE})*\\})*$`,
  "u",
);

const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/u;

const FORMATS = {
  date: isDate,
  "date-time": (value: string) =>
    /^.{10}t/i.test(value) && isDate(value.slice(0, 10)) && isTime(value.slice(11)),
  duration: (value: string) => DURATION.test(value),
  email: (value: string) => isMailbox(value, LOCAL, isHostname),
  hostname: isHostname,
  "idn-email": (value: string) =>
    isMailbox(value, WIDE_LOCAL, (domain) => isIdnHostname(domain.normalize("NFC"))),
  "idn-hostname": isIdnHostname,
  ipv4: (value: string) => IPV4.test(value),
  ipv6: isIpv6,
  iri: (value: string) => fitsResource(IRI.absolute, value),
  "iri-reference": (value: string) => fitsResource(IRI.absolute, value) || fitsResource(IRI.relative, value),
  "json-pointer": (value: string) => POINTER.test(value),
  regex: (value: string) => compilesPattern(value, "u"),
  "relative-json-pointer": (value: string) => {
    const match = /^(?:0|[1-9]\d*)(?=#$|\/|$)/.exec(value);
    const rest = match === null ? undefined : value.slice(match[0].length);
    return rest === "#" || (rest !== undefined && POINTER.test(rest));
  },
  time: isTime,
  uri: (value: string) => fitsResource(URI.absolute, value),
  "uri-reference": (value: string) => fitsResource(URI.absolute, value) || fitsResource(URI.relative, value),
  "uri-template": (value: string) => TEMPLATE.test(value),
  uuid: (value: string) => /^[\dA-Fa-f]{8}(?:-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12}$/.test(value),
} as const satisfies { readonly [format: string]: (value: string) => boolean };

/** Whether a name fits RFC 1123, section 2.1. Labels in Punycode must encode a label that RFC 5891 allows. */
function isHostname(value: string): boolean {
  return (
    HOSTNAME.test(value) &&
    value.split(".").every((label) => !PUNYCODE.test(label) || readLabel(label) !== undefined)
  );
}

/** Whether a name fits RFC 5890, section 2.3.2.3: each label is in ASCII, in Punycode or in letters of any script. */
export function isIdnHostname(value: string): boolean {
  // Reject long names first, to bound the work.
  if (value.length > MAX_NAME) return false;
  const labels = value.split(/[.\u3002\uff0e\uff61]/u).map(readLabel);
  if (labels.some((label) => label === undefined)) return false;
  const known = labels.filter((label) => label !== undefined);
  if (known.map(({ ascii }) => ascii).join(".").length > MAX_NAME) return false; // prettier-ignore
  const isBidi = known.some(({ text }) =>
    Array.from(text, classOf).some((one) => one === "right" || one === "arabic digit"),
  );
  return !isBidi || known.every(({ text }) => isBidiLabel(text));
}

const MAX_NAME = 253;
const MAX_LABEL = 63;
const HOSTNAME =
  /^(?=.{1,253}$)[A-Za-z\d](?:[A-Za-z\d-]{0,61}[A-Za-z\d])?(?:\.[A-Za-z\d](?:[A-Za-z\d-]{0,61}[A-Za-z\d])?)*$/;
const ASCII_LABEL = /^[A-Za-z\d](?:[A-Za-z\d-]*[A-Za-z\d])?$/;
const PUNYCODE = /^xn--/i;

interface Label {
  /** The decoded form, in Unicode. */
  readonly text: string;
  /** The encoded form, in ASCII. */
  readonly ascii: string;
}

function readLabel(label: string): Label | undefined {
  if (label.length > MAX_LABEL) return undefined;
  const isPunycode = PUNYCODE.test(label);
  if (!isPunycode && ASCII_LABEL.test(label)) return { text: label, ascii: label };
  const ascii = isPunycode ? label.toLowerCase() : `xn--${encodePunycode(label)}`;
  const text = isPunycode ? decodePunycode(ascii.slice("xn--".length)) : label;
  const isRead = text !== undefined && `xn--${encodePunycode(text)}` === ascii;
  return isRead && ascii.length <= MAX_LABEL && isUnicodeLabel(text) ? { text, ascii } : undefined;
}

/** RFC 5891, section 4.2: a label of ASCII characters only is not a U-label. */
function isUnicodeLabel(text: string): boolean {
  return (
    /\P{ASCII}/u.test(text) &&
    text === text.normalize("NFC") &&
    !/^-|-$|^..--|^\p{M}/su.test(text) &&
    Array.from(text).every((character) => CONTEXTUAL.test(character) || isAllowed(character)) &&
    !OUT_OF_CONTEXT.some((pattern) => pattern.test(text))
  );
}

// RFC 5892, section 2: its categories, as Unicode properties.
const ALWAYS = /[-0-9a-z\u00df\u03c2\u06fd\u06fe\u0f0b\u3007]/u;
const NEVER = /[\u302e-\u302f\u0640\u07fa\u3031-\u3035\u303b\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Noncharacter_Code_Point}]/u; // prettier-ignore
const LETTER_OR_DIGIT = /[\p{Ll}\p{Lu}\p{Lo}\p{Nd}\p{Lm}\p{Mn}\p{Mc}]/u;
const CONTEXTUAL = /[\u200c-\u200d\u00b7\u0375\u05f3\u05f4\u0660-\u0669\u06f0-\u06f9\u30fb]/u;

function isAllowed(character: string): boolean {
  if (ALWAYS.test(character)) return true;
  const isStable = character.normalize("NFKC").toLowerCase().normalize("NFKC") === character;
  return isStable && !NEVER.test(character) && LETTER_OR_DIGIT.test(character);
}

// Characters of combining class 9, for which patterns have no property.
const VIRAMA =
  "\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d3b\\u0d3c\\u0d4d\\u0dca\\u0e3a\\u0eba\\u0f84\\u1039\\u103a" +
  "\\u1714\\u1715\\u1734\\u17d2\\u1a60\\u1b44\\u1baa\\u1bab\\u1bf2\\u1bf3\\u2d7f\\ua806\\ua82c\\ua8c4\\ua953\\ua9c0\\uaaf6\\uabed" +
  "\\u{10a3f}\\u{11046}\\u{11070}\\u{1107f}\\u{110b9}\\u{11133}\\u{11134}\\u{111c0}\\u{11235}\\u{112ea}\\u{1134d}\\u{11442}" +
  "\\u{114c2}\\u{115bf}\\u{1163f}\\u{116b6}\\u{1172b}\\u{11839}\\u{1193d}\\u{1193e}\\u{119e0}\\u{11a34}\\u{11a47}\\u{11a99}" +
  "\\u{11c3f}\\u{11d44}\\u{11d45}\\u{11d97}";
// Scripts with joining letters. Patterns have no property for the joining type, so every letter of these scripts counts.
const JOINING = "[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mandaic}\\p{Script=Mongolian}\\p{Script=Nko}\\p{Script=Adlam}\\p{Script=Hanifi_Rohingya}\\p{Script=Phags_Pa}]"; // prettier-ignore

/** RFC 5892, appendix A: contexts in which a character is not allowed. */
const OUT_OF_CONTEXT = [
  /(?<!l)\u00b7|\u00b7(?!l)/u,
  /\u0375(?!\p{Script=Greek})/u,
  /(?<!\p{Script=Hebrew})[\u05f3\u05f4]/u,
  /^(?!.*[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]).*\u30fb/su,
  /[\u0660-\u0669].*[\u06f0-\u06f9]|[\u06f0-\u06f9].*[\u0660-\u0669]/su,
  new RegExp(`(?<![${VIRAMA}])\\u200d`, "u"),
  new RegExp(`(?<![${VIRAMA}])(?:(?<!${JOINING}\\p{Mn}*)\\u200c|\\u200c(?!\\p{Mn}*${JOINING}))`, "u"),
];

const RIGHT_TO_LEFT =
  /[\u0590-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** RFC 5893, section 2: whether a label is allowed in a name that has right-to-left characters. */
function isBidiLabel(text: string): boolean {
  const first = classOf(Array.from(text)[0]);
  const classes = new Set(Array.from(text, classOf));
  const last = classOf(Array.from(text).findLast((character) => !/^\p{Mn}$/u.test(character)));
  if (first === "left")
    return !classes.has("right") && !classes.has("arabic digit") && (last === "left" || last === "digit");
  const isMixed = classes.has("left") || (classes.has("digit") && classes.has("arabic digit"));
  return first === "right" && !isMixed && last !== "neutral";
}

/** Returns the direction class of a character, as far as RFC 5893 needs it. */
function classOf(character = ""): "left" | "right" | "digit" | "arabic digit" | "neutral" {
  if (/[\u0660-\u0669]/u.test(character)) return "arabic digit";
  if (/[0-9\u06f0-\u06f9]/u.test(character)) return "digit";
  if (/\p{Mn}/u.test(character)) return "neutral";
  if (RIGHT_TO_LEFT.test(character)) return "right";
  return /[\p{L}\p{Mc}\p{Nd}]/u.test(character) ? "left" : "neutral";
}

// RFC 3492: Punycode, with the parameters of section 5.
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789";
const LAST_CODE_POINT = 0x10ffff;

/** Decodes a label (section 6.2), in lower case and without `xn--`. Undefined for an invalid label. */
export function decodePunycode(text: string): string | undefined {
  const end = text.lastIndexOf("-");
  const output = Array.from(text.slice(0, Math.max(end, 0)));
  const rest = end < 0 ? text : text.slice(end + 1);
  let [n, i, bias, at] = [128, 0, 72, 0];
  while (at < rest.length) {
    const before = i;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = DIGITS.indexOf(rest[at++] ?? " ");
      if (digit < 0) return undefined;
      i += digit * weight;
      const threshold = thresholdOf(k, bias);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    bias = adapt(i - before, output.length + 1, before === 0);
    n += Math.floor(i / (output.length + 1));
    i %= output.length + 1;
    if (n > LAST_CODE_POINT) return undefined;
    output.splice(i, 0, String.fromCodePoint(n));
    i += 1;
  }
  return output.join("");
}

/** Encodes a label (section 6.3), without `xn--`. */
export function encodePunycode(text: string): string {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const basic = points.filter((point) => point < 128);
  let output = basic.length > 0 ? `${String.fromCodePoint(...basic)}-` : "";
  let [n, delta, bias, handled] = [128, 0, 72, basic.length];
  while (handled < points.length) {
    const next = Math.min(...points.filter((point) => point >= n));
    delta += (next - n) * (handled + 1);
    n = next;
    for (const point of points) {
      if (point < n) delta += 1;
      if (point !== n) continue;
      output += encodeDelta(delta, bias);
      bias = adapt(delta, handled + 1, handled === basic.length);
      delta = 0;
      handled += 1;
    }
    delta += 1;
    n += 1;
  }
  return output;
}

function encodeDelta(delta: number, bias: number): string {
  let output = "";
  let rest = delta;
  for (let k = BASE; ; k += BASE) {
    const threshold = thresholdOf(k, bias);
    if (rest < threshold) return output + (DIGITS[rest] ?? "");
    output += DIGITS[threshold + ((rest - threshold) % (BASE - threshold))] ?? "";
    rest = Math.floor((rest - threshold) / (BASE - threshold));
  }
}

function thresholdOf(k: number, bias: number): number {
  return Math.min(Math.max(k - bias, T_MIN), T_MAX);
}

/** Adapts the bias (section 6.1). */
function adapt(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2));
  rest += Math.floor(rest / count);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + 38));
}
