/** Gives the time of each event: a fixed morning, and one minute later each time, so that every run is the same. */
export type Calendar = () => string;

export function createCalendar(): Calendar {
  let minutes = 0;
  return () => new Date(Date.UTC(2026, 0, 15, 9, minutes++)).toISOString();
}
