const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Whether a text may be a number that JavaScript cannot hold, such as "9223372036854775807": lists keep such numbers as
 * texts. Numbers with up to 15 digits and no exponent are exact.
 */
export function isNumberText(text: string): boolean {
  return NUMBER.test(text) && (/[eE]/.test(text) || text.replace(/[-.]/g, "").length > 15);
}
