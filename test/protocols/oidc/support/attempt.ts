import { randomBytes } from 'node:crypto';
import { OidcRefused } from '../../../../src/protocols/oidc/oidc-refused.js';
import type { OidcSettings, OidcSignIn } from '../../../../src/protocols/oidc/oidc-settings.js';
import type { OidcProtocol } from '../../../../src/protocols/oidc/oidc.protocol.js';
import type { HostileOp } from './op.js';

export function fresh(): { state: string; nonce: string; codeVerifier: string } {
  const random = (): string => randomBytes(32).toString('base64url');
  return { state: random(), nonce: random(), codeVerifier: random() };
}

/** A whole sign-in at the hostile OP: begins, comes back with a code, and is judged. */
export async function signIn(
  protocol: OidcProtocol,
  connection: OidcSettings,
  op: HostileOp,
  /** The query as the browser brings it; undefined leaves a parameter out. */
  answer: Record<string, string | undefined> = {},
): Promise<OidcSignIn> {
  const expected = fresh();
  const url = new URL(await protocol.begin(connection, { ...expected, prompt: null, loginHint: null }));
  op.nonce = url.searchParams.get('nonce')!;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ code: 'code-1', state: expected.state, ...answer })) {
    if (value !== undefined) query.set(name, value);
  }
  return protocol.finish(connection, query, expected);
}

/** `reason: message` of a refusal; what was no refusal is thrown on. */
export async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof OidcRefused) return `${error.reason}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}
