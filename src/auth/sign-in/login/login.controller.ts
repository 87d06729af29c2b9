import { applyDecorators, Controller, Get, Post, Query, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiProperty, ApiOperation, ApiTags } from '@nestjs/swagger';
import { InvalidFields, NotFound } from '../../../base/errors/domain-error.js';
import { ApiFilter, ApiHtml, ApiRedirect, ApiRefusals } from '../../../base/http/api-answers.js';
import { readForm } from '../../../base/http/form.js';
import { queryText, type Query as QueryMap } from '../../../base/http/query.js';
import { type BridgeResponse, rawQuery } from '../../../base/http/request.js';
import { urlOf } from '../../../base/url.js';
import { AuthAddresses } from '../../connections/addresses.js';
import type { Connection } from '../../connections/connection.js';
import { domainOf } from '../../connections/domains/domain.rules.js';
import { DomainsStore } from '../../connections/domains/domains.store.js';
import { ConnectionStore } from '../../connections/store.js';
import { DocumentsGuard } from '../browser-sessions/session.guard.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { sendPage, type TenantFace, TenantFaces } from '../pages/layout.js';
import { handoverPage, choicePage, emailPage } from '../pages/pages.js';
import { RefusalPages, RefusedSignIns } from '../refusal-pages/refusals.filter.js';
import {
  type NextStep,
  START_FIELDS,
  startAsk,
  startQuery,
  SignInStart,
  type StartAsk,
} from '../requests/sign-in-start.js';
import { cookiesOf, type SignInHttpRequest } from '../requests/sign-in.context.js';

function DescribedLogin(): MethodDecorator {
  return applyDecorators(
    ApiFilter('email'),
    ApiFilter('connection', 'The slug of a connection.'),
    ApiFilter('iss', 'The issuer of an OIDC connection (OIDC Core §4); with `connection`, it has to be its own.'),
    ApiFilter('target_link_uri', 'The `return_to` of an IdP that begins a sign-in.'),
    ApiFilter('return_to'),
    ApiFilter('prompt', undefined, { enum: ['select_account', 'login'] }),
    ApiFilter('login_hint'),
    ApiFilter(
      'code_challenge',
      'RFC 7636, S256, of the application that gets the code; required where `return_to` is of another origin.',
    ),
    ApiFilter('code_challenge_method', undefined, { enum: ['S256'] }),
    ApiHtml(200, 'A page that asks for the e-mail or offers a choice, or a form to the IdP that sends itself.'),
    ApiRedirect(302, 'To the IdP.'),
    RefusalPages(['too_many_tries', 'connection_disabled', 'idp_unreachable', 'idp_answer_invalid', 'issuer_mismatch']),
    ApiRefusals({ 403: ['cross_site_request'], 404: ['not_found'] }),
  );
}

/** The form of a page of ours, or of an IdP that begins a sign-in (OIDC Core §4). */
class InitiatedLogin {
  @ApiProperty({ required: false, description: 'The e-mail that a user has typed; only from a page of this service.' })
  email?: string;
  @ApiProperty({ required: false, description: 'The slug of the connection that the user has chosen.' })
  connection?: string;
  @ApiProperty({ required: false, description: 'The issuer of an IdP that begins.' })
  iss?: string;
  @ApiProperty({ required: false })
  login_hint?: string;
  @ApiProperty({ required: false, description: 'Where the user wants to go.' })
  target_link_uri?: string;
}

function DescribedInitiatedLogin(): MethodDecorator {
  return applyDecorators(
    ApiConsumes('application/x-www-form-urlencoded'),
    ApiBody({ type: InitiatedLogin }),
    ApiHtml(200, 'A page that offers a choice of sign-ins, or a form to the IdP that sends itself.'),
    ApiRedirect(303, 'To the IdP; for a form of another site, to the same address with its fields in the query.'),
    RefusalPages(['too_many_tries', 'connection_disabled', 'idp_unreachable', 'idp_answer_invalid', 'issuer_mismatch']),
    ApiRefusals({ 403: ['cross_site_request'], 404: ['not_found'] }),
  );
}

