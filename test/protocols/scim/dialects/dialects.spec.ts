import {
  dialectOf,
  PROFILE_NAMES,
  type Dialect,
  type Profile,
  recognisedDialect,
} from '../../../../src/protocols/scim/dialects/dialects.js';
import {
  booleanFromText,
  complexFromLoose,
  idFromReference,
  rolesFromText,
  type Quirk,
} from '../../../../src/protocols/scim/dialects/quirks.js';
import { parsePatchRequest } from '../../../../src/protocols/scim/messages/patch-request.js';
import { applyPatch } from '../../../../src/protocols/scim/patch/apply.js';
import { planGroupPatch } from '../../../../src/protocols/scim/patch/group-plan.js';
import { readResource } from '../../../../src/protocols/scim/resource/coerce.js';
import { GROUP_TYPE, USER_TYPE, type Resource } from '../../../../src/protocols/scim/schema/resource-types.js';
import { filesOf, frozen } from '../cases.js';
import { refusalOf } from '../failure.js';

describe('dialects', () => {
  interface Recording {
    /** Where the request comes from. */
    readonly source: string;
    /** The profiles that take it. */
    readonly profiles: Profile[];
    readonly kind: 'user' | 'group' | 'patch' | 'group-patch';
    readonly resource?: Resource;
    readonly body: unknown;
    /** What it means in the RFC's own shape. */
    readonly normal: unknown;
    /** Profiles that refuse it, and how. */
    readonly refused?: Partial<Record<Profile, string>>;
  }

  const recordings = ['entra', 'okta', 'onelogin', 'keycloak', 'jumpcloud', 'authentik', 'boxyhq'].flatMap((idp) =>
    filesOf<Recording>(import.meta.url, `./${idp}`).map(({ file, content }) => ({
      name: `${idp}/${file}`,
      ...content,
    })),
  );

  function meaning({ kind, body, resource }: Recording, dialect: Dialect): unknown {
    switch (kind) {
      case 'user':
        return readResource(USER_TYPE, frozen(body), dialect);
      case 'group':
        return readResource(GROUP_TYPE, frozen(body), dialect);
      case 'patch':
        return applyPatch(USER_TYPE, frozen(resource ?? {}), parsePatchRequest(frozen(body), dialect), dialect)
          .resource;
      case 'group-patch': {
        const plan = planGroupPatch(parsePatchRequest(frozen(body), dialect), dialect);
        if (resource === undefined) return plan;
        return {
          ...plan,
          resource: applyPatch(GROUP_TYPE, frozen(resource), plan.attributeOperations, dialect).resource,
        };
      }
    }
  }

  describe.each(recordings)('$name', (recording) => {
    it.each(recording.profiles)('%s accepts it', (profile) => {
      expect(meaning(recording, dialectOf(profile))).toEqual(recording.normal);
    });

    it('the default accepts it', () => {
      expect(recording.profiles).toContain('tolerant');
    });

    for (const [profile, scimType] of Object.entries(recording.refused ?? {})) {
      it(`${profile} refuses it: ${scimType}`, () => {
        const refusal = refusalOf(() => meaning(recording, dialectOf(profile as Profile)));
        expect(refusal).toMatchObject({ status: 400, scimType });
      });
    }
  });

  describe('the table of dialects', () => {
    const quirksOf = (profile: Profile): string[] =>
      Object.entries(dialectOf(profile))
        .filter(([name, value]) => value === true && name !== 'passwordInSchema')
        .map(([name]) => name);

    it('the default has every quirk, the strict profiles none', () => {
      const all = Object.keys(dialectOf('tolerant')).filter(
        (name) => !['profile', 'passwordInSchema', 'replaceCreatesMissing'].includes(name),
      );
      expect(quirksOf('tolerant').sort()).toEqual(all.sort());
      expect(quirksOf('strict')).toEqual([]);
      expect(quirksOf('ipsie')).toEqual([]);
    });

    it('only ipsie has no password in its schemas', () => {
      expect(PROFILE_NAMES.filter((profile) => !dialectOf(profile).passwordInSchema)).toEqual(['ipsie']);
    });

    it('each IdP has its quirks', () => {
      const entra: Quirk[] = [
        'booleansAsStrings',
        'capitalisedOps',
        'looseComplexValues',
        'pathsAsKeys',
        'valueListRemoves',
      ];
      expect(quirksOf('entra')).toEqual(expect.arrayContaining(entra));
      expect(quirksOf('okta').filter((quirk) => entra.includes(quirk as Quirk))).toEqual([]);
      expect(quirksOf('okta')).toContain('readOnlyValuesIgnored');
    });

    it('keeps switches apart from profiles', () => {
      expect(dialectOf('entra')).toBe(dialectOf('entra', { replaceCreatesMissing: false }));
      expect(dialectOf('entra').replaceCreatesMissing).toBe(false);
      expect(dialectOf('strict', { replaceCreatesMissing: true })).toMatchObject({
        profile: 'strict',
        replaceCreatesMissing: true,
      });
      expect(() => dialectOf('unheard' as Profile)).toThrow('unheard');
    });
  });

  describe('quirks', () => {
    it.each([
      ['True', true],
      ['FALSE', false],
      ['false', false],
      ['yes', 'yes'],
      ['', ''],
      ['true ', 'true '],
      [0, 0],
      [true, true],
      [null, null],
    ])('booleanFromText %j', (given, expected) => {
      expect(booleanFromText(given)).toBe(expected);
    });

    it.each([
      ['m', { value: 'm' }],
      ['', null],
      [[], null],
      [[{ value: 'm' }], { value: 'm' }],
      [['m'], { value: 'm' }],
      [{ value: 'm' }, { value: 'm' }],
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
      [7, 7],
    ])('complexFromLoose %j', (given, expected) => {
      expect(complexFromLoose(given)).toEqual(expected);
    });

    it.each([
      ['A', [{ value: 'A' }]],
      ['A, B ,', [{ value: 'A' }, { value: 'B' }]],
      ['', []],
      ['{"id":"1","value":"A"}', [{ value: '{"id":"1","value":"A"}' }]],
      [
        ['A', { value: 'B' }],
        [{ value: 'A' }, { value: 'B' }],
      ],
      [{ value: 'A' }, { value: 'A' }],
    ])('rolesFromText %j', (given, expected) => {
      expect(rolesFromText(given)).toEqual(expected);
    });

    it.each([
      ['https://x/scim/v2/Users/a', 'a'],
      ['../Groups/g', 'g'],
      ['Users/a', 'a'],
      ['/Users/', null],
      ['a', null],
      ['https://x/other/a', null],
      [null, null],
      [7, null],
    ])('idFromReference %j', (given, expected) => {
      expect(idFromReference(given)).toBe(expected);
    });
  });
});

describe('recognise', () => {
  it.each([
    ['Okta SCIM Client 1.0.0', null, 'okta'],
    ['Okta SCIM Client 1.0.0', '{"Operations":[{"op":"replace","value":{"active":false}}]}', 'okta'],
    ['Google-Auto-Provisioning', null, 'google'],
    [undefined, '{"Operations":[{"op":"Replace","path":"active","value":"False"}]}', 'entra'],
    ['', '{"userName":"a","active":"True"}', 'entra'],
    ['', '{"userName":"a","active":"true"}', 'onelogin'],
    [undefined, '{"userName":"a","emails":{"value":"a@x.example"}}', 'onelogin'],
    [undefined, '{"Operations":[{"op":"replace","path":"active","value":false}]}', null],
    ['curl/8', '{"userName":"Replace","displayName":"False"}', null],
    ['curl/8', null, null],
  ])('a request with the User-Agent %s and the body %s is of %s', (userAgent, body, dialect) => {
    expect(recognisedDialect(userAgent, body)).toBe(dialect);
  });
});
