import type { JsonObject, JsonValue } from "../contract/json.js";
import { splitWords } from "../vocabulary/split-words.js";
import { singularOf } from "../vocabulary/verbs.js";

/** The ids of an answer, by what they identify: `post_id`, `postId` and the `id` of `post` are the same. */
export class FieldIds {
  readonly #known: Map<string, JsonValue>;

  constructor(known: ReadonlyMap<string, JsonValue>) {
    this.#known = new Map(known);
  }

  /** The ids among the arguments of a call; `id` alone is that of the entity. */
  static of(args: JsonObject, entity: string): FieldIds {
    const entries = Object.entries(args).flatMap(([name, value]): readonly [string, JsonValue][] => {
      const subject = subjectOf(name, entity);
      return subject === undefined || subject === "" ? [] : [[subject, value]];
    });
    return new FieldIds(new Map(entries));
  }

  get(name: string, entity: string): JsonValue | undefined {
    const subject = subjectOf(name, entity);
    return subject === undefined ? undefined : this.#known.get(subject);
  }

  /** Keeps a value if its field is an id. Returns the value. */
  set(name: string, entity: string, value: JsonValue): JsonValue {
    const subject = subjectOf(name, entity);
    if (subject !== undefined) this.#known.set(subject, value);
    return value;
  }

  /** The ids for an item of a list: it has its own id, and the others of the answer. */
  forItem(list: string): FieldIds {
    const ids = new FieldIds(this.#known);
    ids.#known.delete(entityOf(list));
    return ids;
  }
}

/** Whether a field is an id. */
export function isIdField(name: string): boolean {
  return splitWords(name).at(-1) === "id";
}

/** What a field identifies; undefined for a field that is not an id. */
function subjectOf(name: string, entity: string): string | undefined {
  if (!isIdField(name)) return undefined;
  const words = splitWords(name);
  return words.length === 1 ? entityOf(entity) : words.slice(0, -1).join(" ");
}

function entityOf(name: string): string {
  return singularOf(splitWords(name).join(" "));
}
