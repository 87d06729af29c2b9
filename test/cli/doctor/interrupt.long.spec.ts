import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { sharedApp, type TestApp } from '../../support/app.js';
import { send } from '../../support/http.js';
import { FaultyPeer } from './faulty-peer.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const EVIDENCE = path.join(os.tmpdir(), `doctor-evidence-${process.pid}.json`);
let service: TestApp;
let peer: FaultyPeer;
beforeAll(async () => {
  service = await sharedApp();
  peer = new FaultyPeer(`${service.url}/scim/v2`);
  await peer.start();
});
afterAll(async () => {
  rmSync(EVIDENCE, { force: true });
  await peer.stop();
  await service.close();
});

it('removes what was made after Ctrl-C, and says so', async () => {
  const child = spawn(
    process.execPath,
    [path.join(ROOT, 'bin/talent-bridge.mjs'), 'doctor', 'gate', 'entra', peer.url, '--evidence', EVIDENCE],
    { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, DATA_DIR: service.dataDir } },
  );
  const [out, err] = [text(child.stdout), text(child.stderr)];
  child.stdin.end(service.tenant.scimToken);
  // Ctrl-C in the middle: users and a group are there.
  let made = 0;
  peer.fault = {
    name: 'Ctrl-C',
    field: /./,
    answer: (answer, { method }) => {
      if (method === 'POST' && answer.status === 201 && ++made === 6) child.kill('SIGINT');
    },
  };
  const [code] = (await once(child, 'exit')) as [number];
  expect(await err).toBe(
    'Interrupted: what was made is removed. Ctrl-C again leaves it there.\nInterrupted.\nAll that was made is removed.\n',
  );
  expect([code, await out]).toEqual([130, '']);
  for (const list of ['Users', 'Groups']) {
    expect((await send('GET', `${service.url}/scim/v2/${list}`, service.tenant.scimToken)).body.totalResults).toBe(0);
  }

  const evidence = readFileSync(EVIDENCE, 'utf8');
  expect(statSync(EVIDENCE).mode & 0o777).toBe(0o600);
  expect(evidence).not.toContain(service.tenant.scimToken);
  expect(JSON.parse(evidence)).toMatchObject({ program: 'doctor gate entra', exchanges: expect.arrayContaining([
    { step: 'Create_User_Test', request: expect.objectContaining({ method: 'POST' }), answer: expect.objectContaining({ status: 201 }) },
  ]) }); // prettier-ignore
});
