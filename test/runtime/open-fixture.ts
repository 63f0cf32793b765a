import { onTestFinished } from "vitest";
import { type Fault, type FaultProxy, type ProxiedRequest, startFaultProxy } from "../servers/fault-proxy.js";
import { startFixture } from "../servers/start-fixture.js";

/** Starts a fixture over HTTP, which ends with the test. */
export async function openFixture(
  ...given: Parameters<typeof startFixture>
): ReturnType<typeof startFixture> {
  const fixture = await startFixture(...given);
  onTestFinished(() => fixture.close());
  return fixture;
}

/** Starts a proxy in front of a server, which ends with the test. */
export async function openProxy(
  target: string,
  choose: (request: ProxiedRequest) => Fault = () => "none",
): Promise<FaultProxy> {
  const proxy = await startFaultProxy(target, choose);
  onTestFinished(() => proxy.close());
  return proxy;
}
