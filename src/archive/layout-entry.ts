/** One file of a layout to be written: `name` as in the layout, `size` in bytes, content in memory or in a file. */
export interface LayoutEntry {
  name: string;
  size: number;
  /** The bytes, or the path of a file that has exactly `size` of them. */
  content: Uint8Array | string;
}
