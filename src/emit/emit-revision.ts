/**
 * Raised when the same lock and configuration give different bytes, so that old files count as stale. Also raised
 * when the injection scan finds more, since tools with current files are not scanned again.
 */
export const EMIT_REVISION = 18;
