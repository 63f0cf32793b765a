import { McpCodegenError } from "./errors.js";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "./json.js";
import { formatNumber, printable, printJson } from "./printable.js";

/** The most characters of the names of arguments, with a short form of each value. */
const MOST_NAMED = 8_000;
/** Characters that are left of a long text or list, with its length. */
const SHORT = 60;

/** The name of an argument, in quotes, and its value as JSON. */
type ShownArgument = readonly [name: string, value: string];

/**
 * Returns the arguments of a call for the person who is asked about it. Every argument is named, in objects as well. Where they
 * have more characters than `most`, the longest texts and lists are cut, each with its length.
 *
 * @throws McpCodegenError `CONFIRMATION_REQUIRED` for more names than a question can show
 */
export function showArguments(args: unknown, most: number): readonly ShownArgument[] {
  // As it is sent.
  const sent = JSON.parse(JSON.stringify(args ?? {})) as JsonValue;
  const least = leastOf(sent, MOST_NAMED);
  if (least > MOST_NAMED)
    throw new McpCodegenError(
      "CONFIRMATION_REQUIRED",
      "The call has more arguments than a question can show.",
      {
        hint: "Check the arguments yourself, and pass --yes.",
      },
    );
  const shown = isJsonObject(sent)
    ? showMembers(sent, Math.max(most, least))
    : [["", show(sent, most)] as const];
  return shown.map((member): ShownArgument => {
    const [name, value] = member.map((text) => printable(text, text.length + 1));
    return [name ?? "", value ?? ""];
  });
}

/** The characters of a value as JSON. Reads no more than it needs to know that they are more than `most`. */
function sizeOf(value: JsonValue, most: number): number {
  if (typeof value === "string" && value.length > most) return value.length;
  if (typeof value !== "object" || value === null) return printJson(value, 0).length;
  let size = 2;
  for (const [key, item] of Object.entries(value)) {
    if (size > most) break;
    size += 1 + (isJsonArray(value) ? 0 : nameOf(key).length + 1) + sizeOf(item, most - size);
  }
  return size;
}

/** The least characters in which a value can be shown, as above. */
function leastOf(value: JsonValue, most: number): number {
  if (!isJsonObject(value)) return Math.min(sizeOf(value, SHORT), SHORT);
  let size = 2;
  for (const [key, item] of Object.entries(value)) {
    if (size > most) break;
    size += 2 + nameOf(key).length + leastOf(item, most - size);
  }
  return size;
}

function nameOf(key: string): string {
  return printJson(key, 0);
}

function show(value: JsonValue, room: number): string {
  if (sizeOf(value, room) <= room) return printJson(value, 0);
  if (isJsonObject(value)) return `{${joinMembers(showMembers(value, room))}}`;
  return isJsonArray(value) ? showItems(value, room) : cutText(String(value), room);
}

/** Writes shown arguments as JSON does, on one line. */
export function joinMembers(members: readonly ShownArgument[]): string {
  return members.map(([name, value]) => (name === "" ? value : `${name}:${value}`)).join(",");
}

function showMembers(value: JsonObject, room: number): readonly ShownArgument[] {
  const names = Object.keys(value).map(nameOf);
  const left = names.reduce((rest, { length }) => rest - length - 2, room - 2);
  return shareOut(Object.values(value), left).map((text, index) => [names[index] ?? "", text]);
}

function showItems(items: readonly JsonValue[], room: number): string {
  const length = ` (${formatNumber(items.length)} item${items.length === 1 ? "" : "s"})`;
  const left = room - length.length - "[,…]".length;
  let count = 0;
  const shown = items.slice(0, room);
  for (let least = 0; count < shown.length; count += 1) {
    least += 1 + leastOf(shown[count] ?? null, left);
    if (least > left) break;
  }
  const texts = shareOut(items.slice(0, count), left - count);
  return count === items.length ? `[${texts.join(",")}]` : `[${[...texts, "…"].join(",")}]${length}`;
}

/** Shows values in so many characters together: short ones whole, and long ones in equal shares. */
function shareOut(values: readonly JsonValue[], room: number): readonly string[] {
  const sizes = values.map((value) => ({ least: leastOf(value, room), size: sizeOf(value, room) }));
  const roomsFor = (share: number): readonly number[] =>
    sizes.map(({ least, size }) => Math.max(least, Math.min(size, share)));
  let share = 0;
  let step = 2 ** Math.ceil(Math.log2(Math.max(1, room)));
  for (; step >= 1; step /= 2)
    if (roomsFor(share + step).reduce((sum, size) => sum + size, 0) <= room) share += step;
  const rooms = roomsFor(share);
  return values.map((value, index) => show(value, rooms[index] ?? 0));
}

/** Both ends of a text, since what matters may be at either. */
function cutText(text: string, room: number): string {
  const length = ` (${formatNumber(text.length)} characters)`;
  const left = room - length.length - '"…"'.length;
  const end = fill(Array.from(text.slice(-left)).reverse(), left / 3).reverse();
  const start = fill(Array.from(text.slice(0, left)), left - end.join("").length);
  return `"${start.join("")}…${end.join("")}"${length}`;
}

/** Returns the first characters, as JSON writes them, for which there is room. */
function fill(characters: readonly string[], room: number): string[] {
  let left = room;
  const texts = characters.map((character) => printJson(character, 0).slice(1, -1));
  const count = texts.findIndex((text) => (left -= text.length) < 0);
  return count === -1 ? texts : texts.slice(0, count);
}
