import { AuthAddresses } from '../../../../src/auth/connections/addresses.js';
import { SystemClock, type Clock } from '../../../../src/base/clock.js';
import type { Config } from '../../../../src/base/config/config.js';
import { SamlRefused } from '../../../../src/protocols/saml/saml-refused.js';
import {
  type SamlSettings,
  SamlKeySource,
  type SamlKeyPair,
  type SamlKeys,
  type SamlSignIn,
} from '../../../../src/protocols/saml/saml-settings.js';
import { SamlProtocol } from '../../../../src/protocols/saml/saml.protocol.js';
import { SamlVerifier } from '../../../../src/protocols/saml/signature-verifier.js';
import { SP } from './idp.js';
import { newKey } from './keys.js';

class TestKeys extends SamlKeySource {
  constructor(readonly keys: SamlKeys) {
    super();
  }
  async samlKeys(): Promise<SamlKeys> {
    return this.keys;
  }
}

/** The protocol as the application makes it, with real keys and a real verifier. Close it at the end. */
export async function samlSp(clock: Clock = new SystemClock()) {
  const current = await newKey('sp-new');
  const older = await newKey('sp-old');
  const verifier = new SamlVerifier();
  const protocol = new SamlProtocol(
    new TestKeys({ current, all: [current, older] }),
    new AuthAddresses({ appUrl: SP.appUrl } as Config),
    clock,
    verifier,
  );
  return {
    protocol,
    verifier,
    current,
    older,
    /** What a posted form leads to: a subject, or the reason of the refusal. */
    outcome: (connection: SamlSettings, form: ReadonlyMap<string, string>, requestId: string | null = SP.request) =>
      outcome(async () => protocol.verify(connection, protocol.read(form), { requestId })),
    close: () => verifier.close(),
  };
}

export type SamlSp = Awaited<ReturnType<typeof samlSp>> & { older: SamlKeyPair };

/** The subject, or the reason of the refusal; any other error fails the test. */
export async function outcome(run: () => Promise<SamlSignIn>): Promise<string> {
  try {
    return `signed in: ${(await run()).subject}`;
  } catch (error) {
    if (error instanceof SamlRefused) return error.reason;
    throw error;
  }
}
