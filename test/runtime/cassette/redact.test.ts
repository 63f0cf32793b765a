import { describe, expect, it } from "vitest";
import { redactCall } from "../../../src/runtime/cassette/redact.js";
import type { JsonObject } from "../../../src/core/json.js";
import { scrubSecrets, secretForms } from "../../../src/client/server-errors.js";
import { fixtureCommand } from "../../servers/start-fixture.js";
import { answering, connectShop, newCassette, readCassette, unreachable } from "./make-tools.js";

const pem =
  "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAplanted\nabcdef==\n-----END RSA PRIVATE KEY-----";
const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.c2lnbmF0dXJl";

/** Calls with planted secrets, and the texts that no file may have. Built from parts, so that no scanner finds them here. */
const PLANTED: readonly {
  readonly kind: string;
  readonly args?: JsonObject;
  readonly result?: JsonObject;
  readonly secrets: readonly string[];
}[] = [
  { kind: "a password", args: { user: "bob", password: "hunter2" }, secrets: ["hunter2"] },
  {
    kind: "a nested password in camel case",
    args: { login: { userPassword: "Tr0ub4dor" } },
    secrets: ["Tr0ub4dor"],
  },
  { kind: "an API key", args: { apiKey: "k-81726354" }, secrets: ["k-81726354"] },
  {
    kind: "an object of credentials",
    args: { credentials: { id: "acc-77", value: ["v-12345"] } },
    secrets: ["acc-77", "v-12345"],
  },
  {
    kind: "a list of tokens",
    args: { tokens: ["first-tok", "second-tok"] },
    secrets: ["first-tok", "second-tok"],
  },
  { kind: "a number", args: { otp: 482913 }, result: text("Code 482913 accepted"), secrets: ["482913"] },
  {
    kind: "an authorization header",
    args: { headers: { Authorization: "Bearer abcdef.123456" } },
    secrets: ["abcdef.123456"],
  },
  { kind: "a cookie", args: { headers: { cookie: "sid=9f8e7d6c" } }, secrets: ["9f8e7d6c"] },
  {
    kind: "a token of GitHub in a text",
    result: text(`use ghp_${"a1B2".repeat(6)} now`),
    secrets: ["a1B2a1B2"],
  },
  { kind: "a key of AWS", result: text(`id AKIA${"ABCD1234".repeat(2)}.`), secrets: ["ABCD1234"] },
  { kind: "a key of Stripe", result: text(`sk_live_${"x9".repeat(10)}`), secrets: ["x9x9"] },
  { kind: "a token of Slack", args: { note: `xoxb-${"123456".repeat(3)}-abc` }, secrets: ["123456123456"] },
  { kind: "a private key", result: text(`Key:\n${pem}\n`), secrets: ["MIIEowIBAAKCAQEAplanted", "abcdef=="] },
  { kind: "a JWT", result: text(`session=${jwt}`), secrets: [jwt, "c2lnbmF0dXJl"] },
  { kind: "credentials in a URL", result: text("postgres://app:s3cr3tpw@db/shop"), secrets: ["s3cr3tpw"] },
  {
    kind: "a query parameter",
    result: text("https://x.test/?access_token=qwertz123&page=2"),
    secrets: ["qwertz123"],
  },
  {
    kind: "an assignment in a text",
    result: text("DB_PASSWORD: 'pl4nted'\nport: 3306"),
    secrets: ["pl4nted"],
  },
  {
    kind: "JSON in a text",
    result: text(JSON.stringify({ user: { secret: "in-json-1" } }, undefined, 2)),
    secrets: ["in-json-1"],
  },
  {
    kind: "JSON in JSON in a text",
    result: text(JSON.stringify({ body: JSON.stringify({ token: "in-json-2" }) })),
    secrets: ["in-json-2"],
  },
  {
    kind: "an argument that the answer repeats",
    args: { password: "echo/ed pw" },
    result: text("Hello echo/ed pw, echo%2Fed%20pw"),
    secrets: ["echo/ed pw", "echo%2Fed%20pw"],
  },
  {
    kind: "a secret of the answer that an argument has",
    args: { session: "sess-4711" },
    result: { structuredContent: { sessionToken: "sess-4711" } },
    secrets: ["sess-4711"],
  },
  {
    kind: "a key of an object",
    args: { password: "as-key-99" },
    result: { structuredContent: { "as-key-99": 1 } },
    secrets: ["as-key-99"],
  },
  ...[
    ["name", "value"],
    ["Name", "Value"],
    ["key", "value"],
    ["header", "content"],
    ["k", "v"],
    ["field", "values"],
  ].flatMap(([name = "", value = ""]) =>
    ["Authorization", "X-Api-Key", "db_password", "Set-Cookie"].map((secret) => ({
      kind: `a pair of ${name} and ${value}: ${secret}`,
      args: { list: [{ [value]: "pa1r-value in words", [name]: secret }] },
      result: text(JSON.stringify([{ [name]: secret, [value]: ["pa1r-list"] }])),
      secrets: ["pa1r-value", "in words", "pa1r-list"],
    })),
  ),
  {
    kind: "a pair in an array",
    result: { structuredContent: { headers: [["authorization", "pa1r-array 7"]] } },
    secrets: ["pa1r-array"],
  },
  ...[1, 2, 3].map((times) => ({
    kind: `JSON that is encoded ${times + 1} times`,
    result: text(encodeTimes({ password: 'tw1ce "in" words' }, times)),
    secrets: ["tw1ce", "in words", " words"],
  })),
  {
    kind: "JSON that is encoded twice, inside of a sentence",
    result: text(`The body was ${encodeTimes({ token: "tw1ce in words", a: 1 }, 1)} and failed.`),
    secrets: ["tw1ce", "in words"],
  },
  ...[
    ...[
      "pwd",
      "PWD",
      "userPwd",
      "db_pwd",
      "pw",
      "pswd",
      "psw",
      "passwrd",
      "Passwort",
      "passKey",
      "userpassword",
    ],
    ...["accesstoken", "refreshtoken", "idtoken", "sessiontoken", "authtoken", "clientsecret", "secretkey"],
    ...["accesskey", "privatekey", "apiKey", "x-api-key", "proxy-authorization", "set-cookie", "adminPass"],
  ].map((key) => ({
    kind: `a value under ${key}`,
    args: { [key]: "n4med-value" },
    result: text(`${key}=n4med-text&a=1`),
    secrets: ["n4med-value", "n4med-text"],
  })),
  ...[
    'password: "qu0ted in words" rest',
    "password='qu0ted in words' rest",
    'password="qu0ted \\"in\\" in words" rest',
    '{"a": 1, "password": "qu0ted in words", broken',
    'password: "qu0ted in words and no end',
    "password = `qu0ted in words`",
    'log: {\\"password\\": \\"qu0ted in words\\"} rest',
  ].map((words) => ({
    kind: `a quoted password: ${words}`,
    result: text(words),
    secrets: ["qu0ted", "in words"],
  })),
  {
    kind: "a secret of an argument in Base64",
    args: { password: "b4se64 in words" },
    result: text(
      ["", "a", "ab"].map((lead) => Buffer.from(`${lead}b4se64 in words!`).toString("base64")).join(" "),
    ),
    secrets: ["NHNlNjQgaW4gd29", "RzZTY0IGluIHdv", "0c2U2NCBpbiB3b"],
  },
  {
    kind: "a configured path",
    result: {
      structuredContent: { accounts: [{ iban: "DE02120300000000202051" }] },
      content: [{ type: "text", text: '{"accounts":[{"iban":"DE02120300000000202051"}]}' }],
    },
    secrets: ["DE0212"],
  },
  {
    kind: "a configured path of arguments",
    args: { customer: { email: "eve@shop.test", id: 3 } },
    secrets: ["eve@shop.test"],
  },
];

