import { Injectable } from '@nestjs/common';
import { DomainsStore } from '../../../auth/connections/domains/domains.store.js';
import { type HtmlPage, sendPage, TenantFaces } from '../../../auth/sign-in/pages/layout.js';
import { html } from '../../../base/http/html.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { tenantNameProblem } from '../../../tenancy/tenants/tenant.rules.js';
import { TenantStore } from '../../../tenancy/tenants/tenant.store.js';
import type { AtsUserBody } from '../connections/ats-connections.dto.js';
import { AtsAddresses, AtsConnectionStore } from '../connections/ats-connections.store.js';
import type { Connector } from '../connectors/connector.js';
import type { Starter } from './marketplace.service.js';

interface Choosable {
  id: string;
  name: string;
}

function dayOf(moment: Date): string {
  return `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

interface StartAsk {
  title: string;
  tenant: string;
  domains: readonly string[];
  former: { name: string; until: Date } | null;
  /** The link with which the person came; null for a session. */
  link: { created_by: { kind: string; name: string }; created_at: Date } | null;
  person: string | null;
  action: string;
  code: string | null;
  connections: readonly Choosable[];
}

/** The name of a tenant is its own text: the page shows other facts apart from it. */
function evidenceOf({ domains, former, link }: StartAsk) {
  return html`${
    domains.length === 0
      ? html`<p class="alert">
          This tenant has no verified domain: the name is what it calls itself. Continue only if you know who sent you
          here.
        </p>`
      : html`<p>Verified domains of this tenant: <strong>${domains.join(', ')}</strong>.</p>`
  }
  ${
    former === null
      ? null
      : html`<p class="alert">Until ${dayOf(former.until)} this tenant was named <strong>${former.name}</strong>.</p>`
  }
  ${
    link === null
      ? null
      : html`<p class="note">
          The link was made by the ${link.created_by.kind}${quoted(link.created_by.name)} on ${dayOf(link.created_at)}.
        </p>`
  }`;
}

/** Returns a name in quotes; empty for one that looks as if someone had checked it. */
function quoted(name: string): string {
  return tenantNameProblem(name) === null ? ` “${name}”` : '';
}

function startPage(ask: StartAsk): HtmlPage {
  const { title, tenant, person, action, code, connections } = ask;
  const again = connections.map(
    ({ id, name }) =>
      html`<li>
        <button class="choice" name="connection" value="${id}">Connect${quoted(name) || ` ${id}`} again</button>
      </li>`,
  );
  return {
    title: `Connect ${title}`,
    tellsUs: true,
    body: html`<p>
        This connects <strong>${title}</strong> to <strong>${tenant}</strong>. Candidates, openings and scorecards then
        go between the two.
      </p>
      ${evidenceOf(ask)} ${person === null ? null : html`<p class="note">You are signed in as ${person}.</p>`}
      <p>${title} asks you next to approve the access. An administrator of ${title} has to do it.</p>
      <form method="post" action="${action}">
        ${code === null ? null : html`<input type="hidden" name="code" value="${code}" />`}
        <input type="hidden" name="confirmed" value="yes" />
        <button type="submit" name="connection" value="">Continue to ${title}</button>
        ${
          connections.length === 0
            ? null
            : html`<ul class="choices" aria-label="Connections that are there">
                ${again}
              </ul>`
        }
      </form>`,
  };
}

/** Makes the page of a connect link. Its secret is in the fragment; opening the page uses nothing up. */
export function connectLinkPage(title: string, action: string): HtmlPage {
  return {
    title: `Connect ${title}`,
    script: 'fragment',
    tellsUs: true,
    body: html`<p>You were sent a link to connect ${title}. It works once, within three days.</p>
      <form method="post" action="${action}">
        <div>
          <label for="code">Your connect link</label>
          <input id="code" name="code" type="text" required autocomplete="off" spellcheck="false" maxlength="2048" />
        </div>
        <button type="submit">Continue</button>
      </form>
      <p class="note">If you did not expect it, close this page. Nothing is connected yet.</p>`,
  };
}

export function connectedPage(done: {
  title: string;
  tenant: string;
  marker: string;
  missing: readonly string[];
  /** The question of the page, or null. */
  ask: WriterAsk | null;
}): HtmlPage {
  const { title, tenant, marker, missing, ask } = done;
  return {
    title: `${title} is connected`,
    tellsUs: ask !== null,
    body: html`<p class="verdict"><strong>${title}</strong> is connected to <strong>${tenant}</strong>.</p>
      <p>
        Webhooks are being made in ${title}, and the first sync has begun. Records get the ids of ${title} with
        <code>${marker}</code> before them.
      </p>
      ${
        missing.length === 0
          ? null
          : html`<p class="alert" role="alert">
              ${title} did not grant everything that was asked for. Missing: <code>${missing.join(', ')}</code>. What
              needs it does not work until ${title} is connected again with it.
            </p>`
      }
      ${ask === null ? html`<p class="note">You can close this page.</p>` : writerForm(ask)}`,
  };
}

interface WriterAsk {
  title: string;
  action: string;
  state: string;
  /** Empty where the ATS does not show its users: the person types the id. */
  users: readonly AtsUserBody[];
  /** Why the last choice was refused, in words; null for the first one. */
  said: string | null;
}

function writerForm({ title, action, state, users, said }: WriterAsk) {
  const choices = users.map(
    ({ id, name, email }) => html`<option value="${id}">${[name ?? id, email].filter(Boolean).join(', ')}</option>`,
  );
  return html`<h2>Who writes to ${title}?</h2>
    <p>
      Meeting links and scorecards are written as a user of ${title}. None is known yet: until one is chosen, they wait.
    </p>
    ${said === null ? null : html`<p class="alert" role="alert">${said}</p>`}
    <form method="post" action="${action}">
      <input type="hidden" name="state" value="${state}" />
      <label for="as_user">User of ${title}</label>
      ${
        users.length === 0
          ? html`<input id="as_user" name="as_user" type="text" required maxlength="200" placeholder="its id" />`
          : html`<select id="as_user" name="as_user" required>
              <option value="">Choose a user</option>
              ${choices}
            </select>`
      }
      <button type="submit">Write as this user</button>
    </form>
    <p class="note">The user can be chosen later, too: <code>talent-bridge ats set --as-user</code>.</p>`;
}

export function writerPage(ask: WriterAsk): HtmlPage {
  return { title: `${ask.title} is connected`, status: 422, tellsUs: true, body: writerForm(ask) };
}

export function writerSetPage(title: string): HtmlPage {
  return {
    title: `${title} is connected`,
    body: html`<p class="verdict">Meeting links and scorecards are written as the user that you have chosen.</p>
      <p class="note">You can close this page.</p>`,
  };
}

export function notConnectedPage(refusal: { title: string; said: string; again: string; status: number }): HtmlPage {
  const { title, said, again, status } = refusal;
  return {
    title: `${title} is not connected`,
    status,
    body: html`<p class="verdict bad" role="alert">${said}</p>
      <a class="button" href="${again}">Begin again</a>`,
  };
}

@Injectable()
export class StartPages {
  constructor(
    private readonly addresses: AtsAddresses,
    private readonly faces: TenantFaces,
    private readonly domains: DomainsStore,
    private readonly tenants: TenantStore,
    private readonly store: AtsConnectionStore,
  ) {}

  /** Sends the page; `code` is the secret of a connect link, or null. */
  async show(res: BridgeResponse, connector: Connector, starter: Starter, code: string | null): Promise<void> {
    const face = await this.faces.of(starter.tenantId);
    const { provider, title } = connector;
    const { session } = starter;
    const page = startPage({
      title,
      tenant: face?.name ?? '',
      domains: await this.domains.verifiedOf(starter.tenantId),
      former: await this.tenants.formerName(starter.tenantId),
      link: starter.link,
      person: session === null ? null : `${session.first_name} ${session.last_name}`.trim() || (session.email ?? ''),
      action: code === null ? this.addresses.start(provider) : this.addresses.connectLink(provider),
      code,
      connections: await this.choosable(starter.tenantId, provider),
    });
    sendPage(res, page, face);
  }

  /** The connections that can get a new grant: those made by OAuth, and disconnected ones. */
  async choosable(tenantId: string, provider: string): Promise<Choosable[]> {
    const all = await this.store.of(tenantId);
    return all
      .filter((one) => one.provider === provider && (one.credential?.kind === 'oauth' || one.state === 'disconnected'))
      .map(({ id, name }) => ({ id, name }));
  }
}
