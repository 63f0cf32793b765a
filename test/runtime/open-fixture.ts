import { onTestFinished } from "vitest";
import { startFixture } from "../servers/start-fixture.js";

/** Starts a fixture over HTTP, which ends with the test. */
export async function openFixture(
  ...given: Parameters<typeof startFixture>
): ReturnType<typeof startFixture> {
  const fixture = await startFixture(...given);
  onTestFinished(() => fixture.close());
  return fixture;
}
