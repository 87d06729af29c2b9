import { DomainError } from '../../../base/errors/domain-error.js';

/** Returns whether a failure ends without an act of an admin: the database is away, or others hold a row. */
export function isPassing(error: unknown): boolean {
  if (error instanceof DomainError) return error.kind === 'unavailable';
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^(08|53|57|58|40|55|ECONN|ETIME|EPIPE)/.test(code);
}
