import { PREPOSITIONS, singularOf } from "./verbs.js";

/**
 * Returns the category of a tool by its name alone, so that other tools do not change it. Undefined in case of doubt: a wrong
 * category hides a tool or lets a policy allow it.
 *
 * A tool deals with the last thing before a preposition: `add_card_to_dashboard` adds a card. An unknown word there gives no
 * category. A word of several meanings counts if another word has the same category.
 */
export function deriveCategory(name: string): string | undefined {
  const matches = name.replace(/_?[vV]\d+$/, "").match(WORDS) ?? [];
  const words = matches.map((word) => word.toLowerCase()).filter((word) => word.length > 1);
  const end = words.findIndex((word, at) => at > 0 && PREPOSITIONS.has(word));
  const [named, rest] = end === -1 ? [words, []] : [words.slice(0, end), words.slice(end + 1)];
  const thing = findThing(named);
  if (thing !== undefined) return thing.category;
  const place = findThing(rest.slice(0, endOf(rest)));
  return place === undefined ? lastIn(CATEGORY_OF_FALLBACK, named) : place.category;
}

function endOf(words: readonly string[]): number {
  const end = words.findIndex((word) => PREPOSITIONS.has(word));
  return end === -1 ? words.length : end;
}

/** Finds the category of the last thing in a phrase (undefined in case of doubt); undefined if it names no thing. */
function findThing(phrase: readonly string[]): { readonly category: string | undefined } | undefined {
  const [first = ""] = phrase;
  const start = phrase.length > 1 && ACTIONS_AND_ASPECTS.has(first) ? 1 : 0;
  const categories = phrase.map((word, at) => (at < start ? undefined : categoryIn(CATEGORY_OF_NOUN, word)));
  for (let at = phrase.length - 1; at >= start; at -= 1) {
    const word = phrase[at] ?? "";
    const category = categories[at];
    if (category !== undefined) {
      if (!isOneOf(VAGUE, word)) return { category };
      const others = categories.filter((other, where) => other !== undefined && where !== at);
      if (others.includes(category)) return { category };
      if (others.length === 0) return { category: undefined };
    } else if (!isOneOf(ACTIONS_AND_ASPECTS, word) && !isFallback(word)) {
      // The first word may be the product's name. If it is a thing, all tools of the server are about it.
      if (at === 0) return undefined;
      return { category: isOneOf(VAGUE, first) ? undefined : categories[0] };
    }
  }
  return undefined;
}

function isFallback(word: string): boolean {
  return categoryIn(CATEGORY_OF_FALLBACK, word) !== undefined;
}

