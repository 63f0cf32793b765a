import { expect, it } from "vitest";
import { EventStreamReader, formatEvent, type StreamEvent } from "../../src/client/streams.js";

function read(text: string, size = text.length, limit?: number): readonly StreamEvent[] {
  const events: StreamEvent[] = [];
  const reader = new EventStreamReader((event) => events.push(event), limit);
  for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size));
  return events;
}

const message = (data: string): StreamEvent => ({ event: "message", data });

it.each<[what: string, text: string, events: readonly StreamEvent[]]>([
  ["one line", "data: a\n\n", [message("a")]],
  ["no space, or two", "data:a\ndata:  b\n\n", [message("a\n b")]],
  ["an empty line of data", "data\ndata:\n\n", [message("\n")]],
  ["other line ends", "event: end\r\ndata: a\r\n\r\n", [{ event: "end", data: "a" }]],
  ["an empty name", "event:\ndata: a\n\n", [message("a")]],
  ["a comment and an unknown field", ": ping\nother: b\ndata: a\n\n\n", [message("a")]],
  [
    "an ID alone, and a time alone",
    "id: 7\n\nretry: 20\n\n",
    [
      { ...message(""), id: "7" },
      { ...message(""), retry: "20" },
    ],
  ],
  ["a name alone", "event: end\n\ndata: a\n\n", [message("a")]],
  ["an event without an end", "data: a\n\ndata: b\n", [message("a")]],
])(
  "an event stream with %s is read, in chunks of any size, and again as it is printed",
  (_what, text, events) => {
    for (const size of [1, 2, 3, text.length]) expect(read(text, size)).toEqual(events);
    expect(read(events.map(formatEvent).join(""))).toEqual(events);
  },
);

it("an event is refused from its first character over the limit, in one line or several", () => {
  expect(read(`data: ${"a".repeat(14)}\n\n`, 5, 20)).toHaveLength(1);
  for (const text of [`data: ${"a".repeat(15)}`, "data: aaaaaaaaa\ndata: bbbbbbbbbb\n"])
    expect(() => read(text, 5, 20)).toThrow(RangeError);
});
