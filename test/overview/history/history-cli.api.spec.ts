import { sharedApp, type TestApp } from '../../support/app.js';
import { commandLine, type Ran } from '../../support/cli.js';
import { eventually } from '../../support/http.js';
import { newHouse, type House } from '../../support/house.js';
import { fresh, madeUser, user } from '../../support/scim.js';

interface Line {
  kind: string;
  sequence: number | null;
}

let service: TestApp;
let house: House;
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
});
afterAll(() => service.close());

const cli = (...args: string[]): Promise<Ran> => commandLine(service, house.apiKey)(...args);

it('leavers are listed, as a table, as JSON and as a file', async () => {
  const email = `${fresh()}@e.com`;
  const id = await madeUser(house.scim, user(email));
  await house.scim.delete(`/Users/${id}`);
  const table = await cli('leavers', 'list', '--since', '2020-01-01');
  expect([table.code, table.err]).toEqual([0, '']);
  expect(table.out).toMatch(
    /^requested_at +user_id +kind +email +by +state +commit_ms +sessions_ms +forward_ms +confirm_ms/,
  );
  expect(table.out).toMatch(new RegExp(`${id} +deleted +${email} +directory Direct\\S+ +waiting`));
  const json = JSON.parse((await cli('leavers', 'list', '--json')).out);
  expect(json).toEqual((await house.api.get('/leavers')).body.data);
  for (const format of ['csv', 'ndjson']) {
    const file = await cli('leavers', 'list', '--format', format);
    expect(file).toEqual({ code: 0, err: '', out: (await house.api.get(`/leavers?format=${format}`)).text });
  }
  expect((await cli('leavers', 'list', '--until', '2020-01-01')).out).toBe('(none)\n');
  expect((await cli('leavers', 'list', '--until', '2020-01-01', '--format', 'ndjson')).out).toBe('');
  expect(await cli('leavers', 'list', '--format', 'pdf')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Allowed choices are csv, ndjson'),
  });
  expect(await cli('leavers', 'list', '--since', 'now', '--format', 'csv')).toMatchObject({ code: 1, out: '' });
});

it('shows a history, and refuses an unknown user', async () => {
  const id = await madeUser(house.scim);
  const { code, out } = await cli('history', 'show', id, '--order', 'asc');
  expect([code, out]).toEqual([0, expect.stringMatching(/^at +kind +what +why +by +request_id +id\n/)]);
  expect(out).toMatch(/ change +created .*chg_\d+\n/);
  // A column is narrower where the log of requests has its row already.
  expect(out).toMatch(/ seat +claim Use[^\n]+? +- +directory Directory +req_\w+ +seat_\d+\n/);
  // The ledger's line gets its place in the chain right after, and the log of requests its line.
  await eventually(
    () => house.api.get(`/users/${id}/history`),
    ({ body }) =>
      body.data.some((line: Line) => line.kind === 'request') &&
      body.data.some((line: Line) => line.kind === 'seat' && line.sequence !== null),
  );
  const whole = JSON.parse((await cli('history', 'show', id, '--json')).out);
  expect(whole).toEqual((await house.api.get(`/users/${id}/history`)).body.data);
  const csv = await cli('history', 'show', id, '--kind', 'seat', '--format', 'csv');
  expect(csv.out).toBe((await house.api.get(`/users/${id}/history?kind=seat&format=csv`)).text);
  expect(await cli('history', 'show', 'usr_x')).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching('No such user'),
  });
});
