const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

/** Bytes for people, in powers of 1000 as disks and downloads are labelled: `1.41 GB`, `738 MB`, `17 B`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? "PB"}`;
}

/** A span of time for people: `4 s`, `2 min 5 s`, `1 h 3 min`. */
export function formatDuration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return s % 60 === 0 ? `${Math.floor(s / 60)} min` : `${Math.floor(s / 60)} min ${s % 60} s`;
  const minutes = Math.floor((s % 3600) / 60);
  return minutes === 0 ? `${Math.floor(s / 3600)} h` : `${Math.floor(s / 3600)} h ${minutes} min`;
}

/** Bytes of several things together. */
export function sumSizes(items: readonly { size: number }[]): number {
  return items.reduce((sum, { size }) => sum + size, 0);
}
