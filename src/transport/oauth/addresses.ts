import type { HttpEndpoint } from "../endpoint.js";

/**
 * Returns why an address of an authorization server must not be asked; undefined if it may. Servers choose these addresses,
 * and would reach what only this machine reaches: only the server's own host, or the host of the configured issuer, may be
 * private, and only a server on this machine may name plain http there. What a public name resolves to is not known here.
 */
export function refuseAddress(url: URL, { url: serverUrl, oauth }: HttpEndpoint): string | undefined {
  const server = new URL(serverUrl);
  const [kind, kindOfServer] = [kindOf(url.hostname), kindOf(server.hostname)];
  if (url.username !== "" || url.password !== "") return "it has a user name or a password";
  const isLocal = kind === "loopback" && kindOfServer === "loopback";
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLocal)) return "it does not use HTTPS";
  const issuer = oauth?.issuer;
  const trusted = [server, ...(issuer !== undefined && URL.canParse(issuer) ? [new URL(issuer)] : [])];
  if (kind === "public" || isLocal || trusted.some(({ hostname }) => hostname === url.hostname))
    return undefined;
  return "it is an address of a private network";
}

type AddressKind = "public" | "private" | "loopback";

/** `URL` has spelt IPv4 addresses as four decimal numbers and IPv6 addresses in brackets, whatever their form was. */
function kindOf(hostname: string): AddressKind {
  const name = hostname.replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost")) return "loopback";
  if (/(?:^|\.)(?:local|internal|localdomain|home\.arpa)$/.test(name)) return "private";
  const bytes = name.startsWith("[") ? readIPv6(name.slice(1, -1)) : readIPv4(name);
  if (bytes === undefined) return "public";
  return bytes.length === 4 ? kindOfIPv4(bytes) : kindOfIPv6(bytes);
}

function readIPv4(text: string): readonly number[] | undefined {
  return /^\d+(?:\.\d+){3}$/.test(text) ? text.split(".").map(Number) : undefined;
}

function readIPv6(text: string): readonly number[] {
  const [head = "", tail] = text.split("::");
  const groups = (part: string): readonly number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = new Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]);
}

/** The special purposes of IANA's registry: this network, private, shared, link-local, benchmarks, multicast, reserved. */
function kindOfIPv4([a = 0, b = 0, c = 0]: readonly number[]): AddressKind {
  if (a === 127) return "loopback";
  const isPrivate =
    [0, 10].includes(a) ||
    a >= 224 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && (b === 168 || (b === 0 && (c === 0 || c === 2)))) ||
    (a === 198 && (b === 18 || b === 19));
  return isPrivate ? "private" : "public";
}

function kindOfIPv6(bytes: readonly number[]): AddressKind {
  const startsWith = (...prefix: readonly number[]): boolean =>
    prefix.every((byte, index) => bytes[index] === byte);
  const zeros = new Array<number>(10).fill(0);
  if (startsWith(...zeros, 0, 0, 0, 0, 0, 1)) return "loopback";
  // Addresses that hold one of IPv4: mapped, compatible, translated (NAT64) and 6to4.
  if (startsWith(...zeros, 0xff, 0xff) || startsWith(...zeros, 0, 0)) return kindOfIPv4(bytes.slice(12));
  if (startsWith(0, 0x64, 0xff, 0x9b)) return kindOfIPv4(bytes.slice(12));
  if (startsWith(0x20, 0x02)) return kindOfIPv4(bytes.slice(2));
  // Only 2000::/3 is global.
  return (bytes[0] ?? 0) >> 5 === 1 ? "public" : "private";
}
