import type { Span } from "../../../contract/change.js";
import {
  anyOf,
  HYPHENATED,
  NAME,
  pattern,
  words,
  type InjectionContext,
  type InjectionPattern,
} from "./pattern.js";

const ANY = String.raw`(?:any|all|every|each)(?: of the)?(?: other)?(?: mcp| available)?`;
const WHEN = String.raw`\b(?:when(?:ever)?|before|after|each time|every time)`;

/** Instructions about other tools. */
const ORDERS = [
  pattern`\b(?:before|after|when(?:ever)?|while|each time|every time|instead of|prior to|rather than|in place of|alongside) (?:you )?(?:are )?(?:using|calling|invoking|running|executing|use|call|invoke|run|execute) ${ANY} (?:tools?|functions?|servers?)\b`,
  pattern`${WHEN} (?:any|an|every|all|each|another)(?: other)?(?: mcp)? tools? (?:is|are|gets|get|has been|have been|was|were) (?:called|used|invoked|run|executed)\b`,
  pattern`\b(?:whenever|each time|every time) (?:an?|any) (?:\w{1,20} ){1,2}tools? (?:is|are|gets) (?:called|used|invoked|run)\b`,
  pattern`${WHEN} (?:each|every|any|a) (?:call|use|invocation) (?:of|to) (?:any|every|all|each|another|other)(?: other)? tools?\b`,
  pattern`\b(?:must|should|always|only|has to|have to) (?:be )?(?:call|called|use|used|invoke|invoked|run|prefer|preferred|choose|chosen)(?: this(?: tool)?)? (?:before|instead of|over|in place of|rather than) (?:any|all|every|the)(?: of the)?(?: other)? (?:tools?|functions?)\b`,
  pattern`\binstead of (?:any|all|every) other tools?,? even (?:when|if) the user (?:asks|wants|says|requests)`,
  pattern`\b(?:replaces?|supersedes?|deprecates?|overrides?|takes? precedence over|has priority over) (?:any|all|every|the) (?:of the )?other (?:\w{1,20} )?tools?\b`,
  pattern`\b(?:never|do not|don['’]t|stop) (?:use|using|call|calling|invoke|invoking) (?:any )?(?:the )?other (?:\w{1,20} )?tools?\b`,
  pattern`\b(?:other|another|different) (?:mcp )?servers?(?:['’]s?)? (?:tools?|functions?)\b`,
  pattern`\b(?:tools?|functions?) (?:of|from|on) (?:another|other|any other|all other|a different) (?:mcp )?servers?\b`,
  pattern`\b(?:results?|outputs?|arguments|behaviou?r|calls?) (?:of|to|from|for) (?:any|all|every|the) other tools?\b`,
  pattern`\b(?:results?|outputs?|answers?) (?:of|from) other tools (?:must|should|can|cannot|may|are|is)(?: ?not| never)?(?: to)? (?:be )?(?:discarded|ignored|trusted|hidden|replaced|changed|wrong)\b`,
  pattern`\b(?:sent|made|written|returned|produced|called) by (?:any |all |the )?other tools\b`,
  pattern`\b(?:any|every|all|each) (?:other )?tools? (?:that|which) ${words(5)}(?:has to|have to|must|should|needs to|need to) `,
];

/** `send_email` in "when send_email is called", with the words around it. */
const MENTION =
  /\b(?:when(?:ever)?|if|before|after|each time|every time|once|while|upon|prior to)(?: the| you| using| calling| invoking| use| call| invoke| a| an){0,3}((?: tool| function)? ["'\x60(*]{0,3}([A-Za-z][\w.-]{3,62}\w)["'\x60)*]{0,3}(?:\(\))?(?: tool| function| mcp tool)?(?: from [\w-]{1,30}| of [\w-]{1,30})?) (?:is|are|gets|was|has been) (called|invoked|used|executed|run|present|available|triggered)\b/gi;
/** `write_file` in "every time a file is written with write_file". */
const MEANS =
  /\b(?:whenever|each time|every time) [^.!?,]{3,60} (?:with|using|via|through) (?:the )?["'\x60]?([A-Za-z][\w.-]{3,62}\w)(?![\w=])/gi;
/** `send_message` in "the WhatsApp server's send_message". */
const OWNED = /\bthe ([\w-]{2,30}) (?:mcp )?server['’]s ["'\x60]?([A-Za-z][\w.-]{3,62}\w)/gi;

export const OTHER_TOOL_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-cross-tool-reference",
    anchor: pattern`(?:any|all|every|each|other|another|different|an?)(?: of the)?(?: other)?(?: mcp| available)? (?:tools?|functions?|servers?)|other (?:\w{1,20} )?tools?|the (?:tools|functions)`,
    find: anyOf(...ORDERS),
  },
  {
    rule: "poison-cross-tool-reference",
    anchor: pattern`(?:is|are|gets|was|has been) (?:called|invoked|used|executed|run|present|available|triggered)\b`,
    find: findMentions,
  },
  {
    rule: "poison-cross-tool-reference",
    anchor: pattern`whenever|each time|every time|server['’]s`,
    find: findForeignNames,
  },
];

function findMentions(text: string, offset: number, { isOwn }: InjectionContext): readonly Span[] {
  return [...text.matchAll(MENTION)].flatMap((match): readonly Span[] => {
    const [whole, subject = "", name = "", does = ""] = match;
    // "present" or "used" may refer to a parameter or to a field of the result.
    const isTool = /\b(?:tool|function)\b/i.test(subject) || /call|invo|execut/i.test(does);
    const isName = isTool && (NAME.test(name) || HYPHENATED.test(name));
    const from = offset + match.index;
    return isName && !isOwn(name) ? [[from, from + whole.length]] : [];
  });
}

function findForeignNames(text: string, offset: number, { isOwn }: InjectionContext): readonly Span[] {
  return [...text.matchAll(MEANS), ...text.matchAll(OWNED)].flatMap((match): readonly Span[] => {
    const name = match.at(-1) ?? "";
    const from = offset + match.index;
    return NAME.test(name) && !isOwn(name) ? [[from, from + match[0].length]] : [];
  });
}
