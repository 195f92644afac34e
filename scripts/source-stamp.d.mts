export declare function sourceStamp(packageRoot: URL): string;
export declare function stampFile(packageRoot: URL): URL;
export declare function isBuildFresh(packageRoot: URL): boolean;
