import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { generate } from 'selfsigned';
import { certificateOf } from '../../../../src/cli/doctor/outside/deployment.js';
import { long } from '../../../support/rounds.js';

const DAY_MS = 24 * 60 * 60_000;
const open: Server[] = [];
afterEach(() => open.splice(0).forEach((server) => server.close()));

/** Starts a TLS server whose certificate ends in a number of days; returns its address. */
async function addressWith(days: number): Promise<URL> {
  const keys = await generate([{ name: 'commonName', value: 'localhost' }], {
    notAfterDate: new Date(Date.now() + days * DAY_MS),
  });
  const server = createServer({ key: keys.private, cert: keys.cert }, (socket) => socket.end());
  open.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
}
const codesOf = async (address: URL): Promise<string[]> =>
  (await certificateOf(address, Date.now())).findings.map(({ code }) => code);

long('names a certificate that no authority has signed, and its end', async () => {
  const shown = await certificateOf(await addressWith(90), Date.now());
  expect(shown.findings).toMatchObject([{ code: 'certificate_untrusted', field: 'certificate' }]);
  expect(shown.note).toMatch(/^until \w{3} /);
});

it('names a certificate that ends within two weeks', async () => {
  expect(await codesOf(await addressWith(13))).toEqual(['certificate_untrusted', 'certificate_expires']);
});

long('names an address where no TLS is spoken', async () => {
  const address = await addressWith(90);
  open.splice(0).forEach((server) => server.close());
  expect(await codesOf(address)).toEqual(['no_answer']);
});
