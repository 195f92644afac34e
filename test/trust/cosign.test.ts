import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/lib/digest.ts";
import { signaturePayload, signatureTag, signManifest } from "../../src/trust/cosign.ts";
import { keyRefFromFingerprint } from "../../src/trust/key-id.ts";
import { judgeSignatures } from "../../src/trust/policy.ts";
import { newPair } from "../support/sample-bundle.ts";

const MANIFEST = digestOf("a manifest");
const PAYLOAD = signaturePayload(MANIFEST);

describe("cosign's simple signing", () => {
  it("signs these bytes, as cosign writes them", () => {
    expect(PAYLOAD.toString("utf8")).toBe(
      `{"critical":{"identity":{"docker-reference":""},"image":{"docker-manifest-digest":"${MANIFEST}"},"type":"cosign container image signature"},"optional":null}`,
    );
  });

  it("is found under the tag that cosign looks for", () => {
    expect(signatureTag(MANIFEST)).toBe(`${MANIFEST.replace(":", "-")}.sig`);
  });

  it("does not depend on the order of the keys, nor on a key being given twice", () => {
    const [a, b] = [newPair().signer, newPair("p256").signer];
    const once = signManifest(MANIFEST, [a, b]);
    expect(once).toHaveLength(2);
    expect(signManifest(MANIFEST, [b, a, b])).toEqual(once);
  });
});

describe("judgeSignatures", () => {
  const [ours, theirs] = [newPair("p256"), newPair()];
  const judge = (signatures: Parameters<typeof judgeSignatures>[1], verifiers = [ours.verifier]): unknown =>
    judgeSignatures(PAYLOAD, signatures, verifiers, "x.tar");
  const ref = keyRefFromFingerprint(ours.signer.fingerprint);

  it("takes one trusted signature, whoever else has signed", () => {
    expect(judge(signManifest(MANIFEST, [ours.signer]))).toEqual([ref]);
    expect(judge(signManifest(MANIFEST, [theirs.signer, ours.signer]))).toEqual([ref]);
  });

  it("names every trusted key that has signed", () => {
    expect(
      judge(signManifest(MANIFEST, [theirs.signer, ours.signer]), [theirs.verifier, ours.verifier]),
    ).toHaveLength(2);
  });

  it("names who signed and who is trusted when those are not the same", () => {
    expect(() => judge(signManifest(MANIFEST, [theirs.signer]))).toThrow(
      expect.objectContaining({
        code: "SIGNATURE_INVALID",
        message: `x.tar is signed by key ${theirs.signer.keyId}, which is not trusted here; trusted: key ${ours.signer.keyId}`,
        details: { signedBy: [keyRefFromFingerprint(theirs.signer.fingerprint)], trusted: [ref] },
      }) as Error,
    );
  });

  it("refuses a trusted key's wrong signature even beside a right one", () => {
    const wrong = signManifest(digestOf("another"), [theirs.signer]);
    const right = signManifest(MANIFEST, [ours.signer]);
    expect(() => judge([...wrong, ...right], [ours.verifier, theirs.verifier])).toThrow(
      /does not fit the bundle's manifest/,
    );
  });

  it("refuses another key's signature that claims to be of a trusted key", () => {
    const [signature] = signManifest(MANIFEST, [newPair("p256").signer]);
    const lie = { fingerprint: ours.signer.fingerprint, signature: signature?.signature ?? Buffer.alloc(0) };
    expect(() => judge([lie])).toThrow(expect.objectContaining({ code: "SIGNATURE_INVALID" }) as Error);
  });
});
