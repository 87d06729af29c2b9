import { runCli } from '../../../src/cli/program.js';
import { patience } from '../../support/speed.js';
import { ForeignPeer, type ForeignShape } from './foreign-peer.js';

// SCIM services of other makers: every report is in sentences, nothing is left behind, and no finding is false.

interface Row {
  name: string;
  result: string;
  note: string | null;
  findings: { code: string; field: string | null; message: string }[];
}

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const SPC = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
const PROGRAMS = ['doctor', 'doctor gate entra', 'doctor gate okta'];
const typesOf = (...more: object[]) => ({ schemas: [LIST], totalResults: more.length, Resources: more });

let peer: ForeignPeer | null = null;
afterEach(async () => {
  await peer?.stop();
  peer = null;
});

async function examine(program: string, shape: ForeignShape): Promise<{ code: number; rows: Row[]; err: string }> {
  peer = await new ForeignPeer(shape).start();
  let [out, err] = ['', ''];
  const code = await runCli([...program.split(' '), peer.url, '--json'], { DATA_DIR: '/nowhere' }, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    input: async () => 'foreign',
  }); // prettier-ignore
  return { code, rows: (JSON.parse(out) as { checks: Row[] }).checks, err };
}
const row = (rows: Row[], name: string): Row => rows.find((one) => one.name === name)!;
const codesOf = (rows: Row[], name: string) => row(rows, name).findings.map(({ code, field }) => `${code} ${field}`);

const SHAPES: [string, ForeignShape][] = [
  ['has no document of the discovery', {}],
  ['has documents of other forms', { documents: { '/Schemas': [1], '/ResourceTypes': null, '/ServiceProviderConfig': { schemas: [SPC], filter: 'yes' } } }],
  ['has ids that need an escape', { id: (n) => `a/b?c#d %e ${n}` }],
  ['has a location that cannot be decoded', { location: () => 'http://peer/%zz' }],
  ['counts from 0, and names a negative total', { list: (records) => ({ schemas: [LIST], totalResults: -5, startIndex: 0, Resources: records }) }],
  ['lists texts and null', { list: () => ({ schemas: [LIST], totalResults: 2, Resources: [null, 'x'] }) }],
  ['answers lists that are none', { list: () => ({ schemas: [LIST], totalResults: '3', Resources: { a: 1 } }) }],
  ['refuses each POST without a body', { canned: { POST: { status: 500, text: '' } } }],
  ['answers each PATCH with a page', { canned: { PATCH: { status: 200, text: '<html>' } } }],
]; // prettier-ignore

describe.each(SHAPES)('a service that %s', (_, shape) => {
  it.each(PROGRAMS)('is reported in sentences by %s, and gets its records removed', async (program) => {
    const { code, rows, err } = await examine(program, shape);
    expect(code).toBe(1);
    expect(err).toMatch(/^(\d+ \w+(, )?)+\.\n$/);
    for (const { message } of rows.flatMap(({ findings }) => findings)) {
      expect(message).toMatch(/^[A-Z/].*[.]$|: [^\n]*$/s);
      expect(message).not.toMatch(/\bat .*:\d+:\d+|undefined|\[object/);
    }
    const left = [...peer!.records.Users.values(), ...peer!.records.Groups.values()];
    expect(left).toEqual([]);
  }, patience(120_000)); // prettier-ignore
});

it.each(PROGRAMS)('%s reports a fault of every answer once, and fails no check that looks at something else', async (program) => {
  const shape: ForeignShape = { location: (collection, id) => `/scim/${collection}/${id}` };
  const { rows } = await examine(program, shape);
  const withLocation = rows.filter(({ findings }) => findings.some(({ field }) => field === 'meta.location'));
  expect(withLocation.map(({ name }) => name)).toEqual(['answers']);
  expect(row(rows, 'answers').findings.find(({ field }) => field === 'meta.location')!.message).toMatch(
    /has "\/scim\/(Users|Groups)\/[^"]+" as meta\.location; expected: an address/,
  );
  expect(row(rows, 'clean_up')).toMatchObject({ result: 'passed', note: 'nothing is left' });
}, patience(120_000)); // prettier-ignore

