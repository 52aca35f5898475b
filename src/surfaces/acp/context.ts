/** How this program is started again, and with what. */
export type ProgramContext = {
  /** Interpreter and script. */
  program: readonly string[];
  config: string | undefined;
  env: NodeJS.ProcessEnv;
};
