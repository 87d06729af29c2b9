import { signIn } from './attempt.js';
import { hostileOp, type HostileOp } from './op.js';
import { HandClock, newConnection, newParty, ShortLimits } from './party.js';

/** An OP and a relying party for a whole spec, with a clock that the spec moves. */
export class UnknownIdp {
  readonly clock = new HandClock();
  op!: HostileOp;
  party!: ReturnType<typeof newParty>;
  private nth = 0;

  /** Makes a connection of which nothing is remembered. */
  unknown = (change = {}) => newConnection(this.op.issuer, { id: `con_new_${(this.nth += 1)}`, ...change });

  /** Signs in through a connection. */
  attempt = (connection = this.unknown()) => signIn(this.party.protocol, connection, this.op);

  /** Expects the sign-in to succeed. */
  accepted = (connection = this.unknown()) =>
    expect(this.attempt(connection)).resolves.toMatchObject({ subject: 'sub-1' });
}

/** Registers the hooks that start and stop both. */
export function unknownIdp(): UnknownIdp {
  const idp = new UnknownIdp();
  beforeAll(async () => {
    idp.op = await hostileOp(() => idp.clock.now());
    idp.party = newParty(idp.clock, new ShortLimits());
  });
  beforeEach(() => idp.op.reset());
  afterAll(async () => {
    await idp.party.close();
    await idp.op.stop();
  });
  return idp;
}
