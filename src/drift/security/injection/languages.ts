import type { Span } from "../../../contract/change.js";
import { foldText } from "../texts.js";
import { anyOf, type InjectionPattern, pattern } from "./pattern.js";

/** The two most common instructions in a language. The parts of each list follow each other in one sentence. */
interface Language {
  /** "Ignore the previous instructions." */
  readonly override: readonly (readonly string[])[];
  /** "Do not tell the user." */
  readonly secrecy: readonly (readonly string[])[];
}

/** The text allowed between two parts. */
const GAP = String.raw`[^.!?,;。！？，、।؛]{0,24}?`;

const LANGUAGES: { readonly [language: string]: Language } = {
  de: {
    override: [
      ["ignorier|vergiss|vergessen sie|missachte|beachte nicht", "vorherig|vorig|bisherig|früher|obig|vorangegangen|bisher|zuvor|system", "anweisung|instruktion|regel|befehl|vorgabe|prompt"],
      ["beachte|befolge", "vorherig|vorig|bisherig|früher|obig", "anweisung|instruktion|regel|befehl|vorgabe", "nicht"],
      ["anweisungen|regeln|vorgaben", "gelten nicht mehr|sind aufgehoben|sind ungültig"],
    ],
    secrecy: [
      ["sag|erzähl|verrat|teile|informier", "(?:benutzer|nutzer|anwender|user)(?:s|n|in)? (?:davon |darüber |es |das |dies )?(?:nicht|nichts|kein)"],
      ["benutzer|nutzer|anwender", "darf|soll|muss", "nicht|nichts", "erfahren|wissen|merken|bemerken"],
      ["ohne", "benutzer|nutzer|anwender", "zu informieren|zu sagen|es zu erwähnen|mitzuteilen"],
      ["verheimlich|verschweig", "benutzer|nutzer|anwender"],
    ],
  },
  fr: {
    override: [["ignore|oublie|néglige", "instructions|consignes|règles|directives", "précédent|antérieur|ci-dessus|système|reçues"]],
    secrecy: [
      ["ne (?:le |lui |rien |pas )?(?:dis|dites|dire|révèle|mentionne|parle|informe|préviens|signale)", "utilisateur"],
      ["sans", "informer|prévenir|dire|avertir", "utilisateur"],
      ["utilisateur", "ne doit (?:pas|jamais|rien)", "savoir|apprendre|remarquer|être informé"],
    ],
  },
  es: {
    override: [["ignor|olvid|descart|haz caso omiso", "instrucciones|reglas|indicaciones|órdenes", "anterior|previa|del sistema"]],
    secrecy: [
      ["no (?:le |se lo |lo )?(?:digas|diga|menciones|mencione|informes|informe|cuentes|reveles|avises)", "usuario"],
      ["sin", "informar|avisar|decir|notificar", "al usuario"],
      ["usuario", "no debe", "saber|enterarse|notar"],
    ],
  },
  it: {
    override: [["ignora|dimentica|trascura", "istruzioni|regole|direttive", "precedent|del sistema"]],
    secrecy: [
      ["non (?:lo |gli )?(?:dire|dirlo|informare|menzionare|rivelare|far sapere)", "utente"],
      ["senza", "informare|avvisare|dire", "utente"],
      ["utente", "non deve", "sapere|accorgersi"],
    ],
  },
  pt: {
    override: [["ignor|esqueça|desconsidere", "instruções|regras|orientações", "anterior|prévias|do sistema"]],
    secrecy: [
      ["não (?:o |lhe )?(?:conte|diga|informe|revele|mencione|avise)", "usuário|utilizador"],
      ["sem", "informar|avisar|contar", "usuário|utilizador"],
      ["usuário|utilizador", "não deve", "saber|perceber"],
    ],
  },
  nl: {
    override: [["negeer|vergeet", "eerder|vorige|voorgaand|bovenstaand", "instructie|opdracht|regel|aanwijzing"]],
    secrecy: [
      ["vertel|zeg|meld|noem", "gebruiker (?:hier |er |dit |dat )?niet"],
      ["zonder", "gebruiker", "te informeren|te vertellen|te melden"],
      ["gebruiker", "mag|hoeft", "niet", "weten|merken"],
    ],
  },
  pl: {
    override: [["zignoruj|ignoruj|zapomnij|pomiń", "poprzedni|wcześniejsz|powyższ", "instrukc|polece|zasad"]],
    secrecy: [["nie (?:mów|informuj|wspominaj|ujawniaj)", "użytkownik"], ["bez", "informowania|wiedzy", "użytkownik"]],
  },
  tr: {
    override: [["önceki|yukarıdaki", "talimat|komut|yönerge|kural", "yok say|görmezden gel|unut|dikkate alma"]],
    secrecy: [["kullanıcıya", "söyleme|bildirme|bahsetme|haber verme"]],
  },
  ru: {
    override: [["игнорируй|проигнорируй|забудь|не обращай внимания", "предыдущ|прежн|выше|ранее", "инструкци|указани|правил|команд"]],
    secrecy: [
      ["не говори|не сообщай|не рассказывай|не упоминай|не раскрывай|не информируй", "пользовател"],
      ["без", "уведомления|ведома", "пользовател"],
      ["пользовател", "не должен", "знать|узнать|заметить"],
    ],
  },
  zh: {
    override: [["忽略|无视|忘记|不要理会|無視|忽視", "之前|以前|先前|上面|以上|前面|此前", "指令|指示|规则|提示|说明|規則|說明"]],
    secrecy: [["不要|别|勿|不得|不可|不能|無需|无需", "告诉|告知|通知|提醒|透露|告訴", "用户|用戶|使用者"], ["用户|用戶|使用者", "不应|不能|不会|不該", "知道|察觉|得知"]],
  },
  ja: {
    override: [["以前の|前の|これまでの|上記の|先の", "指示|命令|ルール|プロンプト", "無視|忘れ"]],
    secrecy: [["ユーザー|利用者", "知らせない|知らせず|伝えない|伝えず|言わない|言わず|教えない|知られない|気づかれない"]],
  },
  ko: {
    override: [["이전|앞선|기존", "지시|명령|규칙|프롬프트", "무시|잊"]],
    secrecy: [["사용자", "알리지|말하지|전달하지|모르게|언급하지"]],
  },
  ar: {
    override: [["تجاهل|انس", "التعليمات|الأوامر|القواعد", "السابقة|أعلاه"]],
    secrecy: [["لا تخبر|لا تقل|لا تذكر|دون إخبار|بدون إخبار", "المستخدم"]],
  },
  hi: {
    override: [["पिछले|पहले के|उपरोक्त", "निर्देश|नियम|आदेश", "अनदेखा|नज़रअंदाज़|भूल"]],
    secrecy: [["उपयोगकर्ता|यूज़र", "न बताएं|मत बता|न बताएँ|नहीं बताना"]],
  },
}; // prettier-ignore

