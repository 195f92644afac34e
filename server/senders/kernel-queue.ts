import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";

type Socket = NonNullable<ServerResponse["socket"]>;

/**
 * Bytes that the kernel holds for a connection and its peer has not acknowledged. A slow client is seen to move by this
 * long before the socket takes more: Linux calls a full send buffer writable again when a third of it, often more than
 * 1 MB, is free. Undefined where the system does not say (Linux lists it in /proc/self/net/tcp, column tx_queue).
 */
export async function kernelQueue(socket: Socket): Promise<number | undefined> {
  const { localPort, remotePort, localFamily } = socket;
  if (localPort === undefined || remotePort === undefined) return undefined;
  try {
    const table = await readFile(
      localFamily === "IPv6" ? "/proc/self/net/tcp6" : "/proc/self/net/tcp",
      "latin1",
    );
    return parseQueue(table, localPort, remotePort);
  } catch {
    return undefined;
  }
}

/**
 * The sum of tx_queue over the connections with these two ports. Two clients may share the ports from different
 * addresses; then either's progress counts for both, and the worst is a stalled one dropped later.
 */
export function parseQueue(table: string, localPort: number, remotePort: number): number | undefined {
  const ports = new RegExp(`:${hex(localPort)} [0-9A-F]+:${hex(remotePort)} [0-9A-F]{2} ([0-9A-F]{8}):`, "g");
  let sum: number | undefined;
  for (const [, queued = "0"] of table.matchAll(ports)) sum = (sum ?? 0) + Number.parseInt(queued, 16);
  return sum;
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}