/** Sends the browser to the IdP. The status is 303 after a form, so that no browser repeats the form (RFC 9700 §4.12). */
export function follow(
  res: BridgeResponse,
  { step, cookies }: NextStep,
  status: 302 | 303 = 302,
  face: TenantFace | null = null,
): void {
  res.setHeader('Set-Cookie', cookies);
  if (step.kind === 'redirect') res.redirect(status, step.url);
  else sendPage(res, handoverPage(step), face);
}

/** Three addresses of up to 2 048 octets, percent-encoded. */
const FORM_BYTES = 20_000;
const FORM_FIELDS = ['connection', 'email', 'iss', ...START_FIELDS] as const;
/** Marks a request that was redirected to our configured address. */
const HERE = 'here=1';
const UNKNOWN = 'There is no sign-in for this e-mail address. Check the spelling. If it is right, ask your IT team.';

@Controller('api/auth')
@ApiTags('sign-in')
@UseGuards(DocumentsGuard)
@UseFilters(RefusedSignIns)
export class LoginController {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly domains: DomainsStore,
    private readonly start: SignInStart,
    private readonly limits: SignInLimits,
    private readonly addresses: AuthAddresses,
    private readonly faces: TenantFaces,
  ) {}

  @Get('login')
  @ApiOperation({
    summary: 'Begins a sign-in in a browser; without e-mail and connection, asks for the e-mail',
    description:
      'The connection follows from the e-mail’s domain or the issuer, or is named. Afterwards the browser goes to `return_to`: a path of this site, or an address of an origin that the connection allows, which gets a one-time `code` for `POST /api/auth/token` and has to send a `code_challenge`. An IdP that begins the sign-in (OIDC Core §4) sends `iss` and `target_link_uri`.',
  })
  @DescribedLogin()
  async login(@Query() query: QueryMap, @Req() req: SignInHttpRequest, @Res() res: BridgeResponse): Promise<void> {
    if (isElsewhere(req, this.addresses.origin)) {
      return res.redirect(302, `${this.addresses.login}?${[rawQuery(req), HERE].filter(Boolean).join('&')}`);
    }
    await this.begin(query, req, res, 302);
  }

  @Post('login')
  @ApiOperation({
    summary: 'The same by a form, of our own page or of an IdP that begins a sign-in (OIDC Core §4)',
    description:
      'The e-mail that a user types comes by a form, so that no address contains it. A form of another site comes without our cookies; the browser is sent on to the same by GET.',
  })
  @DescribedInitiatedLogin()
  async initiated(@Req() req: SignInHttpRequest, @Res() res: BridgeResponse): Promise<void> {
    const form = await readForm(req, FORM_BYTES, FORM_FIELDS);
    // A form without an e-mail comes from our own page, too: a login that a third party begins names its issuer.
    if (!form.has('iss') && isOwnForm(req, this.addresses.origin)) {
      return this.begin(Object.fromEntries(form), req, res, 303);
    }
    const query = new URLSearchParams(rawQuery(req));
    for (const [name, value] of form) query.append(name, value);
    res.redirect(303, `${this.addresses.login}?${query.toString()}`);
  }

  private async begin(query: QueryMap, req: SignInHttpRequest, res: BridgeResponse, status: 302 | 303): Promise<void> {
    const asked = startAsk(query);
    const slug = queryText(query, 'connection');
    const issuer = queryText(query, 'iss');
    const email = queryText(query, 'email')?.trim() ?? '';
    if (slug !== undefined && slug !== '') {
      const connection = await this.connections.bySlug(slug);
      await this.limits.start(req.ip ?? '', connection?.tenantId ?? '');
      if (connection === null) throw new NotFound('connection');
      if (issuer !== undefined) demandIssuer(connection, issuer);
      const ask = { ...asked, loginHint: asked.loginHint ?? (email || null) };
      return this.go(connection, ask, req, res, status);
    }
    if (email === '') {
      await this.limits.start(req.ip ?? '', '');
      return this.byIssuer(issuer, asked, req, res);
    }
    const found = await this.byEmail(email);
    await this.limits.start(req.ip ?? '', found[0]?.tenantId ?? '');
    // One text for every domain: whether an account exists is not revealed here.
    if (found.length === 0) return this.askForEmail(res, email, asked, UNKNOWN);
    if (found.length === 1) {
      const ask = { ...asked, loginHint: asked.loginHint ?? email };
      return this.go(found[0]!, ask, req, res, status);
    }
    const connections = found.map(({ name, slug: value }) => ({ label: name, value }));
    const choice = { action: this.addresses.login, fields: { email, ...startQuery(asked) }, connections };
    sendPage(res, choicePage(choice), await this.faces.of(found[0]!.tenantId));
  }

  private async go(
    connection: Connection,
    ask: StartAsk,
    req: SignInHttpRequest,
    res: BridgeResponse,
    status: 302 | 303,
  ): Promise<void> {
    req.tenantId = connection.tenantId;
    req.signInContext = { connection, request: null, browser: null };
    const next = await this.start.begin(connection, ask, cookiesOf(req));
    // A redirect shows no face.
    const face = next.step.kind === 'form' ? await this.faces.of(connection.tenantId) : null;
    follow(res, next, status, face);
  }

  /** The issuer names the connection when only one has the issuer; else the user is asked. */
  private async byIssuer(
    issuer: string | undefined,
    ask: StartAsk,
    req: SignInHttpRequest,
    res: BridgeResponse,
  ): Promise<void> {
    if (issuer === undefined || issuer === '') return this.askForEmail(res, '', ask, null);
    const found = await this.connections.byIssuer(issuer);
    if (found.length === 0) throw new NotFound('connection');
    if (found.length === 1) return this.go(found[0]!, ask, req, res, 302);
    this.askForEmail(res, ask.loginHint ?? '', ask, null);
  }

  private async byEmail(email: string): Promise<Connection[]> {
    const domain = domainOf(email);
    const owner = domain === null ? null : await this.domains.owner(domain);
    if (owner === null) return [];
    const enabled = await this.connections.ofTenant(owner.tenantId);
    return owner.connectionId === null ? enabled : enabled.filter((one) => one.id === owner.connectionId);
  }

  private askForEmail(res: BridgeResponse, email: string, ask: StartAsk, problem: string | null): void {
    sendPage(res, emailPage({ action: this.addresses.login, email, fields: startQuery(ask), problem }));
  }
}

