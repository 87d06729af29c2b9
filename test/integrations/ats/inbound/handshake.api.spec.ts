import { AtsConnectionStore } from '../../../../src/integrations/ats/connections/ats-connections.store.js';
import type { Connector } from '../../../../src/integrations/ats/connectors/connector.js';
import { connectorOf } from '../../../../src/integrations/ats/providers/providers.js';
import { InboundService } from '../../../../src/integrations/ats/inbound/inbound.service.js';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { chosenToken } from '../../../support/ats.js';
import { newHouse } from '../../../support/house.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const TOKEN = chosenToken();

/** As SmartRecruiters does it: the secret of the setup comes back in the same header, and only 202 counts as received. */
const shaking: Connector = {
  ...connectorOf('ashby')!,
  inbound: {
    ...connectorOf('ashby')!.inbound,
    ack: 202,
    handshake: ({ headers }) => {
      const secret = headers['x-hook-secret'];
      return secret === undefined ? null : { status: 200, headers: { 'x-hook-secret': secret } };
    },
  },
};

test('answers a setup message without a signature, and keeps none; keeps signed events', async () => {
  const house = await newHouse(service);
  const made = await house.api.post('/ats-connections', {
    provider: 'ashby',
    api_token: TOKEN,
    signing_secret: 'secret',
  });
  const gate = (await service.app.nest.get(AtsConnectionStore, { strict: false }).gateOf('ashby', TOKEN))!;
  const inbound = service.app.nest.get(InboundService, { strict: false });
  const receive = (headers: Record<string, string>) =>
    inbound.receive({ gate, connector: shaking, token: TOKEN }, Buffer.from('{}'), headers);
  expect(await receive({ 'x-hook-secret': 'of the setup' })).toEqual({
    status: 200,
    headers: { 'x-hook-secret': 'of the setup' },
  });
  await expect(receive({})).rejects.toMatchObject({ reason: 'signature_absent' });
  await house.api.delete(`/ats-connections/${made.body.id as string}/signing-secret`);
  const open = (await service.app.nest.get(AtsConnectionStore, { strict: false }).gateOf('ashby', TOKEN))!;
  const sent = { gate: open, connector: shaking, token: TOKEN };
  expect(await inbound.receive(sent, Buffer.from('{}'), { 'content-type': 'application/json' })).toEqual({
    status: 202,
    headers: {},
  });
  const { body } = await house.api.get(`/ats-connections/${made.body.id as string}/events`);
  expect(body.data).toHaveLength(1);
});
