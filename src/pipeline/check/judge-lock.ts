/** The judges of the lock and of findings about it: `check` loads them only for a lock that it does not know, or for findings. */
export { findHostFindings } from "../../core/hosts/find-host-findings.js";
export { scanLock } from "../../drift/security/scan-lock.js";
export { refuseUnaccepted, waiveFindings, waiveOthers } from "./waive-findings.js";
