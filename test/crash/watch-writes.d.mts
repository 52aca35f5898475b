export function watchWrites(onWrite: (kind: string, target: string) => void): void;
