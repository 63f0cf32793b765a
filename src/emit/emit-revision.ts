/** Raised whenever the same lock and configuration give other bytes than before, so that old files count as stale. */
export const EMIT_REVISION = 4;
