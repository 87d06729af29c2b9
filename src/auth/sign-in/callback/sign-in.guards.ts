import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { PassportStrategy, AuthGuard } from '@nestjs/passport';
import { MultiSamlStrategy } from '@node-saml/passport-saml';
import OIDCStrategy from 'passport-openidconnect';
import { readForm } from '../../../base/http/form.js';
import { rawQuery } from '../../../base/http/request.js';
import { OidcProtocol } from '../../../protocols/oidc/oidc.protocol.js';
import { SAML_FIELDS, type SamlAnswer } from '../../../protocols/saml/answer.js';
import { SamlProtocol } from '../../../protocols/saml/saml.protocol.js';
import type { SamlConnection } from '../../connections/connection.js';
import { MetadataRefreshing } from '../../connections/refresh.js';
import { type SignInHttpRequest } from '../requests/sign-in.context.js';
import { type VerifiedSignIn, fromOidc, fromSaml } from '../accounts/verified-sign-in.js';
import { refusalIn, SignInRefused } from '../sign-in.errors.js';
import { PendingSignIns } from './pending-sign-ins.js';

/**
 * A request with the sign-in that a strategy runs, which the guard has put there. All applications of a process share one
 * Passport, which keeps the strategy made last. So nothing is injected into a strategy: everything comes with the request.
 */
interface PreparedRequest {
  readonly url: string;
  signIn?: () => Promise<VerifiedSignIn>;
}

function runSignIn(
  strategy: { success(user: VerifiedSignIn): void; error(error: Error): void },
  { signIn }: PreparedRequest,
): void {
  if (signIn === undefined) return strategy.error(new Error('no sign-in was prepared for this request'));
  signIn().then(
    (verified) => strategy.success(verified),
    (error: Error) => strategy.error(refusalIn(error) ?? error),
  );
}

export const TENANT_OIDC = 'tenant-oidc';

/** The base class demands addresses, which are never called: each connection has its own. */
const UNUSED = 'https://idp.invalid/';

/**
 * The Passport strategy of OpenID Connect. passport-openidconnect itself checks neither PKCE nor signature, so the strategy
 * runs the sign-in of the service, in which `OidcProtocol` checks both.
 */
@Injectable()
export class TenantOidcStrategy extends PassportStrategy(OIDCStrategy, TENANT_OIDC) {
  constructor() {
    super({
      issuer: UNUSED,
      authorizationURL: UNUSED,
      tokenURL: UNUSED,
      userInfoURL: UNUSED,
      callbackURL: UNUSED,
      clientID: 'unused',
      clientSecret: 'unused',
      nonce: 'true',
    });
  }

  /** Ends in `success` or in `error`; never in `pass`, which would accept the request. */
  override authenticate(req: PreparedRequest): void {
    runSignIn(this, req);
  }

  /** Demanded by passport-openidconnect, and never called. */
  validate(): never {
    throw new Error('the sign-in is verified elsewhere');
  }
}

export const TENANT_SAML = 'tenant-saml';

/**
 * The Passport strategy of SAML. passport-saml's own `authenticate` also reads the query, and accepts an unsigned
 * LogoutResponse there as a sign-in. So the strategy runs the sign-in of the service, in which `SamlProtocol` verifies the
 * form.
 */
@Injectable()
export class TenantSamlStrategy extends PassportStrategy(MultiSamlStrategy, TENANT_SAML) {
  constructor() {
    super({ getSamlOptions: (_req, done) => done(new Error('the sign-in is verified elsewhere')) }, unused);
  }

  override authenticate(req: PreparedRequest): void {
    runSignIn(this, req);
  }

  /** Demanded by passport-saml, and never called. */
  validate(): never {
    return unused();
  }
}

function unused(): never {
  throw new Error('the sign-in is verified elsewhere');
}

/** A SAML answer in base64, with the names of the form fields. */
const FORM_BYTES = 256 * 1024 + 4_096;

@Injectable()
export class IdpAnswers {
  constructor(
    private readonly pending: PendingSignIns,
    private readonly protocol: SamlProtocol,
    private readonly metadata: MetadataRefreshing,
    private readonly oidc: OidcProtocol,
  ) {}

