import { DomainError } from '../../base/errors/domain-error.js';
import { credentialForm, wordsOfForm } from './credentials.rules.js';
import type { ScopeDemand } from './scopes.js';

const MISSING = 'This address needs a credential: Authorization: Bearer <token>.';
const INVALID = 'The credential is not valid: it is unknown, revoked or expired. Make a new one.';
const REALM = 'Bearer realm="talent-bridge"';

/** No valid credential. Unknown, expired and revoked ones look alike from outside. */
export class Unauthenticated extends DomainError {
  readonly kind = 'unauthenticated';
  readonly code: 'credential_missing' | 'credential_invalid';
  /** @param form the `Authorization` header, and the kind that the address takes: the answer then names the problem */
  constructor(reason: 'missing' | 'invalid', form?: { header: string | undefined; kind: 'tbk' | 'tbs' }) {
    const problem = form?.header === undefined ? null : credentialForm(form.header, form.kind).problem;
    // RFC 6750 §3.1: a request without a credential gets no error code.
    super(problem !== null ? wordsOfForm(problem) : reason === 'missing' ? MISSING : INVALID, {
      headers: { 'WWW-Authenticate': reason === 'missing' ? REALM : `${REALM}, error="invalid_token"` },
    });
    this.code = reason === 'missing' ? 'credential_missing' : 'credential_invalid';
  }
}

export class SeveralCredentials extends DomainError {
  readonly kind = 'malformed';
  readonly code = 'several_credentials';
  constructor() {
    super('The request carries more than one credential.', {
      headers: { 'WWW-Authenticate': `${REALM}, error="invalid_request"` },
    });
  }
}

export class MissingScope extends DomainError {
  readonly kind = 'forbidden';
  readonly code = 'missing_scope';
  /** @param alternatives the missing scopes of each; the first is named to programs (RFC 6750 §3) */
  constructor(alternatives: ScopeDemand) {
    const [scope = ''] = alternatives.map((together) => together.join(' '));
    super(`The credential lacks the scope ${alternatives.map((together) => together.join(' and ')).join(' or ')}.`, {
      headers: { 'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${scope}"` },
      members: { scope },
    });
  }
}

/** The write gives rights of administration, and its caller does not hold the scope `admin`. */
export class RoleNeedsAdmin extends DomainError {
  readonly kind = 'forbidden';
  readonly code = 'role_needs_admin';
  /** @param detail a sentence that names the role or the user, and what only an administrator may do */
  constructor(detail: string) {
    super(`${detail} Use a key with the scope admin.`, { members: { scope: 'admin' } });
  }
}

/** The request came from a network that the `allow_from` of its valid credential does not admit. */
export class OutsideAllowFrom extends DomainError {
  readonly kind = 'forbidden';
  readonly code = 'outside_allow_from';
  constructor() {
    super('The API key admits no request from this network.');
  }
}

/** The installation's own administration, which no tenant's key reaches. */
export class OperatorNeeded extends DomainError {
  readonly kind = 'forbidden';
  readonly code = 'operator_only';
  constructor() {
    super('This address is for the operator of the installation.');
  }
}

/** The signed-in user has no role that administers the tenant. */
export class NotAnAdministrator extends DomainError {
  readonly kind = 'forbidden';
  readonly code = 'not_an_administrator';
  constructor(detail: string) {
    super(detail);
  }
}

export class NoTenantEntered extends DomainError {
  readonly kind = 'forbidden';
  readonly code = 'no_tenant_entered';
  constructor() {
    super('This address shows a tenant, and the session of the operator has entered none. Enter the tenant first.');
  }
}

/** The session of the operator reads a tenant: until it leaves the tenant, it writes nothing. */
export class TenantEntered extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'tenant_entered';
  constructor() {
    super('The session of the operator reads a tenant, and nothing can be written meanwhile. Leave the tenant first.');
  }
}

export class OperatorTokenNeeded extends DomainError {
  readonly kind = 'forbidden';
  readonly code = 'operator_token_needed';
  constructor(act: string) {
    super(`${act} needs the operator token; a session of the console is not enough.`);
  }
}

/** The act needs a sign-in of the last ten minutes. */
export class SignInAgain extends DomainError {
  readonly kind = 'unauthenticated';
  readonly code = 'sign_in_again';
  constructor(
    detail = 'This needs a sign-in of the last ten minutes. Sign in again; a session by a link of the operator needs a new link.',
  ) {
    super(detail, { headers: { 'WWW-Authenticate': 'Cookie realm="talent-bridge"' } });
  }
}

/** A credential that has ended cannot be rotated. */
export class CredentialEnded extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'credential_ended';
  constructor() {
    super('The credential is revoked or has expired; make a new one.');
  }
}

/** A role that a user holds, or that a directory or rule names, keeps its seat and cannot be deleted. */
export class RoleInUse extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'role_in_use';
  constructor(name: string, uses: string) {
    super(`The role "${name}" is in use: ${uses}.`);
  }
}
