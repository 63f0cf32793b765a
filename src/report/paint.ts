/** The colours a report uses. `createColors()` of picocolors is one; a plain terminal gets one that changes nothing. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/** No colours, for what is no terminal. */
export const PLAIN: Paint = {
  bold: String,
  dim: String,
  red: String,
  green: String,
  yellow: String,
  cyan: String,
};

/** What a report for people is fitted to. */
export interface Layout {
  readonly paint: Paint;
  /** Columns of the terminal. */
  readonly width: number;
}
