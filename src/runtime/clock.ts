/** Returns milliseconds since 1970, like `Date.now`. */
export type Clock = () => number;

/** The default for every {@link Clock} of the runtime. */
export const systemClock: Clock = () => Date.now();
