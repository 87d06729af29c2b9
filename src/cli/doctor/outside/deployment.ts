import { once } from 'node:events';
import { connect } from 'node:tls';
import { CREDENTIAL_PROBE, unencrypted } from '../checks/access.js';
import { jsonOf, valueAt, finding, type DoctorFinding, inJson } from '../forms/finding.js';
import { skipped, type Check, type Checked } from '../peer/check.js';
import type { PlainAnswer, ScimService } from '../peer/scim-service.js';

const PATIENCE_MS = 15_000;
const DAY_MS = 24 * 60 * 60_000;
/** Automatic renewal has failed below that: authorities renew a month before the end. */
const LEAST_DAYS = 14;

interface ShownCertificate {
  findings: DoctorFinding[];
  note: string;
}

/** Looks at the certificate of an https address: its authority, its name, its end. */
export async function certificateOf({ hostname, port, host }: URL, now: number): Promise<ShownCertificate> {
  const servername = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({
    host: servername,
    port: Number(port || 443),
    servername: /^[\d.:]+$/.test(servername) ? '' : servername,
    rejectUnauthorized: false,
  });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(PATIENCE_MS) });
    const { valid_to: end, issuer } = socket.getPeerCertificate();
    const days = Math.floor((Date.parse(end) - now) / DAY_MS);
    const found: DoctorFinding[] = [];
    if (!socket.authorized) {
      const reason = String(socket.authorizationError);
      found.push(
        finding(
          'certificate_untrusted',
          'certificate',
          `The certificate of ${host} is not trusted (${reason}); its issuer is ${[issuer.O ?? issuer.CN].flat().join(', ')}.`,
        ),
      );
    }
    if (days < LEAST_DAYS)
      found.push(
        finding('certificate_expires', 'valid_to', `The certificate of ${host} ends on ${end}, in ${days} days.`),
      );
    return { findings: found, note: `until ${end}` };
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return {
      findings: [finding('no_answer', 'certificate', `${host} makes no TLS connection (${code ?? name}).`)],
      note: '',
    };
  } finally {
    socket.destroy();
  }
}

/** Assertions and tokens admit this difference. */
const MOST_CLOCK_MS = 60_000;
/** A slug that no connection has: it is longer than slugs are. */
const NO_SLUG = `doctor-${'x'.repeat(60)}`;
const METADATA = '/.well-known/oauth-authorization-server';

/**
 * Returns the checks of `doctor --service`: settings of a deployment of talent-bridge that are seen from outside.
 *
 * @param base the address that IdPs and users have
 */
export function deploymentChecks(base: URL): Check[] {
  const at = (service: ScimService, path: string) =>
    service.call({ method: 'GET', url: `${base.origin}${path}`, headers: { accept: 'application/json' } });
  return [
    { name: 'https', run: async () => ({ findings: unencrypted(base), note: base.protocol.replace(':', '') }) },
    {
      name: 'certificate',
      run: async () => (base.protocol === 'https:' ? certificateOf(base, Date.now()) : skipped('no https')),
    },
    { name: 'ready', run: async (service) => ready(await at(service, '/readyz')) },
    { name: 'clock', run: async (service) => clock(await at(service, '/healthz')) },
    { name: 'base_url', run: async (service) => baseUrl(base, (path) => at(service, path)) },
    { name: 'callback_addresses', run: async (service) => callbacks(base, (path) => at(service, path)) },
    { name: 'rate_limits', run: rateLimits },
  ];
}

function ready({ status, text }: PlainAnswer): Checked {
  if (status === 200) return { findings: [] };
  const reason = valueAt(jsonOf(text), 'reason');
  return {
    findings: [finding('not_ready', 'reason', `/readyz is answered ${status}, with the reason ${inJson(reason)}.`)],
  };
}

function clock({ headers }: PlainAnswer): Checked {
  const difference = Date.parse(headers['date'] ?? '') - Date.now();
  if (Number.isNaN(difference))
    return { findings: [finding('clock_off', 'Date', 'The answer of /healthz has no Date.')] };
  const seconds = Math.round(difference / 1_000);
  const note = `${seconds} s from the clock here`;
  if (Math.abs(difference) <= MOST_CLOCK_MS) return { findings: [], note };
  return { findings: [finding('clock_off', 'Date', `The clock of the service is ${note}.`)], note };
}

type Ask = (path: string) => Promise<PlainAnswer>;

/** Documents name addresses of the service: IdPs and clients follow them. */
async function baseUrl({ origin }: URL, ask: Ask): Promise<Checked> {
  const found: DoctorFinding[] = [];
  const compare = (path: string, field: string, named: unknown, expected: string) => {
    if (named !== expected)
      found.push(
        finding(
          'base_url_differs',
          field,
          `${origin}${path} has ${inJson(named)} as ${field}; expected: ${inJson(expected)}.`,
        ),
      );
  };
  const path = '/scim/v2/ServiceProviderConfig';
  compare(path, 'meta.location', valueAt(jsonOf((await ask(path)).text), 'meta.location'), `${origin}${path}`);
  const metadata = await ask(METADATA);
  if (metadata.status === 200) {
    const document = jsonOf(metadata.text);
    compare(METADATA, 'issuer', valueAt(document, 'issuer'), origin);
    compare(METADATA, 'token_endpoint', valueAt(document, 'token_endpoint'), `${origin}/oauth/token`);
  }
  return { findings: found, note: origin };
}

/** The callback of an unknown connection is a problem of the service; anything else comes from a proxy before it. */
async function callbacks({ origin }: URL, ask: Ask): Promise<Checked> {
  const found: DoctorFinding[] = [];
  for (const path of ['callback', 'metadata']) {
    const place = `/api/auth/${path}/${NO_SLUG}`;
    const { status, text } = await ask(place);
    if (status === 404 && valueAt(jsonOf(text), 'code') === 'not_found') continue;
    found.push(
      finding('callback_lost', `/api/auth/${path}`, `${origin}${place} is answered ${status}, not by the service.`),
    );
  }
  return { findings: found, note: `${origin}/api/auth/callback/<slug>` };
}

async function rateLimits(service: ScimService): Promise<Checked> {
  if (service.bearer === '') return skipped('answers to a credential show them: give the SCIM address, too');
  const { headers } = await service.get(CREDENTIAL_PROBE);
  const limit = headers['ratelimit-limit'];
  if (limit !== undefined) return { findings: [], note: `bursts of ${limit}` };
  return {
    findings: [finding('rate_limit_missing', 'RateLimit-Limit', 'Answers have no RateLimit headers: no limit is set.')],
  };
}
