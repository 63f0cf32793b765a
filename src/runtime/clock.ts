/** Milliseconds since 1970, as `Date.now` gives them. */
export type Clock = () => number;

/** The one clock of the runtime: whatever needs the time takes a {@link Clock}, and this where none is given. */
export const systemClock: Clock = () => Date.now();
