import { Controller, Module, Post, Req, UseGuards, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { SamlCallback } from '../../../../src/auth/sign-in/callback/saml-callback.js';
import { SamlSignInGuard } from '../../../../src/auth/sign-in/callback/sign-in.guards.js';
import { TENANT_SAML, TenantSamlStrategy } from '../../../../src/auth/sign-in/strategies/saml.strategy.js';
import { fromSaml } from '../../../../src/auth/sign-in/strategies/verified-sign-in.mapping.js';
import type { VerifiedSignIn } from '../../../../src/auth/sign-in/strategies/verified-sign-in.js';
import { SignInRefused } from '../../../../src/auth/sign-in/refusals/sign-in-refused.js';
import { formOf, samlIdp, SP, type SamlIdp } from '../../../protocols/saml/support/idp.js';
import { samlSp, type SamlSp } from '../../../protocols/saml/support/protocol.js';
import { long } from '../../../support/rounds.js';

/** What the service would do with the form of a request. */
let signIn: () => Promise<VerifiedSignIn>;

@Controller()
class AcsController {
  @Post('acs')
  @UseGuards(SamlSignInGuard)
  acs(@Req() req: { user: VerifiedSignIn }) {
    return { subject: req.user.subject };
  }

  @Post('unprepared')
  @UseGuards(AuthGuard(TENANT_SAML))
  unprepared() {
    return {};
  }
}

const callback = { provide: SamlCallback, useValue: { signIn: () => signIn() } };

@Module({ controllers: [AcsController], providers: [TenantSamlStrategy, callback] })
class AcsModule {}

describe('the strategy and its guard', () => {
  let sp: SamlSp;
  let idp: SamlIdp;
  const apps: INestApplication[] = [];
  const bases: string[] = [];

  beforeAll(async () => {
    [sp, idp] = await Promise.all([samlSp(), samlIdp()]);
    // Two applications in one process share passport's one instance.
    for (let i = 0; i < 2; i++) {
      const app = await NestFactory.create(AcsModule, { logger: false });
      app.useGlobalFilters({
        catch: (error: unknown, host) => {
          const reason = error instanceof SignInRefused ? error.reason : (error as Error).message;
          host.switchToHttp().getResponse<{ status(code: number): { json(body: unknown): void } }>().status(401).json({ reason }); // prettier-ignore
        },
      });
      await app.listen(0, '127.0.0.1');
      apps.push(app);
      bases.push(await app.getUrl());
    }
  });
  afterAll(async () => {
    await Promise.all([sp.close(), ...apps.map((app) => app.close())]);
  });

  async function post(base: string, xml: string | null, query = ''): Promise<unknown> {
    signIn = async () => {
      const answer = sp.protocol.read(formOf(xml!));
      return fromSaml(await sp.protocol.verify(idp.connection(), answer, { requestId: SP.request }));
    };
    const response = await fetch(`${base}/${xml === null ? 'unprepared' : 'acs'}${query}`, {
      method: 'POST',
      body: new URLSearchParams({ x: 'y' }),
    });
    return { status: response.status, body: await response.json() };
  }

  long('accept verified answers alone', async () => {
    const let_in = { status: 201, body: { subject: 'ada-1815' } };
    const refused = (reason: string) => ({ status: 401, body: { reason } });
    for (const base of bases) {
      expect(await post(base, idp.answer())).toEqual(let_in);
      expect(await post(base, idp.answer({ audience: 'urn:x' }))).toEqual(refused('audience_mismatch'));
      expect(await post(base, idp.answer({}, { sign: 'neither' }))).toEqual(refused('signature_missing'));
      expect(await post(base, null)).toEqual(refused('no sign-in was prepared for this request'));
      // In passport-saml an unsigned LogoutResponse in the query passes.
      const logout = `?SAMLResponse=${encodeURIComponent(Buffer.from('<LogoutResponse/>').toString('base64'))}`;
      expect(await post(base, null, logout)).toEqual(refused('no sign-in was prepared for this request'));
      expect(await post(base, idp.answer({ audience: 'urn:x' }), logout)).toEqual(refused('audience_mismatch'));
      expect(await post(base, idp.answer())).toEqual(let_in);
    }
  });
});
