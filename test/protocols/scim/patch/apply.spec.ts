import { dialectOf, type DirectorySwitches, type Profile } from '../../../../src/protocols/scim/dialects/dialects.js';
import { applyPatch, type PatchOperation } from '../../../../src/protocols/scim/patch/apply.js';
import { GROUP_TYPE, USER_TYPE, type Resource } from '../../../../src/protocols/scim/schema/resource-types.js';
import { casesOf, frozen } from '../cases.js';
import { refusalOf } from '../failure.js';

interface Case {
  readonly profile?: Profile;
  readonly switches?: DirectorySwitches;
  readonly resource?: Resource;
  readonly operations: PatchOperation[];
  readonly expected?: Resource;
  readonly changed?: boolean;
  readonly error?: string;
}

const tables = ['add', 'replace', 'remove', 'primary', 'extension', 'group', 'refused'];
const anyone: Resource = { id: 'i1', userName: 'u', title: 'A', emails: [{ value: 'a', type: 'home' }] };

describe.each(tables)('applyPatch: %s', (table) => {
  it.each(casesOf<Case>(import.meta.url, `./cases/${table}.json`))('$note', (each) => {
    const resource = frozen(each.resource ?? anyone);
    const type = table === 'group' ? GROUP_TYPE : USER_TYPE;
    const dialect = dialectOf(each.profile ?? 'tolerant', each.switches);
    const act = (): { resource: Resource; changed: boolean } =>
      applyPatch(type, resource, frozen(each.operations), dialect);
    if (each.error !== undefined) {
      expect(refusalOf(act)).toMatchObject({ status: 400, scimType: each.error });
      return;
    }
    const result = act();
    expect(result).toEqual({ resource: each.expected, changed: each.changed ?? true });
    if (!result.changed) expect(result.resource).toBe(resource);
  });
});

describe('applyPatch', () => {
  const tolerant = dialectOf('tolerant');

  it('drops the password', () => {
    for (const operation of [
      { op: 'replace', path: 'password', value: 'secret' },
      { op: 'add', value: { password: 'secret' } },
      { op: 'remove', path: 'password' },
    ] as const) {
      expect(applyPatch(USER_TYPE, anyone, [operation], tolerant)).toEqual({ resource: anyone, changed: false });
    }
  });

  it('shares unchanged parts', () => {
    const { resource } = applyPatch(USER_TYPE, anyone, [{ op: 'replace', path: 'title', value: 'B' }], tolerant);
    expect(resource).not.toBe(anyone);
    expect(resource['emails']).toBe(anyone['emails']);
  });

  it('refuses __proto__ as parsed from JSON', () => {
    for (const value of [
      '{"__proto__":{"polluted":1}}',
      '{"name":{"__proto__":{"polluted":1}}}',
      '{"unknown":{"__proto__":{"polluted":1}}}',
      '{"emails":[{"value":"a","__proto__":{"polluted":1}}]}',
      '{"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":{"__proto__":{"polluted":1}}}',
      '{"name.__proto__.polluted":1}',
    ]) {
      const operations = [{ op: 'add' as const, value: JSON.parse(value) as unknown }];
      expect(refusalOf(() => applyPatch(USER_TYPE, anyone, operations, tolerant)).status).toBe(400);
    }
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('refuses a value too long for its attribute', () => {
    const at = (path: string, length: number): PatchOperation[] => [{ op: 'add', path, value: 'x'.repeat(length) }];
    for (const path of ['userName', 'externalId', 'emails[type eq "work"].value']) {
      expect(applyPatch(USER_TYPE, anyone, at(path, 512), tolerant).changed).toBe(true);
      expect(refusalOf(() => applyPatch(USER_TYPE, anyone, at(path, 513), tolerant)).scimType).toBe('invalidValue');
    }
  });
});
