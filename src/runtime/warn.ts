/** Reports a problem that is not a failure: to `onWarning`, or as a warning of the process where the host has one. */
export function warn(message: string, onWarning?: (message: string) => void): void {
  if (onWarning !== undefined) {
    onWarning(message);
    return;
  }
  const { process } = globalThis as { process?: { emitWarning?: (message: string, type: string) => void } };
  process?.emitWarning?.(message, "McpCodegenWarning");
}

/** As {@link warn}, each message once. */
export function createWarner(onWarning?: (message: string) => void): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message)) return;
    said.add(message);
    warn(message, onWarning);
  };
}
