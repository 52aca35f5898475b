export const leaf: string;
export function page(version: number): string;
