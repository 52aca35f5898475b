/** A file of another tool, by its path below the project. */
export type ExchangeFile = { path: string; text: string };
