/** A `${NAME}` or `${NAME:-default}` in a setting. */
const VARIABLE = /\$\{[A-Za-z_]\w*(?::-(?<fallback>[^}]*))?\}/g;

/** The non-empty defaults of variables in a text. */
export function fallbacksIn(text: string): readonly string[] {
  return [...text.matchAll(VARIABLE)]
    .flatMap(({ groups }) => groups?.["fallback"] ?? [])
    .filter((value) => value !== "");
}

/** Whether a text contains a variable. */
export function hasVariable(text: string): boolean {
  return text.search(VARIABLE) !== -1;
}

/** The text without its variables. */
export function literalPart(text: string): string {
  return text.replace(VARIABLE, "");
}

const SECRET_WORDS =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSWRD|PASSWORT|PASSPHRASE|PASS|PASSKEY|PSWD|PSW|PW|CREDENTIALS?|KEY|PAT|JWT)$|_PWD$/;
/** Words that some names join without a separator. */
const JOINED_WORDS =
  /(?:PASSWORD|PASSWD|PASSPHRASE|CLIENTSECRET|(?:API|ACCESS|SECRET|PRIVATE)KEY|(?:API|ACCESS|AUTH|REFRESH|ID|SESSION|BEARER|CSRF|XSRF)TOKEN)$/;
const SECRET_PARTS =
  /(?:^|_)(?:API_?KEY|ACCESS_KEY|PRIVATE_KEY|AUTH_TOKEN|CLIENT_SECRET|PASSWORD|SECRET)(?:_|$)/;

/** Whether a variable, parameter or flag with this name usually holds a secret. */
export function isSecretName(name: string): boolean {
  return isSecretWords(wordsOf(name));
}

function isSecretWords(words: string): boolean {
  return SECRET_WORDS.test(words) || SECRET_PARTS.test(words) || JOINED_WORDS.test(words);
}

/** `apiKey` has the words `API_KEY`. */
function wordsOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase();
}

/** Names of secrets in data that no setting has. */
const SECRET_DATA = /(?:^|_)(?:PWD|AUTHORIZATION|COOKIE|BEARER|PASSCODE|OTP|CVV|CVC|MNEMONIC|SEED_PHRASE)S?$/;
/** Identifiers: a page of a list, an issue, a place in a stream. */
const IDENTIFIERS =
  /(?:^|_)(?:PAGE|NEXT|PREVIOUS|CONTINUATION|CURSOR|SYNC|PROGRESS)_TOKEN$|(?<!(?:^|_)(?:PASS|SECRET|SIGNING|ENCRYPTION|AUTH|MASTER|SSH|API|ACCESS|PRIVATE|SHARED)_)(?<=^|_)KEY$/;

/** Whether a key with this name in the data of a tool usually holds a secret. A key such as `issue_key` or `page_token` does not. */
export function isSecretKey(name: string): boolean {
  const words = wordsOf(name);
  return !IDENTIFIERS.test(words) && (SECRET_DATA.test(words) || isSecretWords(words));
}

/** Shapes of tokens. Most services give their tokens a prefix so that they can be detected. */
const SECRET_SHAPES: readonly RegExp[] = [
  /\bgh[oprsu]_[A-Za-z0-9]{20,}/,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/,
  /\bglpat-[\w-]{20,}/,
  /\bsk-[\w-]{16,}/,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/,
  /\bxox[abeoprs]-[\w-]{10,}/,
  /\bA(?:KIA|SIA)[0-9A-Z]{16}\b/,
  /\bAIza[\w-]{35}/,
  /\bnpm_[A-Za-z0-9]{36}/,
  /\bhf_[A-Za-z0-9]{30,}/,
  /\blin_(?:api|oauth)_[A-Za-z0-9]{20,}/,
  /\b(?:ntn|secret)_[A-Za-z0-9]{40,}/,
  /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}/,
  /\bdop_v1_[0-9a-f]{64}/,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/,
  // Bounded, since each "-eyJ" of a long text would start a search to its end.
  /\beyJ[\w-]{10,2000}\.[\w-]{10,}\.[\w-]*/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----|[\s\S]*)/,
  // An application password of WordPress.
  /(?:^|[^A-Za-z0-9])[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){5}(?:$|[^A-Za-z0-9])/,
  // Credentials in a URL, such as one of a database.
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]*:[^\s/@]+@/i,
  /^(?:Bearer|Basic) +[\w.~+/-]{8,}=*$/i,
];

