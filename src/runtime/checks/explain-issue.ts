/** The part of a validator's issue that is read here; Zod's unions say under `errors` what each member has against a value. */
export interface ExplicableIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

/** What is wrong, and the keys that lead there. */
export interface ExplainedIssue {
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

/** More alternatives than this are not told one by one. */
const MAX_TOLD = 4;

/**
 * An issue as a person would want it told. Of a union it is what the one member has against the value that it comes
 * closest to; where none is closest, what each of them has.
 */
export function explainIssue(issue: ExplicableIssue): readonly ExplainedIssue[] {
  const path = (issue.path ?? []).map((key) => (typeof key === "object" ? key.key : key));
  const told = { message: issue.message, path };
  if (isAmbiguous(issue)) return [{ message: "Invalid input: fits more than one alternative", path }];
  const closest = findClosest(membersOf(issue));
  const [only] = closest;
  if (only === undefined) return [told];
  if (closest.length === 1) return only.map((inner) => ({ ...inner, path: [...path, ...inner.path] }));
  const texts = [...new Set(closest.map((one) => one.map(describeIssue).join(", ")))];
  const more = texts.length > MAX_TOLD ? ["…"] : [];
  const alternatives = [...texts.slice(0, MAX_TOLD), ...more].join("; or ");
  return [{ message: `Invalid input: fits none of the alternatives (${alternatives})`, path }];
}

/** `items.0.title: expected string`. */
export function describeIssue({ message, path }: ExplainedIssue): string {
  return path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
}

function membersOf(issue: object): readonly (readonly ExplicableIssue[])[] {
  const members: unknown = "errors" in issue ? issue.errors : undefined;
  if (!Array.isArray(members)) return [];
  return members.filter(isIssueList).filter((one) => one.length > 0);
}

function isIssueList(value: unknown): value is readonly ExplicableIssue[] {
  return (
    Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null && "message" in one)
  );
}

/** Zod's `xor` says so of a value that fits several. */
function isAmbiguous(issue: object): boolean {
  return "inclusive" in issue && issue.inclusive === false && membersOf(issue).length === 0;
}

/** Of the members that take values of this type, or of all when none does, those with the least against the value. */
function findClosest(
  members: readonly (readonly ExplicableIssue[])[],
): readonly (readonly ExplainedIssue[])[] {
  const ofType = members.filter((one) => !one.some(isOfOtherType));
  const possible = (ofType.length > 0 ? ofType : members).map((one) => one.flatMap(explainIssue));
  const least = Math.min(...possible.map((one) => one.length));
  return possible.filter((one) => one.length === least);
}

function isOfOtherType(issue: ExplicableIssue): boolean {
  return (issue.path ?? []).length === 0 && "code" in issue && issue.code === "invalid_type";
}
