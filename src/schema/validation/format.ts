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
  const hour = Number(hours);
  const minute = Number(minutes);
  const second = Number(seconds);
  const awayHours = Number(offsetHours ?? 0);
  const awayMinutes = Number(offsetMinutes ?? 0);
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
    HOSTNAME.test(value) && value.split(".").every((label) => !PUNYCODE.test(label) || isIdnHostname(label))
  );
}

/** Whether a name fits RFC 5890, section 2.3.2.3: each label is in ASCII, in Punycode or in letters of any script. */
export function isIdnHostname(value: string): boolean {
  // Reject long names first, to bound the work.
  if (value.length > MAX_NAME) return false;
  const labels = value.split(/[.\u3002\uff0e\uff61]/u);
  const texts = labels.map(decodeLabel);
  const isRead = texts.every(
    (text, index) => isUnicodeLabel(text) || (text === labels[index] && ASCII_LABEL.test(text)),
  );
  if (!isRead || (RIGHT_TO_LEFT.test(texts.join(".")) && texts.some(mixesDirections))) return false;
  // The URL parser encodes the name, and checks directions and joiners. With the last label, it reads no address.
  const url = `http://${texts.join(".")}.x`;
  const encoded = URL.canParse(url) ? new URL(url).hostname.split(".").slice(0, -1) : [];
  const isCanonical = labels.every(
    (label, index) => !PUNYCODE.test(label) || label.toLowerCase() === encoded[index],
  );
  return isCanonical && HOSTNAME.test(encoded.join("."));
}

const MAX_NAME = 253;
const HOSTNAME =
  /^(?=.{1,253}$)[A-Za-z\d](?:[A-Za-z\d-]{0,61}[A-Za-z\d])?(?:\.[A-Za-z\d](?:[A-Za-z\d-]{0,61}[A-Za-z\d])?)*$/;
const ASCII_LABEL = /^[A-Za-z\d](?:[A-Za-z\d-]*[A-Za-z\d])?$/;
const PUNYCODE = /^xn--/i;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

function decodeLabel(label: string): string {
  return PUNYCODE.test(label) ? (decodePunycode(label.toLowerCase().slice("xn--".length)) ?? "") : label;
}

/** RFC 5893, section 2, as far as the URL parser does not check it. */
function mixesDirections(label: string): boolean {
  return /^\d/.test(label) || label.search(RIGHT_TO_LEFT) > 0;
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

/** RFC 5892, appendix A: contexts in which a character is not allowed. The URL parser checks more of those of joiners. */
const OUT_OF_CONTEXT = [
  /(?<!l)\u00b7|\u00b7(?!l)/u,
  /\u0375(?!\p{Script=Greek})/u,
  /(?<!\p{Script=Hebrew})[\u05f3\u05f4]/u,
  /^(?!.*[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]).*\u30fb/su,
  /^(?=.*[\u0660-\u0669]).*[\u06f0-\u06f9]/su,
  /(?<!\p{M})\u200d/u,
  /(?<![\p{M}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Adlam}])\u200c/u,
];

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
  const rest = text.slice(end + 1);
  let n = 128;
  let i = 0;
  let bias = 72;
  let at = 0;
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

function thresholdOf(k: number, bias: number): number {
  return Math.min(Math.max(k - bias, T_MIN), T_MAX);
}

function adapt(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2));
  rest += Math.floor(rest / count);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + 38));
}
