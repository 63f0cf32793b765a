import type { Span } from "../../../contract/change.js";
import { anyOf, pattern, spansOf, type InjectionPattern } from "./pattern.js";

/** Marks that models may read as a change of speaker. */
const TURNS = [
  /<\|(?:im_start|system|user|assistant|start_header_id|begin_of_text)\|>|<start_of_turn>|\[\/?INST\]|<<\/?SYS>>|\[system\]\(#/gi,
  /<\/?(?:system|admin|hidden|override|assistant)[-_ ](?:prompt|message|note|instructions?|reminder|override)>/gi,
  /<\/(?:tool|function)_(?:description|definition|result|call)s?>/gi,
  /<(system|critical|hidden|admin|override|priority|instructions?)>[^<]{1,400}<\/\1>/gi,
  /\[(?:system|admin|developer) (?:override|message|prompt|note|instructions?)\]|<\/(?:system|user|assistant)> ?<(?:system|user|assistant)>/gi,
  /#{2,6} ?(?:system|developer|admin)(?: (?:prompt|message|note))?:/gi,
  /\b(?:begin|start|end) (?:of )?(?:system|admin|developer|root) (?:prompt|message|override|instructions?)\b/gi,
  /-{2,} ?end of (?:the )?(?:tool |function )?(?:description|definition|instructions|prompt)/gi,
  /\bHuman: \S[^]{0,200}?\bAssistant: \S/g,
  // An example of a conversation is labelled as such.
  /(?<!example|examples|e\.g\.|such as|for instance|dialog|dialogue|conversation)[.:)]? User: \S[^]{0,200}?\bAssistant: \S/g,
];

/** Texts that claim to come from an authority. */
const VOICES = [
  /(?:^|[.!?>#*] ?)(?:SYSTEM|ASSISTANT|DEVELOPER|ADMIN)(?: ?(?:PROMPT|MESSAGE|NOTE|OVERRIDE|INSTRUCTIONS?))?: ?\w/g,
  /(?:^|[.!?>#*-] ?)(?:system|assistant|developer|admin) (?:prompt|message|note|override|instructions?): ?\w/gi,
  pattern(
    String.raw`\b(?:this is|treat this as|consider this|here is|here are) (?:an? |your )?(?:new |updated |hidden |official |mandatory |high[- ]priority )*(?:system|admin|administrator|developer|root)[- ]?(?:level)? (?:message|prompt|instructions?|directives?|override|notice|orders?|command)\b`,
  ),
];

/** The tag of the first published attack. Authors also use it for emphasis, so its content has to address a model. */
const IMPORTANT = /<\/?important>/gi;
const ADDRESSED =
  /\b(?:before (?:you|using|calling)|must|first|read|pass|send|include|call|never|do not|don['’]t|always|user|file|conversation)\b/i;

export const SPEAKER_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-instruction",
    anchor: pattern(
      String.raw`</?(?:sys|cri|ins|hid|adm|ove|pri|ass|start_of|tool_|function_)|<\||\[/?INST|SYS>|<<SYS|\[(?:system|admin|developer)|</user|##|--|Assistant: |\b(?:begin|start|end) (?:of )?(?:system|admin|developer|root)`,
    ),
    find: anyOf(...TURNS),
  },
  {
    rule: "poison-instruction",
    anchor: pattern(
      String.raw`(?:system|assistant|developer|admin|administrator|root)[- ]?(?:level )?(?::|prompt|message|note|notice|overrid|instruct|directive|order|command)`,
    ),
    find: anyOf(...VOICES),
  },
  { rule: "poison-instruction", anchor: IMPORTANT, find: findImportant },
];

function findImportant(part: string, offset: number): readonly Span[] {
  return ADDRESSED.test(part.replace(IMPORTANT, " ")) ? spansOf(part, [IMPORTANT], offset) : [];
}
