import { DomainError } from '../../../base/errors/domain-error.js';
import type { SignInWay } from './sso-requirement.rules.js';

/** An act would leave a connection as the only way to sign in before a sign-in through it succeeded. */
export class UntestedConnection extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'untested_connection';
  constructor({ id, name }: Pick<SignInWay, 'id' | 'name'>) {
    super(
      `Users could then sign in through "${name}" (${id}) only, and no sign-in through it has succeeded with its present settings. Make a test sign-in first: POST /api/v1/connections/${id}/test-sign-in.`,
      { members: { id } },
    );
  }
}
