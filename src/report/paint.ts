/** The colours a report uses. `createColors()` of picocolors is one; a plain terminal gets one that changes nothing. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}
