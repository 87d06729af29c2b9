import { once } from 'node:events';
import { connect } from 'node:tls';
import { finding, type DoctorFinding } from '../forms/finding.js';

const PATIENCE_MS = 15_000;
const DAY_MS = 24 * 60 * 60_000;
/** Automatic renewal has failed below that: authorities renew a month before the end. */
const LEAST_DAYS = 14;

/** What the certificate of an address is. */
export interface ShownCertificate {
  findings: DoctorFinding[];
  /** The end of its life. */
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