/** JSON, serialized again as a string so many times. */
function encodeTimes(value: unknown, times: number): string {
  let encoded = JSON.stringify(value);
  for (let time = 0; time < times; time += 1) encoded = JSON.stringify(encoded);
  return encoded;
}

function text(words: string): JsonObject {
  return { content: [{ type: "text", text: words }] };
}

const REDACT = ["arguments.customer.email", "result.structuredContent.accounts.*.iban"];

describe("a secret is not written", () => {
  it.each(PLANTED)("$kind", async ({ args = {}, result = { content: [] }, secrets }) => {
    const record = await newCassette();
    const shop = connectShop({ record, client: answering(() => result) }, { record: { redact: REDACT } });
    const call = await shop.find.safe(args);
    expect(call.ok).toBe(true);
    const written = JSON.stringify(await readCassette(record));
    expect(written).toContain("checkout".slice(0, 0) + "shop/find.json");
    expect(secrets.filter((secret) => written.includes(secret))).toEqual([]);
    // The same call is found again, with the secrets that it was made with.
    const replayed = connectShop({ replay: record, client: unreachable }, { record: { redact: REDACT } });
    expect(await replayed.find.safe(args)).toMatchObject({ ok: true });
  });

  it.each([0, 1, 2])("is one that the server was given, in Base64 after %d bytes", (offset) => {
    const secret = "g1ven-secret-4711";
    const encoded = Buffer.from(`${"a".repeat(offset)}${secret}, and more`).toString("base64");
    const call = { arguments: { note: encoded }, result: text(`[${encoded}]`) };
    const written = JSON.stringify(
      redactCall(call, { scrub: (words) => scrubSecrets(words, secretForms(secret)) }),
    );
    expect(written).toContain("[redacted]");
    expect(written).not.toContain(encoded.slice(4, 20));
  });

  it("is one that the server was given by a variable", async () => {
    const record = await newCassette();
    process.env["CASSETTE_TEST_TOKEN"] = "variable-4711";
    const shop = connectShop({ record }, {
      url: undefined,
      ...fixtureCommand("secret-echo"),
      env: { TOKEN: "${CASSETTE_TEST_TOKEN}" },
    } as object);
    try {
      await shop.find.safe({ note: "I am variable-4711." });
    } finally {
      await shop.close();
      delete process.env["CASSETTE_TEST_TOKEN"];
    }
    const written = JSON.stringify(await readCassette(record));
    expect(written).toContain("[redacted]");
    expect(written).not.toContain("variable-4711");
    // The variable is not set where the call is replayed.
    const replayed = await connectShop({ replay: record, client: unreachable }).find.safe({
      note: "I am variable-4711.",
    });
    expect(replayed.ok || replayed.error.code).not.toBe("CALL_NOT_RECORDED");
  });
});

