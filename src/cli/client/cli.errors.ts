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

/**
 * Exit codes: 0 done; then refused by the service, wrong usage, not reachable, no or a wrong credential, and the waiting for a
 * task interrupted by Ctrl-C.
 */
export const EXIT = { done: 0, failed: 1, usage: 2, unreachable: 3, credential: 4, interrupted: 130 } as const;

export interface RefusedField {
  field: string;
  message: string;
}

/** What the service refused, field by field. The fields have the API's names; the printer can name options in their place. */
export class ServiceRefusal extends CliError {
  constructor(
    private readonly detail: string,
    private readonly fields: readonly RefusedField[],
    private readonly requestId: string | null,
    exitCode: number,
  ) {
    super(wordsOf(detail, fields, requestId), exitCode);
  }

  /** The same refusal with other names for its fields. */
  named(rename: (field: RefusedField) => RefusedField): ServiceRefusal {
    return new ServiceRefusal(this.detail, this.fields.map(rename), this.requestId, this.exitCode);
  }
}

function wordsOf(detail: string, fields: readonly RefusedField[], requestId: string | null): string {
  const lines = fields.map(({ field, message }) => `\n  ${field} ${message}`);
  return [detail, ...lines, requestId === null ? '' : `\n  (request ${requestId})`].join('');
}
