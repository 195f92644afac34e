import { onTestFinished } from "vitest";
import { startUpstream, type Upstream, type UpstreamOptions } from "./upstream.ts";

/**
 * A practice upstream for the running test. When the test ends it is closed, and the test fails if a request was
 * unexpected or a fault was not used.
 */
export async function upstreamForTest(options: UpstreamOptions = {}): Promise<Upstream> {
  const upstream = await startUpstream(options);
  onTestFinished(async () => {
    await upstream.close();
    upstream.assertDone();
  });
  return upstream;
}
