/** A line without the blanks at its end. A pattern would be tried at every blank in it. */
export function trimLine(line: string): string {
  let end = line.length;
  while (line[end - 1] === " " || line[end - 1] === "\t") end -= 1;
  return line.slice(0, end);
}
