import { DomainVerification } from '../../../../src/auth/connections/domains/verification.js';
import { Environment } from '../../../../src/base/config/environment.js';
import type { Config } from '../../../../src/base/config/config.js';
import { validateSync } from 'class-validator';
import { NameServer } from '../../../support/name-server.js';

/** A verification that reaches the name server alone: a look-up uses nothing else. */
function withNameServer(address: string): DomainVerification {
  const config = { dnsServers: [address] } as unknown as Config;
  const unused = [{}, {}, {}, {}, {}, {}] as unknown[];
  return new DomainVerification(
    ...([...unused, config] as unknown as ConstructorParameters<typeof DomainVerification>),
  );
}

let server: NameServer;
let records: DomainVerification;
const short = { timeout: 150, tries: 1 };
beforeAll(async () => {
  server = await NameServer.start();
  records = withNameServer(server.address);
});
afterAll(() => server.close());

const control = async () => {
  server.zone.set('good.example', { txt: ['a record', ['in', ' two ', 'parts']] });
  expect(await records.lookup('good.example')).toEqual({ kind: 'found', texts: ['a record', 'in two parts'] });
};

it('reads TXT records, each as one text', control);

it('follows an alias', async () => {
  server.zone.set('alias.example', { cname: 'target.example' });
  server.zone.set('target.example', { txt: ['of the target'] });
  expect(await records.lookup('alias.example')).toEqual({ kind: 'found', texts: ['of the target'] });
});

it.each([['nxdomain'], ['nodata']] as const)('%s: there is no record', async (entry) => {
  server.zone.set('none.example', entry);
  expect(await records.lookup('none.example')).toEqual({ kind: 'absent' });
});

it.each([['servfail'], ['silence']] as const)('%s: the answer is unknown', async (entry) => {
  server.zone.set('broken.example', entry);
  expect(await records.lookup('broken.example', short)).toMatchObject({ kind: 'unknown' });
});

it('answers for a name that cannot be asked for', async () => {
  expect(await records.lookup(`${'a'.repeat(70)}.example`, short)).toMatchObject({ kind: 'unknown' });
});

it('reads TXT records after a name that cannot be asked for', control);

describe('DNS_SERVERS', () => {
  const problems = (text: string) =>
    validateSync(Object.assign(new Environment(), { DNS_SERVERS: text }), { skipMissingProperties: true }).length;
  it.each(['192.0.2.1', '192.0.2.1:5353', '192.0.2.1, 192.0.2.2:53', '2001:db8::1', '[2001:db8::1]:53'])(
    'takes %s',
    (text) => expect(problems(text)).toBe(0),
  );
  it.each(['dns.example', '192.0.2.1:0', '192.0.2.1:70000', '192.0.2.1,', '[192.0.2.1]:53', '192.0.2'])(
    'refuses %s',
    (text) => expect(problems(text)).toBe(1),
  );
});
