import type { Session } from "../transport/session.js";

/** The members of a session that listing uses. */
export type RequestContext = Pick<Session, "identity" | "hasParameterHeaders" | "request" | "scrub">;
