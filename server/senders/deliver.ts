import type { ServerResponse } from "node:http";
import { isFerryError } from "../../src/errors.ts";
import type { ServedBlob } from "../blob-sender.ts";
import { DeliveryError } from "./delivery-error.ts";
import { openBlob, unreadable } from "./open-blob.ts";
import { type Outlet, openOutlet } from "./outlet.ts";

export interface SenderOptions {
  /** Milliseconds after which a client that takes nothing at all is dropped. Slow ones never are. */
  idleMs: number;
}

/** A body on its way. */
export interface Delivery {
  response: ServerResponse;
  outlet: Outlet;
  /** Descriptor of the blob's file. */
  file: number;
  blob: ServedBlob;
}

/**
 * Opens the blob, lets `move` write bytes and end the response, and closes the file however that goes. When the body
 * did not go out whole the connection is cut, unless not even the head has gone: then the caller can still say why.
 */
export async function deliver(
  response: ServerResponse,
  blob: ServedBlob,
  { idleMs }: SenderOptions,
  move: (delivery: Delivery) => Promise<void>,
): Promise<void> {
  const handle = await openBlob(blob);
  const outlet = openOutlet(response, idleMs);
  try {
    await move({ response, outlet, file: handle.fd, blob });
  } catch (error) {
    if (response.headersSent) outlet.destroy();
    throw error instanceof DeliveryError || isFerryError(error) ? error : unreadable(blob, error);
  } finally {
    outlet.release();
    await handle.close();
  }
}
