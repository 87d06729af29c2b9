import { RequestsRepository } from '../../../src/overview/requests/requests.repository.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase(4);
});
afterAll(() => database.close());

const row = (tenantId: string, directoryId: string, credentialId: string) =>
  ({ tenantId, directoryId, credentialId }) as never;

it('gives the same numbers in each process, and other ones to each tenant', async () => {
  const [one, two] = [new RequestsRepository(database.db), new RequestsRepository(database.db)];
  const rows = [row('ten_a', 'dir_1', 'tok_1'), row('ten_b', 'dir_1', 'tok_2'), row('ten_a', 'dir_1', 'tok_3')];
  const [ofOne, ofTwo] = await Promise.all([one.numbersOf(rows), two.numbersOf(rows)]);
  const all = [ofOne, ofTwo].map((of) => [
    of('ten_a', 'dir_1'),
    of('ten_a', 'tok_1'),
    of('ten_a', 'tok_3'),
    of('ten_b', 'dir_1'),
    of('ten_b', 'tok_2'),
  ]);
  expect(all[0]).toEqual(all[1]);
  expect(new Set(all[0]).size).toBe(5);
});
