/** What a change means for one consumer. */
export interface ConsumerVerdict {
  readonly consumer: string;
  /**
   * `breaks`: its code no longer compiles, or its calls are rejected. `may-break`: that cannot be excluded. `until-pull`:
   * its code goes on, but its validation rejects answers until it pulls the new contract. `none`: it does not use what
   * changed.
   */
  readonly effect: "breaks" | "may-break" | "until-pull" | "none";
  /** What it uses: "reads `price` in 3 places". May hold text that a server sent. */
  readonly says: string;
}

/** Whether a change breaks a consumer, or may break one. */
export function hitsConsumer({
  consumers = [],
}: {
  readonly consumers?: readonly ConsumerVerdict[];
}): boolean {
  return consumers.some(({ effect }) => effect === "breaks" || effect === "may-break");
}
