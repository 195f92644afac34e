import { onTestFinished } from "vitest";
import { createDoor } from "../../../src/net/door.ts";
import type { Door, DoorOptions } from "../../../src/net/door-types.ts";

/** A door that speaks plain http to the given origins, closed when the test ends. */
export function openDoor(insecureOrigins: readonly string[], options: Partial<DoorOptions> = {}): Door {
  const door = createDoor({
    offline: false,
    insecureOrigins,
    proxy: {},
    userAgent: "engine-ferry/test",
    timeouts: { connect: 5000, idle: 10_000 },
    ...options,
  });
  onTestFinished(() => door.close());
  return door;
}
