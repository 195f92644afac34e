/** The mirror as who looks at a page reaches it. */
export interface Site {
  /** Its own address, without a slash at the end. */
  base: string;
  /** Whether it asks for a token or password. */
  guarded: boolean;
}
