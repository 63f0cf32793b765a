import { type Check, report, type CheckPayload } from "./check.js";

/** An integer of any size: `z.int()` refuses those beyond 2^53. */
export function integer(payload: CheckPayload): void {
  if (typeof payload.value === "number" && !Number.isInteger(payload.value))
    report(payload, "Invalid input: expected int, received number");
}

/** A multiple of `step` as the decimals are written: 0.3 is one of 0.1, though dividing doubles says no. */
export function multipleOf(step: number): Check {
  return (payload) => {
    const { value } = payload;
    if (typeof value === "number" && !isMultiple(value, step))
      report(payload, `Invalid number: must be a multiple of ${step}`);
  };
}

/** Whether a number is a multiple of another, both as they are written. */
export function isMultiple(value: number, step: number): boolean {
  if (value % step === 0) return true;
  const [digits, scale] = toDecimal(value);
  const [stepDigits, stepScale] = toDecimal(step);
  const shared = Math.max(scale, stepScale);
  return (digits * 10n ** BigInt(shared - scale)) % (stepDigits * 10n ** BigInt(shared - stepScale)) === 0n;
}

/** The number as digits over a power of ten: 1.25 is 125 and 2. */
function toDecimal(value: number): readonly [digits: bigint, scale: number] {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale < 0 ? [digits * 10n ** BigInt(-scale), 0] : [digits, scale];
}