describe("redaction", () => {
  const rules = { scrub: (words: string) => words };

  it.each([
    { key: "PROJ-1", issue_key: "PROJ-2", sortKey: "name" },
    { page_token: "p2", nextPageToken: "p3", next_token: "n" },
    { max_tokens: 500, tokens: 33, total_tokens: 9 },
    { has_password: true, token: null, password: "" },
    { text: "The key is under the mat; monkey: 3, author: Bob, passage: 4" },
    { text: '{"a": 1,   "b": [2]}' },
    { text: '"A quoted sentence."', quoted: '"It is \\"so\\"."' },
    { parameters: [{ name: "password", description: "The new one.", type: "string" }] },
    {
      list: [
        { name: "page_token", value: "p2" },
        { key: "color", value: "red" },
      ],
    },
    {
      pairs: [
        ["a", "b"],
        ["token", "of", "love"],
      ],
    },
    { text: "cwd: /home, opwd2 3; the pin board; spwd" },
    { __proto__: null, url: "https://example.com/a?page=2", hash: "a".repeat(40) },
  ])("leaves %j alone", (value) => {
    const plain = JSON.parse(JSON.stringify(value)) as JsonObject;
    const call = { arguments: plain, result: { structuredContent: plain } };
    expect(redactCall(call, rules)).toEqual(call);
  });

  it("leaves values at the paths of keep alone, except secrets by their shape", () => {
    const [token, shaped] = ["page-2", `ghp_${"a1B2".repeat(6)}`];
    const args = { token, nested: { token }, other: { token: shaped } };
    const keep = ["arguments.token", "arguments.other.token"];
    expect(redactCall({ arguments: args, result: {} }, { ...rules, keep }).arguments).toEqual({
      token: "[redacted]",
      nested: { token: "[redacted]" },
      other: { token: "[redacted]" },
    });
    const plain = { token, other: { token: shaped } };
    expect(redactCall({ arguments: plain, result: {} }, { ...rules, keep }).arguments).toEqual({
      token,
      other: { token: "[redacted]" },
    });
  });

  it("finds paths by the patterns of other lists of names", () => {
    const args = { card_no: "4111", card_name: "Ada", id: "x1" };
    const redact = ["arguments.card_{no,name}", "arguments.i?"];
    expect(redactCall({ arguments: args, result: {} }, { ...rules, redact }).arguments).toEqual({
      card_no: "[redacted]",
      card_name: "[redacted]",
      id: "[redacted]",
    });
  });

  it("keeps the type of a value", () => {
    const args = { password: 1234567, secret: { a: "text", b: true, c: [1.5, null] } };
    expect(redactCall({ arguments: args, result: {} }, rules).arguments).toEqual({
      password: 0,
      secret: { a: "[redacted]", b: true, c: [0, null] },
    });
  });

  it("keeps the keys of a record that a server calls secrets", () => {
    const call = { arguments: { password: "result" }, result: { structuredContent: { token: "arguments" } } };
    expect(Object.keys(redactCall(call, rules))).toEqual(["arguments", "result"]);
    const error = { code: -32000, message: "no", data: { password: "message", token: "error" } };
    expect(redactCall({ arguments: {}, error }, rules)).toEqual({
      arguments: {},
      error: { code: -32000, message: "no", data: { password: "[redacted]", token: "[redacted]" } },
    });
  });

  it("gives the same again", () => {
    for (const { args = {}, result = {} } of PLANTED) {
      const once = redactCall({ arguments: args, result }, { ...rules, redact: REDACT });
      expect(redactCall(once, { ...rules, redact: REDACT })).toEqual(once);
    }
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
    const call = { arguments: {}, result: { content: [{ type: "text", text: words }] } };
    // Quadratic work would exceed the time limit of a test by minutes.
    expect(redactCall(call, rules).arguments).toEqual({});
  });
});
