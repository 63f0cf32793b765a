/** A file to be written: the whole text and a posix path relative to the output folder. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}
