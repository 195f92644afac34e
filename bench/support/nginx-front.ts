import { readFileSync } from "node:fs";
import { type Nginx, runNginx } from "./nginx.ts";

const TEMPLATE = new URL("../../deploy/nginx.conf", import.meta.url);

/** nginx as deploy/nginx.conf has it, in front of a mirror on this port, with this `blobs/` folder. One worker. */
export function startNginxFront(mirrorPort: number, blobs: string): Promise<Nginx> {
  const template = readFileSync(TEMPLATE, "utf8");
  return runNginx((home, port) => {
    let text = template;
    const replace = (from: string, to: string): void => {
      if (text.split(from).length !== 2) throw new Error(`deploy/nginx.conf does not say ${from} just once`);
      text = text.replace(from, to);
    };
    replace("127.0.0.1:8081", `127.0.0.1:${mirrorPort}`);
    replace("listen 8080", `listen 127.0.0.1:${port}`);
    replace("/var/lib/ferry/blobs/", `${blobs}/`);
    replace("worker_processes auto", "worker_processes 1");
    text = text.replaceAll(" /tmp/nginx", ` ${home}/tmp/nginx`);
    // Root's workers would run as nobody, who cannot read a temporary folder.
    return process.getuid?.() === 0 ? `user root;\n${text}` : text;
  });
}
