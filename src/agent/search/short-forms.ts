/** Short forms of several words. Each finds the other. */
export const PHRASES: readonly (readonly [short: string, words: string])[] = [
  "vm: virtual machine, pr: pull request, mr: merge request, ci: continuous integration, ci: pipeline",
  "cd: continuous deployment, p&l: profit loss, kb: knowledge base, kv: key value, kvs: key value",
  "mkdir: create directory, rmdir: delete directory, ls: list directory, rm: delete file, mv: move file",
  "cp: copy file, cat: read file, grep: search files, rbac: role assignment, acl: permission",
  "sso: single sign on, css: styles, ui: user interface, js: javascript, ts: typescript, pg: postgres",
  "gh: github, gl: gitlab, tf: terraform, wp: wordpress, wc: woocommerce, ms: microsoft, o365: microsoft 365",
  "m365: microsoft 365, gcp: google cloud, s3: bucket, pubkey: public key, privkey: private key",
  "cert: certificate, tts: text speech synthesize, stt: speech text recognize, ocr: extract text",
  "fk: foreign key, pk: primary key, ddl: create table, seo: search engine, faq: frequently asked questions",
  "sku: stock item, eta: arrival time, poi: place, org: organization, orgchart: organization chart",
  "crud: create update delete, i18n: internationalization, l10n: localization, todo: task",
]
  .flatMap((line) => line.split(", "))
  .map((entry) => {
    const [short = "", words = ""] = entry.split(": ");
    return [short, words];
  });

/** Short forms of one word, which is searched in their place: each word with its short forms. */
const SHORTENED = [
  "accessibility a11y, account acct, address addr, administrator admin, amount amt, api api",
  "approximate approx, argument arg args, attribute attr, authorization auth, average avg, button btn",
  "calendar cal, category cat, configuration cfg conf config, channel chan, command cmd",
  "connection conn, conversation conv, coordinate coord coords, context ctx, database db dbs",
  "delete del, dependency dep deps, description desc, destination dest, developer dev",
  "directory dir dirs, document doc docs, element el elt elem, environment env envs, error err",
  "event evt, execute exec, extension ext, function fn func, geographic geo, hardware hw",
  "image img imgs, information info, initialize init, insert ins, invoice inv, kubernetes k8s",
  "language lang, library lib, location loc, maximum max, memory mem, management mgmt, manager mgr",
  "minimum min, modify mod, message msg msgs, meeting mtg, navigate nav, notification notif, number num",
  "object obj, option opt opts, parameter param params, password pass pw pwd, performance perf",
  "permission perm perms, picture pic pics, package pkg, preference pref prefs, production prod",
  "property prop props, quantity qty, record rec, reference ref, repository repo repos, request req",
  "resource res, response resp, schedule sched, security sec, separator sep, specification spec",
  "source src, server srv, statistic stat stats, subscription subs, service svc svcs, synchronize sync",
  "system sys, table tbl, temporary temp tmp, template tmpl, transaction trans txn txns tx, update upd",
  "user usr, value val vals, variable var vars, version ver, video vid, volume vol, workflow wf",
  "workspace wksp, transfer xfer",
].flatMap((line) => line.split(", "));

export const ABBREVIATIONS: ReadonlyMap<string, string> = new Map(
  SHORTENED.flatMap((entry) => {
    const [word = "", ...short] = entry.split(" ");
    return short.map((form) => [form, word] as const);
  }),
);
