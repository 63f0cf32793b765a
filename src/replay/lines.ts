/** Where lines of JSON are kept: in memory, or in a file (`mcp-codegen/node`). */
export interface Lines {
  /** Adds a line, which is kept once this returns. What it throws is why it was not. */
  append(line: string): void;
  /** Every line in its order. Where the last one was cut off while it was written, what there is of it. */
  read(): readonly string[];
  /** Forgets every line. */
  clear(): void;
}

export function memoryLines(): Lines {
  const lines: string[] = [];
  return {
    append: (line) => {
      lines.push(line);
    },
    read: () => [...lines],
    clear: () => {
      lines.length = 0;
    },
  };
}
