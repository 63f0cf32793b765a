import { vi } from "vitest";

/** Hides what a package prints on the console, so that tests show only unexpected lines. */
export function silenceConsole(pattern: RegExp): void {
  for (const method of ["info", "warn"] as const) {
    const print = Reflect.get(console, method);
    if (vi.isMockFunction(print)) continue;
    vi.spyOn(console, method).mockImplementation((...words: unknown[]) => {
      if (!pattern.test(words.join(" "))) print.apply(console, words);
    });
  }
}
