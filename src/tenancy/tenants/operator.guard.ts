import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import { hashToken, sameHash } from '../../base/crypto/tokens.js';
import { proveCaller } from '../../base/http/connection-bound.js';
import { TooManyRequests } from '../../base/http/http.errors.js';
import { FailedTries, limitRate, RateLimiter } from '../../base/http/rate-limit.js';
import type { BridgeResponse } from '../../base/http/request.js';
import type { Actor } from '../identity/source.js';
import { bearerToken } from './bearer.js';
import type { AuthenticatedRequest } from './caller.js';
import { OperatorNeeded, Unauthenticated } from './tenants.errors.js';

const OPERATOR: Actor = Object.freeze({ kind: 'operator', id: 'operator', name: 'operator' });
const NO_SCOPES: ReadonlySet<string> = new Set();

/** Guards the administration of the installation. */
@Injectable()
export class OperatorGuard implements CanActivate {
  private readonly hash: Buffer;

  constructor(
    config: Config,
    private readonly tries: FailedTries,
    private readonly limiter: RateLimiter,
  ) {
    this.hash = hashToken(config.operatorToken);
  }

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const req = http.getRequest<AuthenticatedRequest>();
    const token = bearerToken(req);
    if (token === null) throw new Unauthenticated('missing');
    if (!sameHash(token.hash, this.hash)) {
      if (!this.tries.take(req.ip ?? '', 'operator')) {
        throw new TooManyRequests('Too many wrong credentials came from this address.', 10);
      }
      // Says nothing about whether the key is valid, only that it is of the kind that never opens this.
      if (token.parsed?.kind === 'tbk') throw new OperatorNeeded();
      throw new Unauthenticated('invalid');
    }
    limitRate(this.limiter, http.getResponse<BridgeResponse>(), 'operator', null);
    req.credentialId = 'operator';
    proveCaller(req);
    req.caller = {
      tenantId: '',
      keyId: 'operator',
      name: 'operator',
      scopes: NO_SCOPES,
      actor: OPERATOR,
      requestId: req.id,
    };
    return true;
  }
}
