/**
 * Returns a text once with our and once with their side of each merge conflict, as git writes them; undefined without a
 * complete conflict. The section of the common ancestor (`merge.conflictStyle` `diff3`) is in neither.
 */
export function splitConflicts(text: string): readonly [ours: string, theirs: string] | undefined {
  const sides = { ours: "", theirs: "" };
  let section: "both" | "ours" | "base" | "theirs" = "both";
  let conflicts = 0;
  for (const line of text.split(/(?<=\n)/)) {
    const marker = /^(<{7}|\|{7}|={7}|>{7})(?:[ \r\n]|$)/.exec(line)?.[1]?.charAt(0);
    if (marker === "<" && section === "both") section = "ours";
    else if (marker === "|" && section === "ours") section = "base";
    else if (marker === "=" && (section === "ours" || section === "base")) section = "theirs";
    else if (marker === ">" && section === "theirs") {
      section = "both";
      conflicts += 1;
    } else {
      if (section === "both" || section === "ours") sides.ours += line;
      if (section === "both" || section === "theirs") sides.theirs += line;
    }
  }
  return section === "both" && conflicts > 0 ? [sides.ours, sides.theirs] : undefined;
}
