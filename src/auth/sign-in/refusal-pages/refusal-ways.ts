import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { OidcProtocol } from '../../../protocols/oidc/oidc.protocol.js';
import { SamlProtocol } from '../../../protocols/saml/saml.protocol.js';
import { AuthAddresses } from '../../connections/addresses.js';
import type { Connection } from '../../connections/connection.js';
import type { Handover, Way } from '../pages/pages.js';
import { newHandle } from '../requests/browser-half.js';
import { startQuery } from '../requests/start-ask.mapping.js';
import type { StartAsk } from '../requests/sign-in-start.js';
import type { SignInContext } from '../sign-in.context.js';
import type { VerifiedSignIn } from '../strategies/verified-sign-in.js';
import type { PlainRefusal } from './refusal-texts.rules.js';

const LABELS = { again: 'Sign in again', other: 'Use another account', email: 'Start with your e-mail address' };

/** The ways by which a refused sign-in can continue. */
@Injectable()
export class RefusalWays {
  constructor(
    private readonly oidc: OidcProtocol,
    private readonly saml: SamlProtocol,
    private readonly addresses: AuthAddresses,
    private readonly clock: Clock,
  ) {}

  /** Returns the links of the page. */
  of(way: PlainRefusal['way'], context?: SignInContext): Way[] {
    if (way === 'none') return [];
    if (way === 'home') return [{ label: 'Check whether you are signed in', href: this.addresses.home }];
    if (context === undefined) return [{ label: 'Sign in', href: this.addresses.login }];
    const { connection, request } = context;
    const ask: StartAsk = {
      returnTo: request?.return_to ?? null,
      codeChallenge: request?.code_challenge ?? null,
      prompt: way === 'other' ? 'select_account' : null,
      loginHint: null,
    };
    const named: Record<string, string> = way === 'email' ? {} : { connection: connection.slug };
    const query = new URLSearchParams({ ...named, ...startQuery(ask) });
    const label = LABELS[way];
    const asked = query.toString();
    return [{ label, href: asked === '' ? this.addresses.login : `${this.addresses.login}?${asked}` }];
  }

  /** Returns the way to a logout at the IdP, for a browser that is signed in there with another person's account. */
  async leave(
    connection: Connection,
    verified: VerifiedSignIn,
  ): Promise<{ kind: 'link'; way: Way } | { kind: 'form'; form: Handover } | null> {
    const label = 'Sign out at your company';
    const state = newHandle(this.clock.now());
    if (connection.type === 'oidc') {
      const href = await this.oidc.endSession(connection, { idToken: verified.idToken, state });
      return href === null ? null : { kind: 'link', way: { label, href } };
    }
    if (connection.sloUrl === null || verified.nameId === null) return null;
    const session = { nameId: verified.nameId, sessionIndex: verified.idpSession };
    const step = await this.saml.logoutRequest(connection, session, state);
    return step.kind === 'form'
      ? { kind: 'form', form: { action: step.action, fields: step.fields } }
      : { kind: 'link', way: { label, href: step.url } };
  }
}
