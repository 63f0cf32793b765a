/**
 * Returns the time of the next event: a fixed morning, plus one minute per event, so that every run is equal.
 */
export type Calendar = () => string;

export function createCalendar(): Calendar {
  let minutes = 0;
  return () => new Date(Date.UTC(2026, 0, 15, 9, minutes++)).toISOString();
}
