import type { Session } from "../transport/session.js";

/** What listing needs of a connection to a server. */
export type RequestContext = Pick<Session, "identity" | "request" | "scrub">;
