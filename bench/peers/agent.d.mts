export const stateFolder: string;
export function seats(role: string, count: number): string[];
export function ask(name: string, given: object): Promise<object>;
export function measure(runGraph: () => Promise<number>): Promise<void>;
