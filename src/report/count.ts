/** `1 file`, `1,200 files`. */
export function count(amount: number, noun: string): string {
  return `${formatNumber(amount)} ${noun}${amount === 1 ? "" : "s"}`;
}

/**
 * A whole number with thousands separators. Formatted by hand, since loading the data of `Intl` takes longer than a
 * check.
 */
export function formatNumber(amount: number): string {
  return String(amount).replace(/(?<=\d)(?=(?:\d{3})+$)/g, ",");
}
