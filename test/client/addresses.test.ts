import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refuseAddress } from "../../src/client/oauth/oauth-fetch.js";
import type { HttpEndpoint } from "../../src/client/endpoint.js";
import { endpointOf } from "./endpoint.js";

function endpoint(url: string, auth: object = {}): HttpEndpoint {
  const made = endpointOf({ url, auth: { type: "oauth", ...auth } });
  if (made.kind !== "http") throw new TypeError("A URL has an HTTP endpoint.");
  return made;
}

const refuse = (address: string, server: string, auth?: object): string | undefined =>
  refuseAddress(new URL(address), endpoint(server, auth));

/** Hosts that only this machine or its network reaches, in every form that `URL` reads. */
const PRIVATE = [
  ...["169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518"],
  ...["[fe80::1]", "[fec0::1]", "[fc00::1]", "[fd12:3456::1]", "[::]", "[ff02::1]", "printer.local"],
  ...["[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[64:ff9b::10.0.0.1]", "[2002:a00:1::]"],
  ...["[::10.0.0.1]", "[::ffff:0:10.0.0.1]", "metadata.google.internal", "100.64.0.1", "0.0.0.0"],
  ...["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.254", "192.168.1.1", "192.0.0.192"],
  ...["198.18.0.1", "224.0.0.1", "255.255.255.255"],
];
const LOOPBACK = [
  ...["127.0.0.1", "127.1", "2130706433", "0x7f.1", "017700000001", "127.255.255.254", "localhost"],
  ...["LOCALHOST.", "a.localhost", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"],
  "[::127.0.0.1]",
];
const PUBLIC = [
  ...["login.example.com", "8.8.8.8", "172.32.0.1", "100.128.0.1", "[2606:4700::1111]"],
  "localhost.example",
];

const SHOP = "https://shop.example.com/mcp";
const HERE = "http://127.0.0.1:1/mcp";
const isPrivate = expect.stringContaining("private network") as string;

describe("an address that a server names", () => {
  it.each([...PRIVATE, ...LOOPBACK])("%s is refused for a public server", (host) => {
    expect(refuse(`https://${host}/token`, SHOP)).toEqual(isPrivate);
  });

  it.each([...PRIVATE, ...LOOPBACK, ...PUBLIC])("http://%s is refused for a public server", (host) => {
    expect(refuse(`http://${host}/token`, SHOP)).toBe("it does not use HTTPS");
  });

  it.each(PUBLIC)("https://%s is asked, for any server", (host) => {
    for (const server of [SHOP, HERE, "https://10.0.0.1/mcp"])
      expect(refuse(`https://${host}/token`, server)).toBeUndefined();
  });

  it.each(LOOPBACK)("%s is asked for a server on this machine, also without TLS", (host) => {
    for (const server of [HERE, "http://localhost/mcp", "https://[::1]:2/mcp"])
      for (const scheme of ["http", "https"])
        expect(refuse(`${scheme}://${host}:8080/token`, server)).toBeUndefined();
  });

  it.each(PRIVATE)("%s is refused for another private server, or one on this machine", (host) => {
    for (const server of [HERE, "https://10.9.9.9/mcp"])
      expect(refuse(`https://${host}/token`, server)).toEqual(isPrivate);
    expect(refuse(`http://${host}/`, HERE)).toBeDefined();
  });

  it.each(PRIVATE)("%s is asked if it is the server's own, or that of the configured issuer", (host) => {
    expect(refuse(`https://${host}:9000/token`, `https://${host}/mcp`)).toBeUndefined();
    expect(refuse(`https://${host}/token`, SHOP, { issuer: `https://${host}/realm` })).toBeUndefined();
  });

  it.each(["file:///etc/passwd", "ftp://127.0.0.1/", "https://ada:pw@login.example.com/", "javascript:1"])(
    "%s is refused",
    (address) => {
      expect(refuse(address, HERE)).toBeDefined();
    },
  );

  it("is judged by its IPv4 address, however IPv6 holds it", () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte, byte), (bytes) => {
        const address = bytes.join(".");
        for (const form of [`::ffff:${address}`, `64:ff9b::${address}`])
          expect(refuse(`https://[${form}]/`, SHOP), form).toBe(refuse(`https://${address}/`, SHOP));
      }),
    );
  });
});