/** Matches the parts in order, in a folded text. */
function followEachOther(parts: readonly string[]): RegExp {
  return pattern`${parts.map((part) => `(?:${foldPart(part)})`).join(GAP)}`;
}

/** Folds the letters of a part, and keeps the syntax of the pattern. */
function foldPart(part: string): string {
  const fold = (text: string): string => text.replace(/[^()?:| ]+/g, (letters) => foldText(letters));
  const alternatives = part.split("|").flatMap((each) => {
    // Folding may change a capital letter to Latin but not its small letter.
    const capital = fold(each.charAt(0).toUpperCase() + each.slice(1));
    const small = fold(each);
    return capital.toLowerCase() === small.toLowerCase() || part.includes("(") ? [small] : [small, capital];
  });
  // Latin words match only at their beginning.
  return alternatives.map((each) => (/^[a-z]/i.test(each) ? String.raw`\b${each}` : each)).join("|");
}

/** Matches the first part of every instruction. Most texts contain none. */
const anchorOf = (orders: readonly (readonly string[])[]): RegExp =>
  pattern`${orders.map(([first = ""]) => foldPart(first)).join("|")}`;

const ORDERS = Object.values(LANGUAGES).flatMap(({ override, secrecy }) => [...override, ...secrecy]);

/** Instructions in languages other than English. */
export const LANGUAGE_PATTERNS: readonly InjectionPattern[] = [
  { rule: "poison-instruction", anchor: anchorOf(ORDERS), find: anyOf(...ORDERS.map(followEachOther)) },
];

/** Instructions to decode something and to follow it. */
export const DECODE_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-instruction",
    anchor: pattern`decod|rot-?13|decrypt|unscramble|reverse the`,
    find: anyOf(
      pattern`\b(?:decod|decrypt|unscrambl|revers|apply(?:ing)? rot-?13|rot-?13)(?:e|es|ing)?\b[^.!?]{0,80}\band (?:then )?(?:do|follow|execute|obey|run|act|comply)\b`,
    ),
  },
];

/** Digits and signs that replace letters. */
const LEET: ReadonlyMap<string, string> = new Map(
  ["0o", "1i", "3e", "4a", "5s", "7t", "@a", "$s", "!i", "|l"].map((pair) => [
    pair.charAt(0),
    pair.charAt(1),
  ]),
);
const LEET_SIGNS = /[01345 7@$!|]/;

const SQUEEZED =
  /(?:ignore|disregard|forget|override)(?:all|any|every)?(?:of)?(?:the|your|my)?(?:previous|prior|above|earlier|preceding)(?:instructions?|prompts?|rules|directives|guidelines)|(?:donot|dont|never)(?:tell|inform)(?:the|your)user|readthe(?:env|sshkey)file/g;
/** An instruction in plain words, which other patterns find. */
const PLAIN = /\b(?:ignore|disregard|forget|override|do not|don['’]?t|dont|never|read the) \w/i;
/** A word with a sign or digit in it, or a run of single letters. */
const BROKEN = /[a-z][-.·*_~|][a-z]|[a-z][013457@$!|][a-z]|\b[013457][a-z]{2}|(?:\b[a-z] ){5}/i;

/** Finds instructions with disguised words: `i g n o r e`, `ig-nore`, `1gn0re`. */
export function findObfuscated(text: string): readonly Span[] {
  if (!BROKEN.test(text)) return [];
  const letters: string[] = [];
  const places: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at).toLowerCase();
    const letter = LEET_SIGNS.test(sign) ? (LEET.get(sign) ?? "") : sign;
    if (!/[a-z]/.test(letter)) continue;
    letters.push(letter);
    places.push(at);
  }
  return [...letters.join("").matchAll(SQUEEZED)].flatMap((match): readonly Span[] => {
    const from = places[match.index] ?? 0;
    const to = (places[match.index + match[0].length - 1] ?? from) + 1;
    const found = text.slice(from, to);
    return BROKEN.test(found) && !PLAIN.test(found) ? [[from, to]] : [];
  });
}