  async samlSignIn(req: SignInHttpRequest): Promise<VerifiedSignIn> {
    // The connection first: without one, the form is not read.
    const connection = await this.pending.connectionOf(req, 'saml');
    const answer = await this.read(req, connection);
    await this.take(req, connection, answer);
    return this.verify(req, connection, answer);
  }

  private async read(req: SignInHttpRequest, connection: SamlConnection): Promise<SamlAnswer> {
    const form = await readForm(req, FORM_BYTES, SAML_FIELDS);
    if (/[?&]saml(response|request)=/i.test(req.originalUrl) || form.has('SAMLRequest')) {
      throw new SignInRefused('binding_refused', 'an answer has to come in the form of an HTTP-POST alone');
    }
    await this.pending.demandMayAnswer(req, connection, form.get('RelayState') ?? '');
    return this.protocol.read(form);
  }

  /** Uses up the sign-in request of an answer. The connection has to permit an answer without one. */
  private async take(req: SignInHttpRequest, connection: SamlConnection, answer: SamlAnswer): Promise<void> {
    const { inResponseTo, relayState } = answer;
    if (inResponseTo !== null) {
      const handle = inResponseTo.slice(1);
      if (!inResponseTo.startsWith('_') || (relayState !== null && relayState !== handle)) {
        throw new SignInRefused('in_response_to_mismatch', 'InResponseTo and RelayState do not name the same sign-in');
      }
      await this.pending.take(req, connection, handle);
    } else if (!connection.allowIdpInitiated) {
      throw new SignInRefused('unsolicited', 'the answer has no request, which the connection does not permit');
    } else if (!connection.enabled) {
      throw new SignInRefused('connection_disabled', 'the connection is disabled');
    } else {
      req.signInContext!.returnTo = relayState;
    }
  }

  /** Verifies an answer, also with certificates that the IdP has published since. */
  private async verify(
    req: SignInHttpRequest,
    connection: SamlConnection,
    answer: SamlAnswer,
  ): Promise<VerifiedSignIn> {
    const expected = { requestId: answer.inResponseTo };
    const verified = await this.metadata.verified(connection, (one) => this.protocol.verify(one, answer, expected));
    // The rest of the sign-in uses the connection with its new certificates.
    req.signInContext!.connection = verified.connection;
    return fromSaml(verified.result);
  }

  async oidcSignIn(req: SignInHttpRequest): Promise<VerifiedSignIn> {
    const connection = await this.pending.connectionOf(req, 'oidc');
    // The raw query: Express would make lists of repeated names, and readers would differ about their value.
    const query = new URLSearchParams(rawQuery(req));
    const [state, ...others] = query.getAll('state');
    if (state === undefined || others.length > 0) {
      throw new SignInRefused('state_unknown', 'the answer names no sign-in, or more than one');
    }
    const { nonce, codeVerifier } = await this.pending.take(req, connection, state);
    return fromOidc(await this.oidc.finish(connection, query, { state, nonce, codeVerifier }));
  }
}

@Injectable()
export class OidcSignInGuard extends AuthGuard(TENANT_OIDC) {
  constructor(private readonly answers: IdpAnswers) {
    super();
  }

  override canActivate(context: ExecutionContext): ReturnType<CanActivate['canActivate']> {
    const req = context.switchToHttp().getRequest<SignInHttpRequest>();
    req.signIn = () => this.answers.oidcSignIn(req);
    return super.canActivate(context);
  }

  override handleRequest<T = VerifiedSignIn>(error: Error | null | undefined, user: T | false | null | undefined): T {
    return verifiedOr(error, user);
  }
}

@Injectable()
export class SamlSignInGuard extends AuthGuard(TENANT_SAML) {
  constructor(private readonly answers: IdpAnswers) {
    super();
  }

  override canActivate(context: ExecutionContext): ReturnType<CanActivate['canActivate']> {
    const req = context.switchToHttp().getRequest<SignInHttpRequest>();
    req.signIn = () => this.answers.samlSignIn(req);
    return super.canActivate(context);
  }

  override handleRequest<T = VerifiedSignIn>(error: Error | null | undefined, user: T | false | null | undefined): T {
    return verifiedOr(error, user);
  }
}

function verifiedOr<T>(error: Error | null | undefined, user: T | false | null | undefined): T {
  if (error) throw error;
  if (!user) throw new SignInRefused('idp_answer_invalid', 'The answer of the IdP was not verified.');
  return user;
}
