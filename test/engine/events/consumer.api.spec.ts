import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventIdSql } from '../../../src/engine/events/event-recorder.js';
import { EventsRepository } from '../../../src/engine/events/events.service.js';
import { startApp, type TestApp } from '../../support/app.js';
import { newHouse } from '../../support/house.js';
import { eventually } from '../../support/http.js';
import { long, rounds } from '../../support/rounds.js';

const KILLS = Number(process.env['CONSUMER_KILLS'] ?? rounds(200));
const CONSUMER = path.join(import.meta.dirname, 'consumer.mjs');

let service: TestApp;
const folder = mkdtempSync(path.join(os.tmpdir(), 'consumer-'));
beforeAll(async () => {
  service = await startApp();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service.close();
});

long(
  `loses and doubles no event in a consumer that is killed ${KILLS} times while 20 writers commit`,
  async () => {
    const at = await newHouse(service);
    const events = service.app.nest.get(EventsRepository);
    const file = path.join(folder, 'processed');
    writeFileSync(file, '');
    const processed = (): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);

    let writing = true;
    const writer = async (n: number): Promise<void> => {
      for (let i = 0; writing; i++) {
        const data = { domain: `${n}-${i}.example`, problem: null };
        await service.db.transaction(at.tenantId, async (tx) => {
          await events.record(at.tenantId, [{ event: 'domain.lost', data }], tx);
          await sleep(Math.random() * 100);
        });
      }
    };
    const writers = Promise.all(Array.from({ length: 20 }, (_, n) => writer(n)));

    for (let kill = 0; kill < KILLS; kill++) {
      const consumer = spawn(process.execPath, [CONSUMER, service.url, at.apiKey, file], { stdio: 'ignore' });
      const ended = once(consumer, 'exit');
      await sleep(50 + Math.random() * 150);
      consumer.kill('SIGKILL');
      await ended;
    }
    writing = false;
    await writers;

    const { rows } = await service.db.query<{ id: string }>(
      `select ${eventIdSql('sequence')} as id from events where tenant_id = $1 order by sequence`,
      [at.tenantId],
    );
    const consumer = spawn(process.execPath, [CONSUMER, service.url, at.apiKey, file], { stdio: 'ignore' });
    try {
      await eventually(async () => processed().at(-1), (last) => last === rows.at(-1)!.id, 60_000); // prettier-ignore
    } finally {
      consumer.kill('SIGKILL');
    }
    expect(rows.length).toBeGreaterThan(5 * KILLS);
    expect(processed()).toEqual(rows.map(({ id }) => id));
  },
  300_000,
);
