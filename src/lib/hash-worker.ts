/**
 * The code of a hashing thread. It is text, evaluated by the thread, because it must run alike from TypeScript sources, from
 * compiled files, and from an installed package, where no loader and no path is the same.
 * It reads synchronously in 128 KiB steps into one buffer that stays in the processor's cache, which hashes as fast as
 * openssl does. Input: { path, start, length }. Output: { hex } or { missing } or { code, message }.
 */
export const HASH_WORKER = `
const { createHash } = require("node:crypto");
const { closeSync, openSync, readSync } = require("node:fs");
const { parentPort } = require("node:worker_threads");
const buffer = Buffer.allocUnsafeSlow(128 * 1024);
function hash({ path, start, length }) {
  const file = openSync(path, "r");
  try {
    const sum = createHash("sha256");
    let left = length;
    while (left > 0) {
      const got = readSync(file, buffer, 0, Math.min(left, buffer.length), start + length - left);
      if (got === 0) return { missing: left };
      sum.update(got === buffer.length ? buffer : buffer.subarray(0, got));
      left -= got;
    }
    return { hex: sum.digest("hex") };
  } finally {
    closeSync(file);
  }
}
parentPort.on("message", (job) => {
  let answer;
  try {
    answer = hash(job);
  } catch (error) {
    answer = { code: String(error.code), message: String(error.message) };
  }
  parentPort.postMessage(answer);
});
`;
