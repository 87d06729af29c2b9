import { randomBytes } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import type { TestApp } from '../app.js';
import { client } from '../http.js';
import type { House } from '../house.js';
import { hostileOp, type HostileOp } from '../../protocols/oidc/support/op.js';
import { samlIdp, type AnswerParts, type AnswerShape, type SamlIdp } from '../../protocols/saml/support/idp.js';
import { Tab, type Seen } from './tab.js';

/** The reason in the tenant's log that a refusal's page leads to. */
export async function reasonOf(house: House, page: Seen): Promise<string> {
  const id = /sin_[0-9a-z]+/.exec(page.text)?.[0];
  if (id === undefined) throw new Error(`no support id (${page.status}): ${page.text.slice(0, 400)}`);
  const { body } = await house.api.get(`/sign-ins?support_id=${id}`);
  if (body.data.length !== 1) throw new Error(`${body.data.length} lines for ${id}`);
  return body.data[0].reason as string;
}

/** The user whom a sign-in lets in; the reason where it is refused, and no session begins. */
export async function outcomeAt<Said>(
  house: House,
  door: { tab(): Tab; signIn(tab: Tab, said: Said): Promise<Seen> },
  said: Said,
  tab = door.tab(),
): Promise<string> {
  const seen = await door.signIn(tab, said);
  const person = await tab.who();
  if (seen.status === 303) return person!.user.id;
  if (person !== null) throw new Error(`refused, and yet signed in: ${person.user.id}`);
  return reasonOf(house, seen);
}

/** Gives a tenant a domain that needs no proof, as the operator can. */
export async function trustDomain(
  service: TestApp,
  tenantId: string,
  domain: string,
  body: object = {},
): Promise<void> {
  const operator = client(`${service.url}/api/v1`, service.operatorToken);
  const answer = await operator.put(`/tenants/${tenantId}/domains/${domain}`, body);
  if (answer.status >= 300) throw new Error(`domain: ${answer.status} ${answer.text}`);
}

async function made(house: House, body: object): Promise<{ id: string; slug: string }> {
  const answer = await house.api.post('/connections', body);
  if (answer.status !== 201) throw new Error(`connection: ${answer.status} ${answer.text}`);
  return answer.body as { id: string; slug: string };
}

/** A connection to an OpenID provider whose answers a test sets. */
export class OidcWay {
  private constructor(
    readonly op: HostileOp,
    readonly id: string,
    readonly slug: string,
    private readonly service: TestApp,
  ) {}

  static async open(service: TestApp, house: House, more: object = {}, op?: HostileOp): Promise<OidcWay> {
    const idp = op ?? (await hostileOp(() => new Date()));
    const body = {
      type: 'oidc',
      name: 'OP',
      issuer: idp.issuer,
      client_id: 'client-1',
      client_secret: 'secret-1',
      user_info: 'never',
      ...more,
    };
    const { id, slug } = await made(house, body);
    return new OidcWay(idp, id, slug, service);
  }

  tab(): Tab {
    return new Tab(this.service);
  }

  /** Begins; answers what the IdP was asked. */
  async begin(tab: Tab, more: Record<string, string> = {}): Promise<URLSearchParams> {
    const query = new URLSearchParams({ connection: this.slug, ...more });
    const seen = await tab.get(`/api/auth/login?${query.toString()}`);
    if (seen.status !== 302) throw new Error(`login: ${seen.status} ${seen.text}`);
    return new URL(seen.location!).searchParams;
  }

  /** Answers as the IdP would, with these claims. */
  async answer(
    tab: Tab,
    asked: URLSearchParams,
    claims: Record<string, unknown> = {},
    more: Record<string, string> = {},
  ): Promise<Seen> {
    this.op.nonce = asked.get('nonce')!;
    Object.assign(this.op.tamper.claims, claims);
    try {
      const query = new URLSearchParams({ code: randomBytes(6).toString('hex'), state: asked.get('state')!, ...more });
      return await tab.get(`/api/auth/callback/${this.slug}?${query.toString()}`);
    } finally {
      for (const name of Object.keys(claims)) delete this.op.tamper.claims[name];
    }
  }

