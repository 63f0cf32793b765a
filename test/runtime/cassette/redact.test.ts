import { describe, expect, it, vi } from "vitest";
import { redactCall } from "../../../src/runtime/cassette/redact.js";
import type { JsonObject } from "../../../src/core/json.js";
import { fixtureCommand } from "../../servers/start-fixture.js";
import { answering, connectShop, newCassette, readCassette, said, unreachable } from "./make-tools.js";

const pem =
  "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAplanted\nabcdef==\n-----END RSA PRIVATE KEY-----";
const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.c2lnbmF0dXJl";

interface Call {
  readonly args?: JsonObject;
  readonly result?: JsonObject;
}

const saying = (words: string): Call => ({ result: said(words) });
/** A call with planted secrets, and the texts that no file may have. */
const plant = (kind: string, call: Call, ...secrets: readonly string[]) => ({ kind, call, secrets });
const PAIRS = ["name value", "Name Value", "key value", "header content", "k v", "field values"];
const KEYS = [
  ...["pwd", "PWD", "userPwd", "db_pwd", "pw", "pswd", "psw", "passwrd", "Passwort", "passKey", "adminPass"],
  ...["accesstoken", "refreshtoken", "idtoken", "sessiontoken", "authtoken", "clientsecret", "secretkey"],
  ...["accesskey", "privatekey", "apiKey", "x-api-key", "proxy-authorization", "set-cookie", "userpassword"],
];
const QUOTED = [
  'password: "qu0ted in words" rest',
  "password='qu0ted in words' rest",
  'password="qu0ted \\"in\\" in words" rest',
  '{"a": 1, "password": "qu0ted in words", broken',
  'password: "qu0ted in words and no end',
  "password = `qu0ted in words`",
  'log: {\\"password\\": \\"qu0ted in words\\"} rest',
];
const IBAN = "DE02120300000000202051";
const accounts = [{ iban: IBAN }];
const session = {
  args: { session: "sess-4711" },
  result: { structuredContent: { sessionToken: "sess-4711" } },
};
const asKey = { args: { password: "as-key-99" }, result: { structuredContent: { "as-key-99": 1 } } };
const pairInArray = { structuredContent: { headers: [["authorization", "pa1r-array 7"]] } };
const inBase64 = ["", "a", "ab"].map((lead) => base64(`${lead}b4se64 in words!`)).join(" ");

