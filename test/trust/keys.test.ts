import { execFileSync } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FerryError } from "../../src/errors.ts";
import { generateKeyPair, writeKeyPair } from "../../src/trust/keys.ts";
import { loadSigner } from "../../src/trust/signer.ts";
import { loadVerifier } from "../../src/trust/verifier.ts";
import { tmpDir } from "../support/tmp.ts";

const openssl = (...args: string[]): string =>
  execFileSync("openssl", args, { encoding: "utf8", stdio: "pipe" });

function errorOf(run: () => unknown): FerryError {
  try {
    run();
  } catch (error) {
    if (error instanceof FerryError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe.each(["ed25519", "p256"] as const)("a %s key pair", (algorithm) => {
  it("signs what its public half verifies, and nothing else", () => {
    const pair = generateKeyPair({ algorithm });
    const signer = loadSigner(pair.privatePem, "a.key");
    const verifier = loadVerifier(pair.publicPem, "a.pub");
    const signature = signer.sign(Buffer.from("statement"));
    expect(verifier.verify(Buffer.from("statement"), signature)).toBe(true);
    expect(verifier.verify(Buffer.from("statemenu"), signature)).toBe(false);
    expect(verifier.verify(Buffer.from("statement"), signature.subarray(1))).toBe(false);
    expect(verifier.verify(Buffer.from("statement"), Buffer.alloc(0))).toBe(false);
    expect(
      loadVerifier(generateKeyPair({ algorithm }).publicPem, "b.pub").verify(
        Buffer.from("statement"),
        signature,
      ),
    ).toBe(false);
  });

  it("B22: signs the same bytes the same way every time", () => {
    const { privatePem } = generateKeyPair({ algorithm });
    const first = loadSigner(privatePem, "a.key").sign(Buffer.from("statement"));
    expect(loadSigner(privatePem, "a.key").sign(Buffer.from("statement"))).toEqual(first);
  });

  it("has one name on both halves, which openssl computes too", async () => {
    const pair = generateKeyPair({ algorithm });
    const signer = loadSigner(pair.privatePem, "a.key");
    const verifier = loadVerifier(pair.publicPem, "a.pub");
    const folder = await tmpDir();
    await writeFile(join(folder, "a.pub"), pair.publicPem);
    openssl("pkey", "-pubin", "-in", join(folder, "a.pub"), "-outform", "DER", "-out", join(folder, "a.der"));
    const [hex] = openssl("dgst", "-sha256", "-r", join(folder, "a.der")).split(" ");
    expect(signer.fingerprint).toBe(`sha256:${hex ?? ""}`);
    expect(verifier.fingerprint).toBe(signer.fingerprint);
    expect(pair.fingerprint).toBe(signer.fingerprint);
    expect(signer.keyId).toBe(hex?.slice(0, 16));
    expect(verifier.algorithm).toBe(algorithm);
  });

  it("is readable by openssl, encrypted or not", async () => {
    const folder = await tmpDir();
    for (const passphrase of [undefined, "correct horse"]) {
      const pair = generateKeyPair({ algorithm, ...(passphrase === undefined ? {} : { passphrase }) });
      const path = join(folder, `${passphrase ?? "plain"}.key`);
      await writeFile(path, pair.privatePem);
      expect(openssl("pkey", "-in", path, "-passin", `pass:${passphrase ?? ""}`, "-pubout")).toBe(
        pair.publicPem,
      );
    }
  });

  it("opens with its passphrase alone", () => {
    const { privatePem, keyId } = generateKeyPair({ algorithm, passphrase: "correct horse" });
    expect(loadSigner(privatePem, "a.key", "correct horse").keyId).toBe(keyId);
    for (const wrong of ["", "correct hors", "correct horse "]) {
      const error = errorOf(() => loadSigner(privatePem, "a.key", wrong));
      expect(error.code).toBe("KEY_PASSPHRASE");
      expect(error.message).toContain("does not open a.key");
    }
    const absent = errorOf(() => loadSigner(privatePem, "a.key"));
    expect(absent.code).toBe("KEY_PASSPHRASE");
    expect(absent.message).toContain("a.key is encrypted");
  });

  it("is told apart when the wrong half is given", () => {
    const pair = generateKeyPair({ algorithm });
    const asSigner = errorOf(() => loadSigner(pair.publicPem, "a.pub"));
    expect([asSigner.code, asSigner.message]).toEqual([
      "KEY_INVALID",
      "a.pub is a public key, expected a private key (PKCS#8 PEM)",
    ]);
    for (const passphrase of [undefined, "x"]) {
      const { privatePem } = generateKeyPair({
        algorithm,
        ...(passphrase === undefined ? {} : { passphrase }),
      });
      const asVerifier = errorOf(() => loadVerifier(privatePem, "a.key"));
      expect([asVerifier.code, asVerifier.message]).toEqual([
        "KEY_INVALID",
        "a.key is a private key, expected a public key",
      ]);
    }
  });
});

describe("keys that openssl made", () => {
  it("are taken: PKCS#8 and SEC 1 with its parameters in front", async () => {
    const folder = await tmpDir();
    const ed = openssl("genpkey", "-algorithm", "ed25519");
    expect(loadSigner(ed, "ed.key").algorithm).toBe("ed25519");
    const sec1 = openssl("ecparam", "-name", "prime256v1", "-genkey");
    expect(sec1).toContain("EC PARAMETERS");
    expect(loadSigner(sec1, "ec.key").algorithm).toBe("p256");
    await writeFile(join(folder, "ec.key"), sec1);
    expect(loadVerifier(openssl("pkey", "-in", join(folder, "ec.key"), "-pubout"), "ec.pub").algorithm).toBe(
      "p256",
    );
  });

  it.each([
    ["RSA", ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"], "an RSA key of 2048 bits"],
    [
      "P-384",
      ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
      "an elliptic-curve key on secp384r1",
    ],
    ["X25519", ["-algorithm", "X25519"], "a key of type x25519"],
  ])("of type %s are refused by name, either half", async (_name, args, words) => {
    const path = join(await tmpDir(), "k");
    openssl("genpkey", ...args, "-out", path);
    for (const error of [
      errorOf(() => loadSigner(openssl("pkey", "-in", path), "k.key")),
      errorOf(() => loadVerifier(openssl("pkey", "-in", path, "-pubout"), "k.pub")),
    ]) {
      expect(error.code).toBe("KEY_INVALID");
      expect(error.message).toContain(words);
      expect(error.message).toContain("Ed25519 or ECDSA P-256");
    }
  });
});

describe("what is no key of ours", () => {
  const pem = (label: string, body = "bm90aGluZw=="): string =>
    `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
  const { publicPem, privatePem } = generateKeyPair();

  it.each([
    ["an empty file", "", "holds no PEM block"],
    ["binary", "\u0000\u0001", "holds no PEM block"],
    ["cosign's own key", pem("ENCRYPTED SIGSTORE PRIVATE KEY"), "cosign's own encrypted format"],
    ["cosign's older key", pem("ENCRYPTED COSIGN PRIVATE KEY"), "cosign's own encrypted format"],
    ["PKCS#1", pem("RSA PRIVATE KEY"), "an RSA key"],
    ["an OpenSSH key", pem("OPENSSH PRIVATE KEY"), "OPENSSH PRIVATE KEY"],
    ["a certificate", pem("CERTIFICATE"), "CERTIFICATE"],
    ["a damaged key", pem("PRIVATE KEY"), "it is damaged"],
    ["two keys", privatePem + privatePem, "2 PEM blocks"],
  ])("is refused as a private key: %s", (_name, text, words) => {
    const error = errorOf(() => loadSigner(text, "x.key"));
    expect(error.code).toBe("KEY_INVALID");
    expect(error.message).toContain("x.key");
    expect(error.message).toContain(words);
    expect(error.hint).toBeTruthy();
  });

  it.each([
    ["an empty file", "", "holds no PEM block"],
    ["a certificate", pem("CERTIFICATE"), "CERTIFICATE"],
    ["a damaged key", pem("PUBLIC KEY"), "it is damaged"],
    ["two keys", publicPem + publicPem, "2 PEM blocks"],
    ["cosign's own private key", pem("ENCRYPTED SIGSTORE PRIVATE KEY"), "is a private key"],
  ])("is refused as a public key: %s", (_name, text, words) => {
    const error = errorOf(() => loadVerifier(text, "x.pub"));
    expect(error.code).toBe("KEY_INVALID");
    expect(error.message).toContain(words);
  });

  it("says of cosign's own key how to give both tools one key", () => {
    expect(errorOf(() => loadSigner(pem("ENCRYPTED SIGSTORE PRIVATE KEY"), "x.key")).hint).toContain(
      "cosign import-key-pair",
    );
  });

  it("says of a damaged encrypted key that the passphrase does not open it", () => {
    expect(errorOf(() => loadSigner(pem("ENCRYPTED PRIVATE KEY"), "x.key", "p")).code).toBe("KEY_PASSPHRASE");
  });

  it("does not make a key with an empty passphrase", () => {
    expect(errorOf(() => generateKeyPair({ passphrase: "" })).code).toBe("KEY_PASSPHRASE");
  });
});

describe("writeKeyPair", () => {
  it("writes both halves, the private one for its owner alone whatever the umask is", async () => {
    const prefix = join(await tmpDir(), "ferry");
    const pair = generateKeyPair();
    const before = process.umask(0);
    try {
      expect(await writeKeyPair(prefix, pair)).toEqual({
        keyPath: `${prefix}.key`,
        pubPath: `${prefix}.pub`,
      });
    } finally {
      process.umask(before);
    }
    expect((await stat(`${prefix}.key`)).mode & 0o777).toBe(0o600);
    expect((await stat(`${prefix}.pub`)).mode & 0o777).toBe(0o644);
    expect(await readFile(`${prefix}.key`, "utf8")).toBe(pair.privatePem);
    expect(await readFile(`${prefix}.pub`, "utf8")).toBe(pair.publicPem);
  });

  it.each([".key", ".pub"])("never overwrites an existing %s, and leaves nothing behind", async (ending) => {
    const prefix = join(await tmpDir(), "ferry");
    const other = ending === ".key" ? ".pub" : ".key";
    await writeFile(prefix + ending, "old");
    await expect(writeKeyPair(prefix, generateKeyPair())).rejects.toMatchObject({ code: "FILE_UNWRITABLE" });
    expect(await readFile(prefix + ending, "utf8")).toBe("old");
    await expect(stat(prefix + other)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("names a folder that is not there", async () => {
    const prefix = join(await tmpDir(), "absent", "ferry");
    await expect(writeKeyPair(prefix, generateKeyPair())).rejects.toMatchObject({ code: "FILE_UNWRITABLE" });
  });
});
