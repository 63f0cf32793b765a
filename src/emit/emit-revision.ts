/** Raised whenever the same lock and configuration give other bytes than before, so that old files count as stale.
 * Raised as well when the scan for what misleads objects to more: files that are current vouch for what was scanned.
 */
export const EMIT_REVISION = 18;
