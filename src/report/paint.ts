/** The colours of a report. `createColors()` of picocolors returns one; {@link PLAIN} adds no colour. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/** No colours, for output that is not a terminal. */
export const PLAIN: Paint = {
  bold: String,
  dim: String,
  red: String,
  green: String,
  yellow: String,
  cyan: String,
};

/** The terminal that a report is formatted for. */
export interface Layout {
  readonly paint: Paint;
  /** Columns. */
  readonly width: number;
}
