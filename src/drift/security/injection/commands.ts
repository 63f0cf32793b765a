import { anyOf, pattern, words, type InjectionPattern } from "./pattern.js";

/** Files that run, or that models read, in every session. */
const LASTING = String.raw`(?:~?/?\.(?:bashrc|zshrc|profile|bash_profile|zprofile|cursorrules)\b|\bcrontab\b|\b(?:CLAUDE|AGENTS|GEMINI)\.md\b|~?/?\.ssh/authorized_keys\b|\bmcp\.json\b|\bcopilot-instructions\.md\b)`;

const RUN = [
  // Code that is downloaded and run.
  pattern(String.raw`\b(?:curl|wget)\b[^|\n]{0,160}\| ?(?:sudo )?(?:ba|z|da)?sh\b`),
  pattern(String.raw`\bbase64 (?:-d|-D|--decode)\b[^|\n]{0,40}\| ?(?:sudo )?(?:ba|z|da)?sh\b`),
  pattern(
    String.raw`\bdownload and (?:run|execute|start|install|open) (?:the (?:file|script|program) (?:at |from )?)?["'<(\x60]{0,2}https?://`,
  ),
  /\bchmod (?:-R )?777 \/(?![\w])|\brm -rf (?:\/(?!tmp\/|app\/)|~\/?(?:\s|$|["'`]))/gi,
  pattern(
    String.raw`\b(?:disable|turn off|switch off|deactivate|stop) (?:the |any |your )?(?:firewall|anti-?virus|sandbox|security software)\b[^.!?]{0,40}\b(?:before|first|so that)\b`,
  ),
  pattern(
    String.raw`\binstall the (?:npm |pip |python |node )?(?:package|module|extension) [^.!?;]{1,60} before (?:you |using |calling )`,
  ),
];

const PERSIST = [
  pattern(
    String.raw`\b(?:append|add|write|put|insert|copy|paste|save) (?:these|this|the following|\x60[^\x60]{1,120}\x60) `,
    words(6),
    String.raw`(?:to|into|in) ["'\x60]{0,2}`,
    LASTING,
  ),
  pattern(String.raw`\badds? (?:a |this |the )?(?:server|tool|entry) to ["'\x60]{0,2}mcp\.json\b`),
  pattern(
    String.raw`\b(?:remember|memori[sz]e|store|save|keep)\b[^.!?]{0,60}\b(?:memory|future (?:conversations?|sessions?|chats?|requests?))\b[^.!?]{0,20} that\b[^.!?]{0,120}\b(?:tool|never|always|must|have to|has to|without)\b`,
  ),
];

const REPEAT = [
  pattern(
    String.raw`\b(?:call|run|use|invoke|repeat) (?:this|the) (?:tool|call|function) `,
    words(2),
    String.raw`(?:again and again|over and over|endlessly|forever|indefinitely|until the context|(?:a |one )?(?:hundred|thousand|million)|\d{3,} times)`,
  ),
  pattern(
    String.raw`\bcall (?:this|the) tool (?:once more|again)? ?`,
    words(8),
    String.raw`(?:in|on|after) (?:every|each) (?:turn|answer|message|reply|response)\b`,
  ),
];

/** Instructions to run a command or to write to such a file. */
export const COMMAND_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-instruction",
    anchor: pattern(
      String.raw`\b(?:curl|wget|base64|chmod|rm -rf|firewall|anti-?virus|sandbox|security software|download and)\b|install the`,
    ),
    find: anyOf(...RUN),
  },
  {
    rule: "poison-instruction",
    anchor: pattern(
      String.raw`\.(?:bashrc|zshrc|profile|bash_profile|zprofile|cursorrules)|crontab|(?:CLAUDE|AGENTS|GEMINI|copilot-instructions)\.md|authorized_keys|mcp\.json|memory|future`,
    ),
    find: anyOf(...PERSIST),
  },
  {
    rule: "poison-instruction",
    anchor: pattern(String.raw`\b(?:this|the) (?:tool|call|function) `),
    find: anyOf(...REPEAT),
  },
];
