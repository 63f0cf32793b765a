/**
 * The most bytes that are read from one file, git ref, message or answer: 17 times the largest known lock, and half of
 * what a string can hold. A source without an end, such as `/dev/zero`, is refused there instead of filling the memory.
 */
export const READ_LIMIT: number = 256 * 1024 * 1024;

/** The limit as messages name it. */
export const READ_LIMIT_TEXT: string = `${READ_LIMIT / 1024 / 1024} MiB`;
