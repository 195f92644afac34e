/** The JSON that an index answers of a release and of a project (`/pypi/PROJECT/VERSION/json`, `/pypi/PROJECT/json`). */
export interface PypiFile {
  filename: string;
  /** Absolute, encoded. */
  url: string;
  size: number | undefined;
  /** SHA-256, 64 hexadecimal digits. */
  sha256: string | undefined;
  /** ISO 8601 in UTC, with a `Z`. */
  uploadedAt: string;
  requiresPython?: string | undefined;
  yanked?: string | true | undefined;
}

export interface PypiRelease {
  /** Normalised. */
  project: string;
  version: string;
  files: readonly PypiFile[];
}

/** `null` where an index says null too; clients take the latest `upload_time_iso_8601` for the time of publication. */
export function releaseJsonOf(release: PypiRelease): unknown {
  return { ...common(release), urls: release.files.map(fileJson) };
}

/** `releases` has every version, `info` and `urls` speak of `latest`. */
export function projectJsonOf(latest: PypiRelease, all: readonly PypiRelease[]): unknown {
  return {
    ...common(latest),
    releases: Object.fromEntries(all.map(({ version, files }) => [version, files.map(fileJson)])),
    urls: latest.files.map(fileJson),
  };
}

function common({ project, version, files }: PypiRelease): Record<string, unknown> {
  const yanked = files.length > 0 && files.every((file) => file.yanked !== undefined);
  return {
    info: {
      name: project,
      version,
      requires_python: files.find((file) => file.requiresPython !== undefined)?.requiresPython ?? null,
      yanked,
      yanked_reason: yanked ? reasonOf(files[0]?.yanked) : null,
    },
    last_serial: 0,
    vulnerabilities: [],
  };
}

function fileJson(file: PypiFile): Record<string, unknown> {
  return {
    filename: file.filename,
    url: file.url,
    packagetype: file.filename.endsWith(".whl") ? "bdist_wheel" : "sdist",
    python_version: pythonTag(file.filename),
    ...(file.size === undefined ? {} : { size: file.size }),
    digests: file.sha256 === undefined ? {} : { sha256: file.sha256 },
    requires_python: file.requiresPython ?? null,
    // Without milliseconds and zone, as the older of the two fields has always been.
    upload_time: file.uploadedAt.replace(/(\.\d+)?Z$/, ""),
    upload_time_iso_8601: file.uploadedAt,
    yanked: file.yanked !== undefined,
    yanked_reason: reasonOf(file.yanked),
  };
}

function reasonOf(yanked: string | true | undefined): string | null {
  return typeof yanked === "string" ? yanked : null;
}

/** `cp312` of `x-1.0-cp312-cp312-linux_x86_64.whl`. */
function pythonTag(filename: string): string {
  return filename.endsWith(".whl") ? (filename.split("-").at(-3) ?? "py3") : "source";
}