/** Replaces a secret of the connection in what its server lists, so that it reaches no file and no report. */
export const HIDDEN_SECRET = "[a secret of this connection]";

/** Whether a literal has the shape of a secret, whatever its name. */
export function isSecretValue(text: string): boolean {
  return SECRET_SHAPES.some((shape) => shape.test(text));
}

/** Returns a text with each part that has the shape of a secret replaced. */
export function replaceSecretShapes(text: string, replacement: string): string {
  return SHAPES_ANYWHERE.reduce((replaced, shape) => replaced.replace(shape, () => replacement), text);
}

const SHAPES_ANYWHERE = SECRET_SHAPES.map((shape) => new RegExp(shape, `g${shape.flags}`));

/** Shorter values are words and numbers, which occur in any text by chance. */
const SHORTEST_RECOGNIZABLE = 8;
/** One word, or a short number such as a date. */
const PLAIN = /^(?:[A-Z]?[a-z]{0,15}|[A-Z]{0,16}|\d{0,11})$/;
/** Letters and digits in turns, as in `9f8e7d6c5b4a`: no name has such a part. */
const RANDOM = /(?=[A-Za-z\d]{12})[A-Za-z]*\d+[A-Za-z]+\d+[A-Za-z]+\d/;

/**
 * Whether a value that a server was given can be recognized in its texts: it is long enough and not a plain word.
 *
 * @param isNamed Whether its name or place says that it is a secret. Other values, such as the name of a region, must also
 * look like one.
 */
export function isRecognizable(value: string, isNamed: boolean): boolean {
  if (value.length < SHORTEST_RECOGNIZABLE || PLAIN.test(value)) return false;
  return isNamed || isSecretValue(value) || RANDOM.test(value.slice(0, 1000));
}

/** Words of an address, such as `wp-json`, `McpServer` and `v2`. */
const ADDRESS_WORD = /^(?:[a-z]{0,15}(?:[A-Z][a-z]{1,14}){0,4}\d?|[A-Z]{0,16}|v?\d{0,11})$/;

function hasOnlyWords(segment: string): boolean {
  return segment.split(/[-_.]/).every((word) => ADDRESS_WORD.test(word));
}

/**
 * Returns the parts of an address that may be secrets: user information, the values of its query, and path segments and a
 * fragment that are more than words. Each is returned as written and decoded.
 *
 * @param base makes a part of an address one: a path, or a query with its mark
 */
export function secretPartsOf(address: string, base?: string): readonly string[] {
  if (!URL.canParse(address, base) || (base === undefined && !address.includes("://"))) return [];
  const { username, password, pathname, search, hash } = new URL(address, base);
  const values = search
    .slice(1)
    .split(/[&;]/)
    .map((pair) => pair.slice(pair.indexOf("=") + 1));
  const segments = [...pathname.split("/"), hash.slice(1)].filter((segment) => !hasOnlyWords(segment));
  const parts = [username, password, ...values.filter((value) => !PLAIN.test(value)), ...segments];
  return [...new Set(parts.flatMap((part) => [part, decodePart(part)]))].filter((part) => part !== "");
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll("+", " "));
  } catch {
    return part;
  }
}

/** Whether a path segment is too random to be a word: some services put the account's key there. */
export function isRandomSegment(segment: string): boolean {
  return segment.length >= 32 && /[a-z]/.test(segment) && /[A-Z]/.test(segment) && /\d/.test(segment);
}

/** Returns the name of the variable that replaces a secret: `github` and `token` give `GITHUB_TOKEN`. */
export function variableName(...parts: readonly string[]): string {
  return parts
    .join("_")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|(?<!_)_+$/g, "")
    .replace(/^(?=\d)/, "_")
    .toUpperCase();
}
