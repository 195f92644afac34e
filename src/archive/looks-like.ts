/** First bytes of what people hand over in place of a bundle, and what to do then. */
const KINDS: { magic: string; what: string; hint: string }[] = [
  { magic: "1f8b", what: "gzip-compressed", hint: "Unpack it with gunzip first: a bundle is a plain tar." },
  {
    magic: "28b52ffd",
    what: "zstd-compressed",
    hint: "Unpack it with unzstd first: a bundle is a plain tar.",
  },
  {
    magic: "fd377a585a00",
    what: "xz-compressed",
    hint: "Unpack it with unxz first: a bundle is a plain tar.",
  },
  {
    magic: "425a68",
    what: "bzip2-compressed",
    hint: "Unpack it with bunzip2 first: a bundle is a plain tar.",
  },
  {
    magic: "504b0304",
    what: "a zip archive",
    hint: "If the bundle is inside, extract it first: a bundle is a plain tar.",
  },
  { magic: "7f454c46", what: "a program", hint: "Give the path of the bundle itself." },
];

/** What a file that is no tar looks like by its first bytes, and what the user can do about it. */
export function looksLike(start: Uint8Array): { what: string; hint: string } {
  const hex = Buffer.from(start.subarray(0, 8)).toString("hex");
  const known = KINDS.find(({ magic }) => hex.startsWith(magic));
  if (known !== undefined) return known;
  const text = Buffer.from(start).toString("latin1").trimStart();
  if (/^<(!doctype|html|\?xml)/i.test(text)) {
    return {
      what: "a web page",
      hint: "A proxy or a login page answered in place of the file. Download the bundle again, and look at it first.",
    };
  }
  if (text.startsWith("-----BEGIN ")) {
    return { what: "a key or certificate", hint: "Give the path of the bundle itself." };
  }
  if (/^[{[]/.test(text)) {
    return { what: "JSON", hint: "Give the path of the bundle itself: a tar, or the layout's folder." };
  }
  return {
    what: "no tar",
    hint: "A bundle is what `ferry build` writes: a plain tar, or a folder. Is this the right file?",
  };
}
