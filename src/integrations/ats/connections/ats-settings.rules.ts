import type { FieldError } from '../../../base/errors/domain-error.js';
import type { Connector } from '../connectors/connector.js';
import type { CredentialFields, TakesFields, WritesFields } from './ats-connections.dto.js';
import type { Takes, Writes } from './connection.js';
import type { Credential } from '../api/ats-api.js';

const TAKES: Takes = { postings: 'open', candidates: 'active', stages: null, since: null, backfill_events: false };

export function takesOf(sent: TakesFields | undefined, before: Takes = TAKES): Takes {
  const { postings, candidates, stages, since, backfill_events } = sent ?? {};
  return {
    postings: postings ?? before.postings,
    candidates: candidates ?? before.candidates,
    stages: stages === undefined ? before.stages : stages,
    since: since === undefined ? before.since : (since?.toISOString() ?? null),
    backfill_events: backfill_events ?? before.backfill_events,
  };
}

/** Returns the default writes: links as links where the ATS has them, scorecards as private notes. */
export function usualWrites({ writes: { targets } }: Connector): Writes {
  return {
    as_user: null,
    visibility: 'private',
    link_target: (['link', 'note'] as const).find((one) => targets.includes(one)) ?? null,
    scorecard_target: targets.includes('note') ? 'note' : null,
    link_field: null,
    scorecard_field: null,
  };
}

export function writesOf(sent: WritesFields | undefined, before: Writes): Writes {
  return { ...before, ...Object.fromEntries(Object.entries(sent ?? {}).filter(([, value]) => value !== undefined)) };
}

export function writesProblems({ title, writes: { targets } }: Connector, writes: Writes): FieldError[] {
  const problems: FieldError[] = [];
  for (const [name, field] of [
    ['link_target', 'link_field'],
    ['scorecard_target', 'scorecard_field'],
  ] as const) {
    const target = writes[name];
    if (target !== null && !targets.includes(target)) {
      const known = targets.filter((one) => name === 'link_target' || one !== 'link').join(', ');
      problems.push({ field: `writes.${name}`, message: `cannot be ${target}: ${title} takes ${known}` });
    } else if (target === 'field' && writes[field] === null) {
      problems.push({ field: `writes.${field}`, message: 'is required for the target field' });
    }
  }
  return problems;
}

/** Returns whether writes wait for a user of the ATS: the vendor needs one, and none is set or known. */
export function lacksWriter({ writes: { needsUser } }: Connector, writes: Writes, approvedBy: string | null): boolean {
  const isWritten = writes.link_target !== null || writes.scorecard_target !== null;
  return needsUser && isWritten && writes.as_user === null && approvedBy === null;
}

export function credentialOf(connector: Connector, sent: CredentialFields): Credential | FieldError[] {
  const { kind, key, client_id: clientId, client_secret: clientSecret, sub } = sent;
  const field = (name: string) => `credential.${name}`;
  if (!connector.credentials.includes(kind)) {
    const known = connector.credentials.join(', ');
    return [{ field: field('kind'), message: `cannot be ${kind}: ${connector.title} connects by ${known}` }];
  }
  const required = (names: readonly string[], values: readonly (string | undefined)[]) =>
    names.filter((_, i) => values[i] === undefined).map((name) => ({ field: field(name), message: 'is required' }));
  if (kind === 'api_key') {
    return key === undefined ? required(['key'], [key]) : { kind, key };
  }
  if (clientId === undefined || clientSecret === undefined) {
    return required(['client_id', 'client_secret'], [clientId, clientSecret]);
  }
  return { kind, clientId, clientSecret, sub: sub ?? null, accessToken: null, expiresAt: null };
}

export function freeMarker(usual: string, taken: ReadonlySet<string>): string {
  if (!taken.has(usual)) return usual;
  const stem = usual.slice(0, -1);
  let n = 2;
  while (taken.has(`${stem}${n}_`)) n++;
  return `${stem}${n}_`;
}
