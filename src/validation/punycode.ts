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