it('names each record that a service does not delete', async () => {
  const { rows } = await examine('doctor', { canned: { DELETE: { status: 204, text: '' } } });
  const left = [...peer!.records.Users.keys(), ...peer!.records.Groups.keys()].sort();
  expect(
    row(rows, 'clean_up')
      .findings.map(({ field }) => field)
      .sort(),
  ).toEqual(left);
});

it('names what was sent, where the request alone does not show what is wrong', async () => {
  const { rows } = await examine('doctor', { canned: { POST: { status: 418, text: '' } } });
  const [first] = row(rows, 'errors').findings;
  expect(first!.message).toMatch(/^A body that is cut: POST \/Users is answered 418, not 400/);
});

describe('findings that would be false', () => {
  it('a whole list needs neither startIndex nor itemsPerPage', async () => {
    const list = (records: Record<string, unknown>[], start: number, count: number) => {
      const page = records.slice(start - 1, start - 1 + count);
      const isWhole = page.length === records.length;
      const paged = isWhole ? {} : { startIndex: start, itemsPerPage: page.length };
      return { schemas: [LIST], totalResults: records.length, ...paged, Resources: page };
    };
    const { rows } = await examine('doctor gate okta', { list });
    expect(codesOf(rows, 'Import_Groups_Test').filter((code) => code.startsWith('page_wrong'))).toEqual([]);
    expect(codesOf(rows, 'Import_Users_Test').filter((code) => code.startsWith('page_wrong'))).toEqual([]);
  });

  it('pages are as long as filter.maxResults admits', async () => {
    const list = (records: Record<string, unknown>[], start: number, count: number) => {
      const page = records.slice(start - 1, start - 1 + Math.min(count, 2));
      return { schemas: [LIST], totalResults: records.length, startIndex: start, itemsPerPage: page.length, Resources: page };
    }; // prettier-ignore
    const documents = { '/ServiceProviderConfig': { schemas: [SPC], filter: { supported: true, maxResults: 2 } } };
    const { rows } = await examine('doctor gate okta', { list, documents });
    expect(codesOf(rows, 'Import_Users_Test').filter((code) => code.startsWith('page_wrong'))).toEqual([]);
    expect(row(rows, 'Import_Users_Test').note).toBe('3 Users in pages of 2');
  });

  it('a user needs no groups where /Schemas does not declare them', async () => {
    const { rows } = await examine('doctor', {});
    expect(codesOf(rows, 'members')).not.toContain('member_wrong groups');
  });
});

describe('the entitlements of Okta', () => {
  const test = async (documents: Record<string, unknown>) => {
    const { rows } = await examine('doctor gate okta', { documents });
    return row(rows, 'Entitlements_Test');
  };
  const role = (endpoint: unknown) => typesOf({ name: 'User', endpoint: '/Users' }, { name: 'License', endpoint });
  const list = { schemas: [LIST], totalResults: 0 };

  it('are skipped with the reason where no resource type is for them', async () => {
    for (const types of [typesOf(), typesOf({ name: 'Schema', endpoint: '/Schemas' }), role(undefined), role('')]) {
      expect(await test({ '/ResourceTypes': types })).toMatchObject({
        result: 'skipped',
        note: '/ResourceTypes has no type for entitlements, such as Role: Okta asks for none',
      });
    }
  });

  it('are listed at the endpoint of their type, which may be a whole address', async () => {
    for (const endpoint of ['/Licenses', 'Licenses', 'https://elsewhere.example/scim/Licenses']) {
      const found = await test({ '/ResourceTypes': role(endpoint), '/Licenses': list });
      expect(found).toMatchObject({ result: 'passed', note: '/Licenses' });
      expect(peer!.asked).toContain('GET /scim/Licenses?startIndex=1&count=100');
    }
    expect(await test({ '/ResourceTypes': role('/Licenses') })).toMatchObject({ result: 'warning' });
  });
});