  /** A test sign-in, as an admin makes one; answers the page with its result. */
  async test(house: House, claims: Record<string, unknown> = {}): Promise<Seen> {
    const { body } = await house.api.post(`/connections/${this.id}/test-sign-in`);
    const tab = this.tab();
    const begun = await tab.post(body.url as string);
    if (begun.status !== 303) throw new Error(`test: ${begun.status} ${begun.text}`);
    return this.answer(tab, new URL(begun.location!).searchParams, claims);
  }

  /** The whole way. */
  async signIn(tab: Tab, claims: Record<string, unknown> = {}, more: Record<string, string> = {}): Promise<Seen> {
    return this.answer(tab, await this.begin(tab, more), claims);
  }
}

/** A connection to a SAML IdP whose answers a test sets. */
export class SamlWay {
  private constructor(
    readonly idp: SamlIdp,
    readonly id: string,
    readonly slug: string,
    private readonly service: TestApp,
  ) {}

  static async open(service: TestApp, house: House, more: object = {}, idp?: SamlIdp): Promise<SamlWay> {
    const one = idp ?? (await samlIdp(`https://idp-${randomBytes(4).toString('hex')}.example.com/saml`));
    const body = {
      type: 'saml',
      name: 'SAML IdP',
      idp_entity_id: one.entityId,
      sso_url: 'https://idp.example.com/sso',
      slo_url: 'https://idp.example.com/slo',
      certificates: [one.key.certificate],
      ...more,
    };
    const { id, slug } = await made(house, body);
    return new SamlWay(one, id, slug, service);
  }

  tab(): Tab {
    return new Tab(this.service);
  }

  /** Begins; answers the request's id and the relay state. */
  async begin(tab: Tab, more: Record<string, string> = {}): Promise<{ id: string; relayState: string; xml: string }> {
    const query = new URLSearchParams({ connection: this.slug, ...more });
    const seen = await tab.get(`/api/auth/login?${query.toString()}`);
    if (seen.status !== 302) throw new Error(`login: ${seen.status} ${seen.text}`);
    const asked = new URL(seen.location!).searchParams;
    const xml = inflateRawSync(Buffer.from(asked.get('SAMLRequest')!, 'base64')).toString('utf8');
    return { id: /\bID="([^"]+)"/.exec(xml)![1]!, relayState: asked.get('RelayState')!, xml };
  }

  /** What an honest answer for this connection says, unless told otherwise. */
  parts(inResponseTo: string | null, more: AnswerParts = {}): AnswerParts {
    const base = this.service.app.config.appUrl;
    const acs = `${base}/api/auth/callback/${this.slug}`;
    return {
      audience: `${base}/api/auth/metadata/${this.slug}`,
      recipient: acs,
      destination: acs,
      inResponseTo,
      assertionId: `_a${randomBytes(8).toString('hex')}`,
      responseId: `_r${randomBytes(8).toString('hex')}`,
      ...more,
    };
  }

  /** What the ACS says to a form, and nothing after it. */
  postOnly(tab: Tab, form: Map<string, string>): Promise<Seen> {
    return tab.post(`/api/auth/callback/${this.slug}`, form);
  }

  /** The same as a browser sees it, which follows the redirect to a page of ours. */
  async post(tab: Tab, form: Map<string, string>): Promise<Seen> {
    const seen = await this.postOnly(tab, form);
    return seen.location?.includes('/api/auth/landing/') ? tab.get(seen.location) : seen;
  }

  /** The whole way. */
  async signIn(
    tab: Tab,
    parts: AnswerParts = {},
    shape: AnswerShape = {},
    more: Record<string, string> = {},
  ): Promise<Seen> {
    const { id, relayState } = await this.begin(tab, more);
    const form = this.idp.form(this.parts(id, parts), shape);
    form.set('RelayState', relayState);
    return this.post(tab, form);
  }
}
