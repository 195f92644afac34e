import type { BodySender } from "../blob-sender.ts";
import { createAccelSender } from "./accel.ts";
import type { SenderOptions } from "./deliver.ts";
import { createSendfileSender } from "./sendfile.ts";
import { createStreamSender } from "./stream.ts";
import { loadSystemCalls } from "./system-calls.ts";

export interface CreateSenderOptions extends SenderOptions {
  /** Whether sendfile may be used where it can. */
  sendfile: boolean;
  /** The server in front that moves the bytes for us. */
  accel?: "nginx" | undefined;
  /** Whether the server speaks TLS itself: then no byte may pass Node's encryption by. */
  tls?: boolean | undefined;
}

export interface ChosenSender {
  sender: BodySender;
  /** Which way and why, for the log: one line. */
  why: string;
}

/** Picks the fastest way of moving bodies that works here. */
export async function createSender(options: CreateSenderOptions): Promise<ChosenSender> {
  const embedded = await chooseEmbedded(options);
  if (options.accel === undefined) return embedded;
  return {
    sender: createAccelSender(embedded.sender),
    why: `bodies: nginx moves them (X-Accel-Redirect); without it in front, ${embedded.why}`,
  };
}

async function chooseEmbedded({ sendfile, tls, idleMs }: CreateSenderOptions): Promise<ChosenSender> {
  const stream = (reason: string): ChosenSender => ({
    sender: createStreamSender({ idleMs }),
    why: `bodies: read and written (${reason})`,
  });
  if (!sendfile) return stream("sendfile is switched off");
  if (tls === true) return stream("TLS encrypts them here");
  const calls = await loadSystemCalls();
  if (typeof calls === "string") return stream(calls);
  return { sender: createSendfileSender(calls, { idleMs }), why: "bodies: Linux sendfile" };
}
