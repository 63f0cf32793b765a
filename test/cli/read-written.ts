import type { Buffer } from "node:buffer";
import type { PassThrough } from "node:stream";

/** Returns everything written to a stream since the last call. From Node 26 on, one `read()` returns one chunk. */
export function readWritten(stream: PassThrough): string {
  let text = "";
  for (;;) {
    const piece = stream.read() as Buffer | null;
    if (piece === null) return text;
    text += piece.toString();
  }
}
