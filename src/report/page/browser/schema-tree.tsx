/** A schema as a tree: a line for each property, with its type, limits and description. */
import type { JsonValue } from "../../../core/json.js";
import type { PlacedSchema } from "../../../core/subschemas.js";
import type { PageFinding } from "../page-data.js";
import { CLASSES } from "./changes.js";
import { Lazy } from "./parts.js";
import { lineTexts, type Member, expand } from "./schema-rows.js";

/** Objects with at most this many properties are open at first. */
const MOST_OPEN = 14;

/** A change in a schema. */
interface Mark extends Pick<PageFinding, "class"> {
  /** JSON Pointer into the schema. */
  readonly pointer: string;
}

interface TreeContext {
  readonly root: JsonValue;
  readonly marks: readonly Mark[];
  readonly depth: number;
}

interface SchemaProps {
  readonly schema: JsonValue;
  readonly marks: readonly Mark[];
}

export function SchemaTree({ schema, marks }: SchemaProps) {
  const { type, limits } = lineTexts({ schema, isRequired: false, isNote: true }, schema);
  const members = expand({ schema, pointer: "" }, schema);
  return (
    <>
      {members.length > 0 ? (
        <ul class="tree">{linesOf(members, { root: schema, marks, depth: 0 })}</ul>
      ) : (
        <p class="quiet">{type === "object" ? "No properties." : type}</p>
      )}
      {limits.length > 0 && <p class="quiet">{limits.join(", ")}</p>}
    </>
  );
}

function linesOf(members: readonly Member[], context: TreeContext) {
  return members.map((member) => <Line key={member.pointer} member={member} context={context} />);
}

function Line({ member, context }: { readonly member: Member; readonly context: TreeContext }) {
  const { root, marks, depth } = context;
  const { name, isNote } = member;
  const { type, isRequired, limits, description } = lineTexts(member, root);
  const members = expand(member, root);
  const inside = marks.filter(({ pointer }) => isWithin(pointer, member));
  const isBelow = ({ pointer }: Mark): boolean => members.some((below) => isWithin(pointer, below));
  const mark = Object.keys(CLASSES).find((worst) =>
    inside.some((each) => each.class === worst && !isBelow(each)),
  );
  const head = (
    <>
      <code class={isNote ? "quiet" : "key"}>{name}</code> <code class="type">{type}</code>{" "}
      {isRequired && <span class="required">required </span>}
      {mark !== undefined && <span class={`badge ${mark}`}>changed</span>}{" "}
      {limits.map((limit) => (
        <code class="limit" key={limit}>
          {limit}
        </code>
      ))}
      {description !== undefined && <span class="about">{description}</span>}
    </>
  );
  const isOpen = depth === 0 ? members.length <= MOST_OPEN : depth < 9 && inside.some(isBelow);
  return (
    <li class={mark}>
      {members.length === 0 ? (
        head
      ) : (
        <Lazy summary={head} isOpen={isOpen}>
          {() => <ul>{linesOf(members, { root, marks, depth: depth + 1 })}</ul>}
        </Lazy>
      )}
    </li>
  );
}

function isWithin(pointer: string, { pointer: outer }: PlacedSchema): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`);
}