/** Built from parts, so that no scanner finds them here. */
const PLANTED = [
  plant("a password", { args: { user: "bob", password: "hunter2" } }, "hunter2"),
  plant("a nested password in camel case", { args: { login: { userPassword: "Tr0ub4dor" } } }, "Tr0ub4dor"),
  plant("an API key", { args: { apiKey: "k-81726354" } }, "k-81726354"),
  plant("credentials", { args: { credentials: { id: "acc-77", value: ["v-12345"] } } }, "acc-77", "v-12345"),
  plant("a list of tokens", { args: { tokens: ["first-tok", "second-tok"] } }, "first-tok", "second-tok"),
  plant("a number", { args: { otp: 482913 }, result: said("Code 482913 accepted") }, "482913"),
  plant("a header", { args: { headers: { Authorization: "Bearer abcdef.123456" } } }, "abcdef.123456"),
  plant("a cookie", { args: { headers: { cookie: "sid=9f8e7d6c" } } }, "9f8e7d6c"),
  plant("a token of GitHub in a text", saying(`use ghp_${"a1B2".repeat(6)} now`), "a1B2a1B2"),
  plant("a key of AWS", saying(`id AKIA${"ABCD1234".repeat(2)}.`), "ABCD1234"),
  plant("a key of Stripe", saying(`sk_live_${"x9".repeat(10)}`), "x9x9"),
  plant("a token of Slack", { args: { note: `xoxb-${"123456".repeat(3)}-abc` } }, "123456123456"),
  plant("a private key", saying(`Key:\n${pem}\n`), "MIIEowIBAAKCAQEAplanted", "abcdef=="),
  plant("a JWT", saying(`session=${jwt}`), jwt, "c2lnbmF0dXJl"),
  plant("credentials in a URL", saying("postgres://app:s3cr3tpw@db/shop"), "s3cr3tpw"),
  plant("a query parameter", saying("https://x.test/?access_token=qwertz123&page=2"), "qwertz123"),
  plant("an assignment in a text", saying("DB_PASSWORD: 'pl4nted'\nport: 3306"), "pl4nted"),
  plant("JSON in a text", saying(JSON.stringify({ user: { secret: "in-json-1" } }, null, 2)), "in-json-1"),
  plant("JSON in JSON in a text", saying(JSON.stringify({ body: '{"token":"in-json-2"}' })), "in-json-2"),
  plant(
    "an argument that the answer repeats",
    { args: { password: "echo/ed pw" }, result: said("Hello echo/ed pw, echo%2Fed%20pw") },
    ...["echo/ed pw", "echo%2Fed%20pw"],
  ),
  plant("a secret of the answer that an argument has", session, "sess-4711"),
  plant("a key of an object", asKey, "as-key-99"),
  ...PAIRS.flatMap((pair) => {
    const [name = "", value = ""] = pair.split(" ");
    return ["Authorization", "X-Api-Key", "db_password", "Set-Cookie"].map((secret) => {
      const args = { list: [{ [value]: "pa1r-value in words", [name]: secret }] };
      const result = said(JSON.stringify([{ [name]: secret, [value]: ["pa1r-list"] }]));
      return plant(`a pair: ${pair} ${secret}`, { args, result }, "pa1r-value", "in words", "pa1r-list");
    });
  }),
  plant("a pair in an array", { result: pairInArray }, "pa1r-array"),
  ...[1, 2, 3].map((times) => {
    const json = encodeTimes({ password: 'tw1ce "in" words' }, times);
    return plant(`JSON that is encoded ${times + 1} times`, saying(json), "tw1ce", "in words", " words");
  }),
  plant(
    "JSON that is encoded twice, inside of a sentence",
    saying(`The body was ${encodeTimes({ token: "tw1ce in words", a: 1 }, 1)} and failed.`),
    ...["tw1ce", "in words"],
  ),
  ...KEYS.map((key) => {
    const call = { args: { [key]: "n4med-value" }, result: said(`${key}=n4med-text&a=1`) };
    return plant(`a value under ${key}`, call, "n4med-value", "n4med-text");
  }),
  ...QUOTED.map((words) => plant(`a quoted password: ${words}`, saying(words), "qu0ted", "in words")),
  plant(
    "a secret of an argument in Base64",
    { args: { password: "b4se64 in words" }, result: said(inBase64) },
    ...["NHNlNjQgaW4gd29", "RzZTY0IGluIHdv", "0c2U2NCBpbiB3b"],
  ),
  plant(
    "a configured path",
    { result: { structuredContent: { accounts }, ...said(JSON.stringify({ accounts })) } },
    "DE0212",
  ),
  plant("a path of arguments", { args: { customer: { email: "eve@shop.test", id: 3 } } }, "eve@shop.test"),
];

/** JSON, serialized again as a string so many times. */
function encodeTimes(value: unknown, times: number): string {
  let encoded = JSON.stringify(value);
  for (let time = 0; time < times; time += 1) encoded = JSON.stringify(encoded);
  return encoded;
}

function base64(words: string): string {
  return Buffer.from(words).toString("base64");
}

const REDACT = ["arguments.customer.email", "result.structuredContent.accounts.*.iban"];

const rules = { scrub: (words: string) => words };

it.each(PLANTED)("$kind is redacted", ({ call, secrets }) => {
  const { args = {}, result = { content: [] } } = call;
  const redacted = redactCall({ arguments: args, result }, { ...rules, redact: REDACT });
  expect(secrets.filter((secret) => JSON.stringify(redacted).includes(secret))).toEqual([]);
  expect(redactCall(redacted, { ...rules, redact: REDACT })).toEqual(redacted);
});

describe("a secret is not written", () => {
  it("and the same call is found again, with the secrets that it was made with", async () => {
    const record = await newCassette();
    const args = { password: "hunter2", customer: { email: "eve@shop.test" } };
    const settings = { record: { redact: REDACT } };
    const shop = connectShop({ record, client: answering(() => said("pw=hunter3")) }, settings);
    expect((await shop.find.safe(args)).ok).toBe(true);
    const written = JSON.stringify(await readCassette(record));
    expect(written).toContain("shop/find.json");
    expect(written).not.toMatch(/hunter|eve/);
    const replayed = connectShop({ replay: record, client: unreachable }, settings);
    expect(await replayed.find.safe(args)).toMatchObject({ ok: true });
  });

  it("is one that the server was given by a variable", async () => {
    const record = await newCassette();
    const note = "I am variable-4711.";
    const settings = { ...fixtureCommand("secret-echo"), env: { TOKEN: "${CASSETTE_TEST_TOKEN}" } };
    vi.stubEnv("CASSETTE_TEST_TOKEN", "variable-4711");
    const shop = connectShop({ record }, { url: undefined, ...settings } as object);
    await shop.find.safe({ note });
    await shop.close();
    vi.unstubAllEnvs();
    const written = JSON.stringify(await readCassette(record));
    expect(written).toContain("[redacted]");
    expect(written).not.toContain("variable-4711");
    // The variable is not set where the call is replayed.
    const replayed = await connectShop({ replay: record, client: unreachable }).find.safe({ note });
    expect(replayed.ok || replayed.error.code).not.toBe("CALL_NOT_RECORDED");
  });
});

