import { type Check, report, type CheckPayload } from "./check.js";

/** Requires an integer of any size: `z.int()` rejects integers beyond 2^53. */
export function integer(payload: CheckPayload): void {
  if (typeof payload.value === "number" && !Number.isInteger(payload.value))
    report(payload, "Invalid input: expected int, received number");
}

/** Requires a multiple of `step` in decimal notation: 0.3 is a multiple of 0.1, although 0.3 / 0.1 is not an integer. */
export function multipleOf(step: number): Check {
  return (payload) => {
    const { value } = payload;
    if (typeof value === "number" && !isMultiple(value, step))
      report(payload, `Invalid number: must be a multiple of ${step}`);
  };
}

/** Whether a number is a multiple of another, both in decimal notation. */
export function isMultiple(value: number, step: number): boolean {
  if (value % step === 0) return true;
  const [digits, scale] = toDecimal(value);
  const [stepDigits, stepScale] = toDecimal(step);
  const shared = Math.max(scale, stepScale);
  return (digits * 10n ** BigInt(shared - scale)) % (stepDigits * 10n ** BigInt(shared - stepScale)) === 0n;
}

/** Returns a number as digits and a decimal scale: 1.25 gives 125 and 2. */
function toDecimal(value: number): readonly [digits: bigint, scale: number] {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale < 0 ? [digits * 10n ** BigInt(-scale), 0] : [digits, scale];
}
