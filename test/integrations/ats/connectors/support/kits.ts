import { ashby } from '../../../../../src/integrations/ats/connectors/ashby/ashby.connector.js';
import type { Connector } from '../../../../../src/integrations/ats/connectors/connector.js';
import type { Credential } from '../../../../../src/integrations/ats/api/ats-api.js';
import { greenhouse } from '../../../../../src/integrations/ats/connectors/greenhouse/greenhouse.connector.js';
import { lever } from '../../../../../src/integrations/ats/connectors/lever/lever.connector.js';
import { zohoRecruit } from '../../../../../src/integrations/ats/connectors/zoho-recruit/zoho-recruit.connector.js';
import type { Message, Target } from '../../../../simulators/core/sender.js';
import {
  startAshby,
  startGreenhouse,
  startLever,
  startZohoRecruit,
  type Simulator,
  type SimOptions,
} from '../../../../simulators/index.js';

/** A candidate for every vendor. */
export interface KitCandidate {
  first: string;
  last: string;
  email: string | null;
  job: string | null;
}

/** What the contract of connectors needs of a vendor's simulator. */
export interface Kit {
  connector: Connector;
  sim: Simulator;
  credential: Credential;
  /** A user as whom is written; null: the vendor needs none. */
  user: string;
  /** The name of a custom field; null: the vendor has none. */
  field: string | null;
  /** A part of the address of candidates' lists. */
  candidatesPath: string;
  /** A part of the address of notes, to read and to make them. */
  notesPath: string;
  /** A list that is answered with 204 is empty; else that answer is none that the vendor documents. */
  emptyIsNoContent: boolean;
  job(title: string): string;
  candidate(given: KitCandidate): string;
  rename(id: string, first: string, last: string): void;
  remove(id: string): void;
  /** The vendor's ping; null: it has none. */
  ping(): Message | null;
  /** An event about a candidate. */
  event(id: string): Message;
  notes(id: string): { value: string }[];
}

const OPTIONS: SimOptions = { rateFactor: 10_000 };

async function leverKit(): Promise<Kit> {
  const sim = await startLever(OPTIONS);
  return {
    connector: lever,
    sim,
    credential: { kind: 'api_key', key: sim.apiKey },
    user: '32bc4d3b-0000-4e2b-92d0-00000000d4a1',
    field: null,
    candidatesPath: '/opportunities',
    notesPath: '/notes',
    emptyIsNoContent: false,
    job: (text) => sim.add.posting({ text }).id,
    candidate: ({ first, last, email, job }) =>
      sim.add.opportunity({
        name: `${first} ${last}`.trim(),
        emails: email === null ? [] : [email],
        posting: job,
        silent: true,
      }).id,
    rename: (id, first, last) => void sim.change(id, { name: `${first} ${last}` }, { silent: true }),
    remove: (id) => sim.remove(id, { silent: true }),
    ping: () => sim.message('candidateHired', {}),
    event: (id) => sim.message('candidateStageChange', { opportunityId: id }),
    notes: (id) => sim.notesOf(id),
  };
}

async function greenhouseKit(): Promise<Kit> {
  const sim = await startGreenhouse(OPTIONS);
  const { scopes } = greenhouse.oauth!;
  const { accessToken, refreshToken, expiresAt } = sim.grants.mint(scopes.join(' '));
  return {
    connector: greenhouse,
    sim,
    credential: { kind: 'oauth', accessToken, refreshToken, expiresAt, refreshedAt: new Date().toISOString() },
    user: '158104',
    field: 'ai_interview_link',
    candidatesPath: '/candidates',
    notesPath: '/notes',
    emptyIsNoContent: false,
    job: (name) => String(sim.add.job({ name, silent: true }).id),
    candidate: ({ first, last, email, job }) =>
      String(
        sim.add.candidate({
          first_name: first,
          last_name: last,
          emails: email === null ? [] : [email],
          job: job === null ? null : Number(job),
          silent: true,
        }).id,
      ),
    rename: (id, first_name, last_name) => void sim.change(Number(id), { first_name, last_name }, { silent: true }),
    remove: (id) => sim.remove(Number(id), { silent: true }),
    ping: () => sim.message('ping', { web_hook_id: 1 }, null),
    event: (id) => sim.message('delete_candidate', { person: { id: Number(id) } }),
    notes: (id) => sim.notesOf(id),
  };
}

async function ashbyKit(): Promise<Kit> {
  const sim = await startAshby(OPTIONS);
  return {
    connector: ashby,
    sim,
    credential: { kind: 'api_key', key: sim.apiKey },
    user: '1a2b3c4d-0000-4000-8000-0000000000a1',
    field: 'AI interview link',
    candidatesPath: '/application.list',
    notesPath: 'Note',
    emptyIsNoContent: false,
    job: (title) => sim.add.job({ title, silent: true }).id,
    candidate: ({ first, last, email, job }) =>
      sim.add.candidate({ name: `${first} ${last}`.trim(), email, job, silent: true }).id,
    rename: (id, first, last) => void sim.change(id, { name: `${first} ${last}` }),
    remove: (id) => sim.remove(id, { silent: true }),
    ping: () => sim.message('ping', { webhookActionType: 'ping' }, null),
    event: (id) => sim.message('candidateDelete', { candidate: { id } }),
    notes: (id) => sim.notesOf(id),
  };
}

/** Times of Zoho have seconds: records are made a minute ago, so that a change of this second is a later one. */
const EARLIER_MS = 60_000;

async function zohoRecruitKit(): Promise<Kit> {
  const sim = await startZohoRecruit(OPTIONS);
  const { accessToken, refreshToken, expiresAt } = sim.grants.mint(zohoRecruit.oauth!.scopes.join(' '));
  const earlier = <R>(act: () => R): R => {
    sim.skew(-EARLIER_MS);
    const made = act();
    sim.skew(0);
    return made;
  };
  return {
    connector: zohoRecruit,
    sim,
    credential: { kind: 'oauth', accessToken, refreshToken, expiresAt, refreshedAt: new Date().toISOString() },
    user: '480912000000185001',
    field: 'AI_Interview_Link',
    candidatesPath: '/Applications',
    notesPath: '/Notes',
    emptyIsNoContent: true,
    job: (title) => earlier(() => sim.add.job({ Posting_Title: title, silent: true }).id),
    candidate: ({ first, last, email, job }) =>
      earlier(
        () =>
          sim.add.candidate({
            // The one name of a person is the last name: Zoho demands it.
            first: last === '' ? null : first,
            last: last === '' ? first : last,
            email,
            job,
            silent: true,
          }).id,
      ),
    rename: (id, first, last) =>
      void sim.change('Candidates', id, { First_Name: first, Last_Name: last }, { silent: true }),
    remove: (id) => sim.remove('Candidates', id, { silent: true }),
    ping: () => null,
    event: (id) => sim.message('Candidates', 'update', [id]),
    notes: (id) => sim.notesOf(id),
  };
}

/** A kit for each provider. A connector without one fails the contract. */
export const KITS: Readonly<Record<string, () => Promise<Kit>>> = {
  lever: leverKit,
  greenhouse: greenhouseKit,
  ashby: ashbyKit,
  zoho_recruit: zohoRecruitKit,
};

/** Returns a target with a secret. */
export function targetWith(secret: string | null): Target {
  return { id: 't', url: 'http://127.0.0.1/', event: null, secret, headers: {} };
}