describe("redaction", () => {
  const PLAIN: object[] = [
    { key: "PROJ-1", issue_key: "PROJ-2", sortKey: "name" },
    { page_token: "p2", nextPageToken: "p3", next_token: "n" },
    { max_tokens: 500, tokens: 33, total_tokens: 9 },
    { has_password: true, token: null, password: "" },
    { text: "The key is under the mat; monkey: 3, author: Bob, passage: 4" },
    { text: '{"a": 1,   "b": [2]}' },
    { text: '"A quoted sentence."', quoted: '"It is \\"so\\"."' },
    { parameters: [{ name: "password", description: "The new one.", type: "string" }] },
    { list: [{ name: "page_token", value: "p2" }, { key: "color", value: "red" }] },
    { pairs: [["a", "b"], ["token", "of", "love"]] },
    { text: "cwd: /home, opwd2 3; the pin board; spwd" },
    { __proto__: null, url: "https://example.com/a?page=2", hash: "a".repeat(40) },
  ]; // prettier-ignore

  it.each(PLAIN)("leaves %j alone", (value) => {
    const plain = JSON.parse(JSON.stringify(value)) as JsonObject;
    const call = { arguments: plain, result: { structuredContent: plain } };
    expect(redactCall(call, rules)).toEqual(call);
  });

  const HIDDEN = "[redacted]";
  const shaped = { token: `ghp_${"a1B2".repeat(6)}` };
  const nested = { nested: { token: "page-2" } };
  const hidden = { token: HIDDEN, nested: { token: HIDDEN } };
  const keep = ["arguments.token", "arguments.other.token"];
  const cards = { card_no: HIDDEN, card_name: HIDDEN, id: HIDDEN };
  const redact = ["arguments.card_{no,name}", "arguments.i?"];
  const typed = { password: 1234567, secret: { a: "text", b: true, c: [1.5, null] } };
  const emptied = { password: 0, secret: { a: HIDDEN, b: true, c: [0, null] } };
  const ROWS: [what: string, args: JsonObject, redacted: JsonObject, more?: object][] = [
    ["keeps the value at a path of keep", { token: "page-2" }, { token: "page-2" }, { keep }],
    ["keeps no secret by its shape", { other: shaped }, { other: { token: HIDDEN } }, { keep }],
    ["keeps no secret that is elsewhere too", { token: "page-2", ...nested }, hidden, { keep }],
    ["finds paths by patterns", { card_no: "4111", card_name: "A", id: "x" }, cards, { redact }],
    ["keeps the type of a value", typed, emptied],
  ];

  it.each(ROWS)("%s", (_what, args, redacted, more) => {
    const call = { arguments: args, result: {} };
    expect(redactCall(call, { ...rules, ...more }).arguments).toEqual(redacted);
  });

  it("keeps the keys of a record that a server calls secrets", () => {
    const call = { arguments: { password: "result" }, result: { structuredContent: { token: "arguments" } } };
    expect(Object.keys(redactCall(call, rules))).toEqual(["arguments", "result"]);
    const error = { code: -32000, message: "no", data: { password: "message", token: "error" } };
    expect(redactCall({ arguments: {}, error }, rules)).toEqual({
      arguments: {},
      error: { ...error, data: { password: HIDDEN, token: HIDDEN } },
    });
  });

  it.each([
    ["words before a colon", "a.b-c_d ".repeat(60_000)],
    ["dots", "a.".repeat(250_000)],
    ["beginnings of a JWT", "-eyJaaaaaaaaaa".repeat(35_000)],
    ["beginnings of a key", "-----BEGIN PRIVATE KEY-----".repeat(18_000)],
    ["quotes", `token="`.repeat(70_000)],
    ["open quotes", `token='a `.repeat(55_000)],
    ["backslashes", `token=${"\\".repeat(500_000)}"`],
    ["blanks", `token${" ".repeat(500_000)}`],
    ["credentials", "x://a:b".repeat(70_000)],
  ])("reads 500 KB of %s in bounded steps", (_, words) => {
    const call = { arguments: {}, result: said(words) };
    // Quadratic work would exceed the time limit of a test by minutes.
    expect(redactCall(call, rules).arguments).toEqual({});
  });
});