/** The words of `createBlogPost`, `create_blog_post` and `HTTPServer2`. */
const WORDS = /[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;

function lastIn(categories: ReadonlyMap<string, string>, words: readonly string[]): string | undefined {
  return words.map((word) => categoryIn(categories, word)).findLast((category) => category !== undefined);
}

function categoryIn(categories: ReadonlyMap<string, string>, word: string): string | undefined {
  return categories.get(word) ?? categories.get(singularOf(word));
}

function isOneOf(words: ReadonlySet<string>, word: string): boolean {
  return words.has(word) || words.has(singularOf(word));
}

/** The nouns of each category. Aspects of things, such as a status, are in none: `get_order_status` is about orders. */
const NOUNS = {
  content:
    "article block blog content draft excerpt menu page permalink post publication revision sitemap widget",
  media: "attachment audio gallery image media music photo picture playlist screencast thumbnail video",
  taxonomy: "category label tag taxonomy term",
  users: "author contact follower group member membership people person profile role team user",
  plugins: "addon extension plugin",
  themes: "stylesheet theme",
  comments: "comment feedback rating reaction reply review",
  commerce:
    "ad bid bundle buyer campaign cart catalog checkout commerce coupon customer discount ecommerce fulfillment inventory keyword listing " +
    "marketplace merchant offer order package product promotion purchase refund seller shipment shipping shop sku store storefront " +
    "subscription supplier vendor",
  batch: "batch bulk",
  testing: "coverage fixture mock spec test testing testresource testrun",
  core: "cache config configuration cron env health setting site system",
  finance:
    "account accounting balance bank bill billing budget card cost currency expense invoice journal ledger money payment payroll " +
    "price pricing quote tax timesheet transaction",
  files:
    "archive artifact backup blob bucket directory disk drive file fileshare folder path share storage storagesync ",
  documents:
    "cell doc document documentation docx knowledge note notebook paragraph pdf presentation sheet slide spreadsheet template wiki " +
    "workbook worksheet",
  code: "branch code commit diff fork gist merge patch pr pull release repo repository script sdk snippet",
  work: "assignment backlog board bug epic feature form goal issue milestone objective project roadmap sprint story subtask task ticket todo workspace",
  messages:
    "broadcast channel chat conversation email emoji inbox mail mailbox message notification presence sms thread topic",
  calendar: "appointment availability booking calendar event holiday meeting reminder room",
  data:
    "base collection column database dataset datatable db entity field graph index indices kv mapping migration mysql object observation " +
    "postgres query record redis relation relationship row schema shard snapshot sql table",
  analytics:
    "analytics chart dashboard diagram histogram insight kpi measure metric performance pulse question report statistic stats usage visualization",
  monitoring:
    "activity alarm alert audit crash downtime error failure incident log monitor span telemetry trace tracing",
  infrastructure:
    "app application cloud cluster container deployment device dns docker domain endpoint environment firewall function functionapp " +
    "host hosting instance ip kubectl kubernetes machine namespace network node nodepool pod port region registry resource server " +
    "sim simulator ssl subnet vm vmss volume vps webapp website worker zone",
  automation:
    "action automation execution flow hook job pipeline process queue rule trigger webhook workflow",
  browser:
    "browser console cookie dialog dom element heapsnapshot keyboard mouse screen screenshot selector tab",
  design:
    "animation canvas color component connector design figma font frame icon layer layout prototype shape slot sticky style token variable variant",
  maps:
    "address area bbox centroid coordinate destination direction distance geocode geocoding geometry isochrone latitude location map " +
    "matrix place poi point polygon route travel trip",
  security:
    "access auth authentication certificate credential login logout oauth password permission privilege secret security session vault",
} as const;

/** Words that count in names without such a noun: actions, and words that are too general beside another. */
const FALLBACKS = {
  work: "item",
  files: "download upload",
  security: "key",
  core: "option",
  search: "answer ask crawl extract fetch find reason research scrape search web",
  browser: "click drag fill hover navigate press scroll tap type",
  automation: "build run",
  infrastructure: "deploy gateway",
  batch: "multiple",
} as const;

const CATEGORY_OF_NOUN = byWord(NOUNS);
const CATEGORY_OF_FALLBACK = byWord(FALLBACKS);

function byWord(words: { readonly [category: string]: string }): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(words).flatMap(([category, list]) =>
      list.split(" ").map((word) => [word, category] as const),
    ),
  );
}

/** Nouns of several meanings: `chart` is a diagram or a package of Helm, `tab` belongs to a browser, a channel or a sheet. */
const VAGUE: ReadonlySet<string> = new Set(
  (
    "access account action activity ad address app area base card chart channel collection component connection destination direction " +
    "element event field figure form frame graph group health index instance item key label layer layout link location map " +
    "mapping matrix measure model node object option page place point port process prototype queue quote " +
    "package profile query range rating reaction region relation rule sample schema screen script section selector series shape share " +
    "sheet sim site slot snapshot source space spec style system tab term thread token topic trace travel trip value variable " +
    "variant volume zone"
  ).split(" "),
);

/** Actions and aspects of things: `get_order_status` is about orders. */
const ACTIONS_AND_ASPECTS: ReadonlySet<string> = new Set(
  (
    "accept activate add all allow apply approve archive assign attach by cancel change check clear clone close compare connect " +
    "content copy count create data date deactivate default delete deploy detach detail diff disable edit enable execute export fetch find " +
    "get history id image import info information insert install invite list load lock logs manage merge metadata modify move multiple name " +
    "new open patch post put query read recent reject remove rename replace reset resolve restart restore result retrieve revert run save " +
    "schedule search send set setting share show start stat state status stop submit summary sync toggle transfer trigger type uninstall " +
    "unlock update upgrade upload url usage v validate value verify version view write"
  ).split(" "),
);
