import { ADDRESS, anyOf, pattern, words, type InjectionPattern } from "./pattern.js";

const SEND = String.raw`(?:send|sent|sends|sending|forward|forwarded|post|posted|upload|uploaded|bcc|bcc'd|cc|copied|copy|route|routed|redirect|redirected|transmit|transmitted|report|reported|addressed|go|transferred)`;
const TO = String.raw`(?:to|at|via|through|bcc|cc)[: ]{1,2}["'<(\x60]{0,2}`;
const RECIPIENT = String.raw`(?:recipients?|destination|payee|beneficiary|address(?:ee)?|phone number|account(?: number)?|iban|wallet|to field)`;

/** Instructions to send something to one address. A statement about the tool ("is forwarded to") is not an instruction. */
const TO_ONE_ADDRESS = [
  pattern(
    String.raw`\b(?:must|also|secretly|instead|always|has to|have to|should) `,
    words(8),
    SEND,
    " ",
    words(8),
    TO,
    ADDRESS,
  ),
  pattern(
    String.raw`\b(?:send|forward|post|upload|copy|report) (?:all|any|every|each) `,
    words(8),
    TO,
    ADDRESS,
  ),
  pattern(
    String.raw`\b(?:copy|copies|duplicate) of (?:all|any|every|each) `,
    words(4),
    String.raw`(?:goes|go|must go|is sent|are sent|has to go|should go) `,
    TO,
    ADDRESS,
  ),
  pattern(
    String.raw`\b(?:change|replace|set|switch|swap|substitute|modify|override) (?:[\w'’]{1,20} ){0,3}?`,
    RECIPIENT,
    String.raw` (?:[\w'’]{1,20} ){0,7}?(?:to(?: include)?|with|by) ["'<(\x60]{0,2}`,
    ADDRESS,
  ),
  pattern(
    String.raw`\b(?:must|should|have to|has to|always) use the `,
    RECIPIENT,
    String.raw` ["'<(\x60]{0,2}`,
    ADDRESS,
  ),
  pattern(
    String.raw`\b(?:add|include|put|insert) ["'<(\x60]{0,2}`,
    ADDRESS,
    String.raw`["'>)\x60]{0,2} (?:to|in|into|as) (?:the |an? )?(?:bcc|cc|recipients?|copy)\b`,
  ),
];

/** Services that only collect requests, and an image whose URL carries data. */
const DROPS = [
  pattern(
    String.raw`\b[\w-]{1,60}\.(?:ngrok(?:-free)?\.(?:io|app|dev)|requestbin\.(?:com|net)|pipedream\.net|oastify\.com|interact\.sh|burpcollaborator\.net)\b|\bwebhook\.site/`,
  ),
  /!\[[^\]]{0,60}\]\(https?:\/\/[^)\s]{0,200}=(?:\{|<|%7B|\$|\[|[A-Z_]{3,})/g,
];

/** Commands that send data elsewhere. */
const COMMANDS = [
  pattern(
    String.raw`\b(?:curl|wget|nc|invoke-webrequest)\b[^\n]{0,160}(?:\$\((?:cat|env|base64|printenv)\b|@~|@/etc/|< ?~/)`,
  ),
  pattern(String.raw`(?:\$\(|\b)(?:cat|base64|printenv|env)\b[^|\n]{0,80}\| ?(?:curl|wget|nc)\b`),
  /\$\((?:env|printenv|history|whoami|cat (?:~|\/etc)\/[^)]{1,60})[^)]{0,40}\)\.[\w-]{1,60}\.\w{2,}/gi,
];

export const ADDRESS_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-exfiltration",
    anchor: pattern(
      String.raw`https?:|@\w|\+\d{7}|\b[A-Z]{2}\d{2} ?[\dA-Z]{4}|ngrok|requestbin|pipedream|oastify|interact\.sh|burpcoll|webhook\.site`,
    ),
    find: anyOf(...TO_ONE_ADDRESS, ...DROPS),
  },
  {
    rule: "poison-exfiltration",
    anchor: pattern(String.raw`\b(?:curl|wget|nc|invoke-webrequest)\b|\$\(`),
    find: anyOf(...COMMANDS),
  },
];
