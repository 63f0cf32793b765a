/** Says something that is no failure: to whom it was asked to be said, or as a warning of the process where there is one. */
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
