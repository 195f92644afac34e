// Loaded before a program of Node: at its end, writes what it took to the file that FERRY_BENCH_METER names.
import { readFileSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/** Source: proc(5). VmHWM is in units of 1024 bytes; wchar is the sum of all that was given to write calls. */
function measured() {
  const status = readFileSync("/proc/self/status", "utf8");
  const io = readFileSync("/proc/self/io", "utf8");
  return {
    peak: Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) * 1024,
    written: Number(/^wchar:\s*(\d+)$/m.exec(io)?.[1]),
  };
}

if (isMainThread) {
  process.on("exit", () => {
    writeFileSync(process.env.FERRY_BENCH_METER, JSON.stringify(measured()));
  });
}
