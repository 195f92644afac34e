/** What the table may know of a machine; the same shape as the golden cases' `host`. */
export interface Host {
  /** `amd64`, `arm64`; anything else has no builds. Empty: unrecognised. */
  arch: string;
  /** `580.65.06`; empty: no NVIDIA driver. */
  nvidiaDriver: string;
  /** Lowest compute capability among the cards (8.6); 0: unknown. */
  minComputeCapability: number;
}
