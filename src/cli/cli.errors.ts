/** What went wrong, in words for the person at the terminal, and the exit code that scripts branch on. */
export class CliError extends Error {
  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed,
  ) {
    super(message);
    this.name = 'CliError';
  }
}

/** Exit codes: 0 done; then refused by the service, used wrongly, not reachable, no or a wrong credential. */
export const EXIT = { done: 0, failed: 1, usage: 2, unreachable: 3, credential: 4 } as const;
