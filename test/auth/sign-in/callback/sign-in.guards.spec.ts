import { AuthAddresses } from '../../../../src/auth/connections/addresses.js';
import type { OidcConnection } from '../../../../src/auth/connections/connection.js';
import {
  IdpAnswers,
  OidcSignInGuard,
  TENANT_OIDC,
  TenantOidcStrategy,
  SamlSignInGuard,
  TENANT_SAML,
  TenantSamlStrategy,
} from '../../../../src/auth/sign-in/callback/sign-in.guards.js';
import { fromOidc, type VerifiedSignIn, fromSaml } from '../../../../src/auth/sign-in/accounts/verified-sign-in.js';
import { SignInRefused } from '../../../../src/auth/sign-in/sign-in.errors.js';
import { Clock } from '../../../../src/base/clock.js';
import { Config } from '../../../../src/base/config/config.js';
import { Outbound } from '../../../../src/base/http/outbound.js';
import { OidcAddresses } from '../../../../src/protocols/oidc/oidc-settings.js';
import { OidcProtocol, type OidcExpected } from '../../../../src/protocols/oidc/oidc.protocol.js';
import { fresh } from '../../../protocols/oidc/support/attempt.js';
import { hostileOp, type HostileOp } from '../../../protocols/oidc/support/op.js';
import { HandClock, newConnection, newParty } from '../../../protocols/oidc/support/party.js';
import { formOf, samlIdp, SP, type SamlIdp } from '../../../protocols/saml/support/idp.js';
import { samlSp, type SamlSp } from '../../../protocols/saml/support/protocol.js';
import { long } from '../../../support/rounds.js';
import {
  Catch,
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  Req,
  UseGuards,
  type ArgumentsHost,
  type ExceptionFilter,
  type INestApplication,
  Post,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Request, Response } from 'express';

