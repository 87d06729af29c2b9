import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { hashToken, sameHash } from '../../base/crypto/tokens.js';
import { proveCaller } from '../../base/http/connection-bound.js';
import { TooManyRequests } from '../../base/http/http.errors.js';
import { FailedTries, limitRate, RateLimiter } from '../../base/http/rate-limit.js';
import type { BridgeResponse } from '../../base/http/request.js';
import { OPERATOR } from '../identity/source.js';
import { bearerToken } from './bearer.js';
import { demandRecentSignInOf, type AuthenticatedRequest } from './caller.js';
import { ConsoleCredentials } from './console-credentials.js';
import { demandNothingEntered } from './operator-acts.js';
import { OperatorNeeded, Unauthenticated } from './tenants.errors.js';

const NO_SCOPES: ReadonlySet<string> = new Set();

/** Guards the administration of the installation: for the operator's token, and for the operator's session of the console. */
@Injectable()
export class OperatorGuard implements CanActivate {
  private readonly hash: Buffer;

  constructor(
    config: Config,
    private readonly tries: FailedTries,
    private readonly limiter: RateLimiter,
    private readonly consoles: ConsoleCredentials,
    private readonly clock: Clock,
  ) {
    this.hash = hashToken(config.operatorToken);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const req = http.getRequest<AuthenticatedRequest>();
    const session = await this.consoles.of(req);
    if (session === null) this.demandToken(req);
    else if (session.role !== 'operator') throw new OperatorNeeded();
    const keyId = session?.id ?? 'operator';
    limitRate(this.limiter, http.getResponse<BridgeResponse>(), keyId, null);
    req.credentialId = keyId;
    proveCaller(req);
    const caller = { tenantId: '', keyId, name: 'operator', scopes: NO_SCOPES, actor: OPERATOR, requestId: req.id };
    req.caller = session === null ? caller : { ...caller, console: session };
    demandNothingEntered(context, req.method, req.caller);
    demandRecentSignInOf(context, req.method, req.caller, this.clock.now());
    return true;
  }

  private demandToken(req: AuthenticatedRequest): void {
    const token = bearerToken(req);
    if (token === null) throw new Unauthenticated('missing');
    if (sameHash(token.hash, this.hash)) return;
    if (!this.tries.take(req.ip ?? '', 'operator')) {
      throw new TooManyRequests('Too many wrong credentials came from this address.', 10);
    }
    // Says nothing about whether the key is valid, only that it is of the kind that never opens this.
    if (token.parsed?.kind === 'tbk') throw new OperatorNeeded();
    throw new Unauthenticated('invalid');
  }
}
