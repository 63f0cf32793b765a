import type { Buffer } from "node:buffer";
import type { PassThrough } from "node:stream";

/** All that was written to a stream since it was read last; from Node 26 on, one `read()` gives one piece of it. */
export function readWritten(stream: PassThrough): string {
  let text = "";
  for (;;) {
    const piece = stream.read() as Buffer | null;
    if (piece === null) return text;
    text += piece.toString();
  }
}