/**
 * Whether the login was opened under another address than the configured one (`127.0.0.1`, a former name). The cookies would
 * stay there, while the IdP sends the browser to the configured one. Checked once per sign-in: a proxy may change the host of
 * each request.
 */
function isElsewhere(req: SignInHttpRequest, origin: string): boolean {
  const { host, 'sec-fetch-dest': destination } = req.headers;
  if (destination !== 'document' || host === undefined || rawQuery(req).split('&').includes(HERE)) return false;
  return host.toLowerCase() !== new URL(origin).host;
}

/** By `Sec-Fetch-Site` or, in older browsers, `Origin`. */
function isOwnForm(req: SignInHttpRequest, origin: string): boolean {
  const site = req.headers['sec-fetch-site'];
  return site === undefined ? req.headers.origin === origin : site === 'same-origin';
}

/**
 * Demands that a named issuer is that of the connection, so that a link cannot lead to another IdP. A tile of Okta names the
 * organization, whichever authorization server the connection uses: the same host is enough.
 */
function demandIssuer(connection: Connection, issuer: string): void {
  const own = connection.type === 'oidc' ? connection.issuer : connection.idpEntityId;
  const [named, ours] = [urlOf(issuer), urlOf(own)];
  const atHome = named !== null && named.origin === ours?.origin;
  if (issuer !== own && !(atHome && connection.type === 'oidc'))
    throw new InvalidFields([{ field: 'iss', message: 'is not the issuer of this connection' }]);
}
