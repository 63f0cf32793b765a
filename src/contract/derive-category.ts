/**
 * The category that a tool's name tells, for tools of which nobody said one; undefined where it tells none. It goes by the
 * name alone, so that a tool that comes or goes leaves the others where they are.
 *
 * What a tool deals with is the last thing named before a preposition: `list_user_posts` lists posts, `add_card_to_dashboard`
 * adds a card.
 */
export function deriveCategory(name: string): string | undefined {
  const words = name.match(WORDS)?.map((word) => word.toLowerCase()) ?? [];
  const end = words.findIndex((word, at) => at > 0 && PREPOSITIONS.has(word));
  const named = words.slice(0, end === -1 ? undefined : end);
  return (
    lastIn(CATEGORY_OF_NOUN, named) ?? lastIn(CATEGORY_OF_NOUN, words) ?? lastIn(CATEGORY_OF_FALLBACK, named)
  );
}

/** `createBlogPost`, `create_blog_post` and `HTTPServer2`: letters alone, cut where small ones are followed by capitals. */
const WORDS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;

const PREPOSITIONS: ReadonlySet<string> = new Set([
  "as",
  "at",
  "by",
  "for",
  "from",
  "in",
  "into",
  "of",
  "on",
  "to",
  "via",
  "with",
]);

function lastIn(categories: ReadonlyMap<string, string>, words: readonly string[]): string | undefined {
  for (let at = words.length - 1; at >= 0; at -= 1) {
    const word = words[at] ?? "";
    const category = categories.get(word) ?? categories.get(singularOf(word));
    if (category !== undefined) return category;
  }
  return undefined;
}

function singularOf(word: string): string {
  if (!word.endsWith("s")) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return /(?:ss|sh|ch|x|us)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

/**
 * The nouns of each category: those of WordPress first, then what public servers deal with. What a thing has (a status, a date, a version) is in none,
 * since `get_order_status` deals with orders.
 */
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
    "service sim simulator ssl subnet vm vmss volume vps webapp website worker zone",
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

/** What counts in names without a noun of the above: what is done, and words that are too general beside another. */
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

const [CATEGORY_OF_NOUN, CATEGORY_OF_FALLBACK] = [byWord(NOUNS), byWord(FALLBACKS)];

function byWord(words: { readonly [category: string]: string }): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(words).flatMap(([category, list]) =>
      list.split(" ").map((word) => [word, category] as const),
    ),
  );
}