describe('oidc strategy', () => {
  // The strategy in Nest: several applications in one process share the one passport, and none may see another's sign-in.

  const clock = new HandClock();
  const clientOf = (name: string) => ({ id: `con_${name}`, clientId: name, slug: name });

  /** What an application keeps of the sign-ins that it began. */
  class Pending {
    readonly party = newParty(clock);
    readonly begun = new Map<string, { connection: OidcConnection; expected: OidcExpected }>();
  }

  /** Finds the sign-in of a request, and verifies its answer. */
  @Injectable()
  class Callback {
    constructor(@Inject(Pending) private readonly pending: Pending) {}

    async oidcSignIn(request: Request): Promise<VerifiedSignIn> {
      const query = new URL(request.url, 'http://x').searchParams;
      const begun = this.pending.begun.get(query.get('state') ?? '');
      if (begun === undefined) throw new Error('no such sign-in');
      return fromOidc(await this.pending.party.protocol.finish(begun.connection, query, begun.expected));
    }
  }

  @Controller()
  class UnpreparedController {
    @Get('unprepared')
    @UseGuards(AuthGuard(TENANT_OIDC))
    unprepared(): object {
      return {};
    }
  }

  @Controller()
  class CallbackController {
    @Get('callback')
    @UseGuards(OidcSignInGuard)
    callback(@Req() request: Request & { user?: VerifiedSignIn }): object {
      return { subject: request.user?.subject, claims: { ...request.user?.claims } };
    }
  }

  @Catch(SignInRefused)
  class RefusalFilter implements ExceptionFilter {
    catch(refusal: SignInRefused, host: ArgumentsHost): void {
      host.switchToHttp().getResponse<Response>().status(401).json({ reason: refusal.reason });
    }
  }

  @Module({
    controllers: [CallbackController, UnpreparedController],
    providers: [Pending, { provide: IdpAnswers, useClass: Callback }, TenantOidcStrategy],
  })
  class TestModule {}

  interface App {
    app: INestApplication;
    url: string;
    pending: Pending;
    op: HostileOp;
  }

  async function newApp(): Promise<App> {
    const app = await NestFactory.create(TestModule, { logger: false });
    app.useGlobalFilters(new RefusalFilter());
    await app.listen(0, '127.0.0.1');
    return { app, url: await app.getUrl(), pending: app.get(Pending), op: await hostileOp(() => clock.now()) };
  }

  let apps: App[];

  beforeAll(async () => {
    apps = [await newApp(), await newApp()];
  });

  afterAll(async () => {
    for (const { app, pending, op } of apps) {
      await app.close();
      await pending.party.close();
      await op.stop();
    }
  });

  /** Begins at an application, and comes back to it. Out: the status and the body. */
  async function signIn({ url, pending, op }: App, clientId = 'client-1', answer = {}): Promise<[number, unknown]> {
    const connection = newConnection(op.issuer, clientOf(clientId));
    const expected = fresh();
    await pending.party.protocol.begin(connection, { ...expected, prompt: null, loginHint: null });
    pending.begun.set(expected.state, { connection, expected });
    op.tamper.idToken = (header, claims) =>
      op.sign({ ...claims, aud: clientId, sub: `sub-of-${clientId}`, nonce: expected.nonce }, header);
    const query = new URLSearchParams({ code: 'code-1', state: expected.state, ...answer });
    const back = await fetch(`${url}/callback?${query.toString()}`, { headers: { host: 'evil.example.com' } });
    return [back.status, await back.json()];
  }

  it('lets a verified sign-in through, in each application of the process', async () => {
    for (const app of [...apps, ...apps]) {
      expect(await signIn(app)).toEqual([
        200,
        { subject: 'sub-of-client-1', claims: expect.objectContaining({ email: 'ada@example.com' }) },
      ]);
    }
  });

  long('separates sign-ins that arrive at the same time', async () => {
    // Two at a time: each application has an IdP of its own, which holds one nonce.
    for (let round = 0; round < 20; round += 1) {
      const names = apps.map((_app, i) => `client-${round}-${i}`);
      const ends = await Promise.all(apps.map((app, i) => signIn(app, names[i])));
      expect(ends.map(([, body]) => (body as VerifiedSignIn).subject)).toEqual(names.map((name) => `sub-of-${name}`));
    }
  });

  it.each<[string, object, string]>([
    ['an error', { error: 'access_denied' }, 'idp_error'],
    ['another IdP', { iss: 'https://evil.example.com' }, 'issuer_mismatch'],
    ['no code', { code: '' }, 'idp_answer_invalid'],
  ])('refuses a sign-in with %s as the reason', async (_name, answer, reason) => {
    const [app] = apps as [App];
    expect(await signIn(app, 'client-1', answer)).toEqual([401, { reason }]);
    expect((await signIn(app))[0]).toBe(200);
  });

  it('fails on a request without a sign-in, or without a prepared guard', async () => {
    const [app] = apps as [App];
    for (const path of ['callback', 'unprepared']) {
      for (const query of ['', '?code=x&state=y', '?SAMLResponse=x', '?error=access_denied', '?state=__proto__']) {
        const answer = await fetch(`${app.url}/${path}${query}`);
        expect(answer.status).toBe(500);
        expect(await answer.text()).not.toContain('sub-');
      }
    }
    expect((await signIn(app))[0]).toBe(200);
  });

  @Module({
    providers: [
      { provide: Outbound, useFactory: () => new Outbound() },
      { provide: Clock, useValue: clock },
      { provide: Config, useValue: { appUrl: 'https://app.example.com', allowPrivateDestinations: true } },
      AuthAddresses,
      { provide: OidcAddresses, useExisting: AuthAddresses },
      OidcProtocol,
    ],
  })
  class ProtocolModule {}

  it('lets Nest build the protocol from the parts of the service', async () => {
    const context = await NestFactory.createApplicationContext(ProtocolModule, { logger: false });
    const { op } = apps[0]!;
    expect(await context.get(OidcProtocol).check(newConnection(op.issuer))).toMatchObject({ ok: true, keys: 1 });
    await context.get(Outbound).close();
    await context.close();
  });
});

describe('saml strategy', () => {
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

  const callback = { provide: IdpAnswers, useValue: { samlSignIn: () => signIn() } };

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
});
