import type { StoredSamlSettings } from '../../../src/auth/connections/connection.js';
import { slugFrom } from '../../../src/auth/connections/names.rules.js';
import {
  idpByFields,
  samlAfter,
  signersAfter,
  idpSourceOf,
  expiryNotes,
  pinned,
} from '../../../src/auth/connections/saml.rules.js';
import type { FieldError } from '../../../src/base/errors/domain-error.js';
import { base64Of, pemOf } from '../../../src/protocols/saml/certificate.rules.js';
import { newKey } from '../../protocols/saml/support/keys.js';
import { long } from '../../support/rounds.js';
import { base64, certificate } from './support/metadata.js';
import { samlSettings } from './support/settings.js';

describe('saml settings', () => {
  const allowance = { allowPrivate: false };
  const now = new Date('2030-06-01T12:00:00.000Z');
  let pem: string;
  let known: StoredSamlSettings;
  beforeAll(async () => {
    pem = pemOf(base64Of((await newKey('idp')).certificate))!;
    known = { ...samlSettings, certificates: [{ pem, added_at: '2030-01-01T00:00:00.000Z' }] };
  });
  const fields = (errors: readonly FieldError[]): string[] => errors.map(({ field }) => field);
  const XML = '<EntityDescriptor/>';
  const URL = 'https://idp.example.com/metadata';

  it.each<[string, boolean, object, string, string[]]>([
    ['fields of a new connection', false, { sso_url: 'x' }, 'fields', []],
    ['an address of a new connection', false, { metadata_url: URL }, 'url', []],
    ['a text of a new connection', false, { metadata_xml: XML }, 'xml', []],
    ['an entity id beside metadata', false, { metadata_xml: XML, idp_entity_id: 'urn:idp' }, 'xml', []],
    ['nothing of a new connection', false, {}, 'fields', ['metadata_xml']],
    ['two sources', false, { metadata_xml: XML, metadata_url: URL }, 'url', ['metadata_url']],
    ['fields beside metadata', false, { metadata_xml: XML, sso_url: 'x' }, 'xml', ['metadata_xml']],
    ['nothing in a change', true, {}, 'fields', []],
    ['a private address', true, { metadata_url: 'https://10.0.0.1/' }, 'url', ['metadata_url']],
  ])('reads the source: %s', (_what, isChange, input, kind, expected) => {
    const errors: FieldError[] = [];
    expect(idpSourceOf(isChange ? known : null, input, allowance, errors).kind).toBe(kind);
    expect(fields(errors)).toEqual(expected);
  });

  it('refuses a text that the stored address would overwrite', () => {
    const errors: FieldError[] = [];
    idpSourceOf({ ...known, metadata_url: URL }, { metadata_xml: XML }, allowance, errors);
    expect(fields(errors)).toEqual(['metadata_xml']);
  });

  function byFields(before: StoredSamlSettings | null, input: object): [ReturnType<typeof idpByFields>, string[]] {
    const errors: FieldError[] = [];
    const idp = idpByFields(before, input, now, allowance, errors);
    return [idp, fields(errors)];
  }

  it('demands the fields that a new connection without metadata needs', () => {
    expect(byFields(null, {})[1]).toEqual(['idp_entity_id', 'certificates', 'sso_url']);
  });

  it('pins certificates with the present time, and keeps the time of known ones', () => {
    const [fresh] = byFields(null, {
      idp_entity_id: 'urn:idp',
      sso_url: 'https://idp.example.com/sso',
      certificates: [pem],
    });
    expect(fresh.certificates[0]!.added_at).toBe(now.toISOString());
    expect(byFields(known, { certificates: [pem] })[0].certificates).toEqual(known.certificates);
  });

  it.each<[string, object, string[]]>([
    ['a certificate that is none', { certificates: ['x'] }, ['certificates']],
    ['http', { sso_url: 'http://idp.example.com/sso' }, ['sso_url']],
    ['a script', { slo_url: 'javascript:alert(1)' }, ['slo_url']],
  ])('refuses %s', (_what, input, errors) => {
    expect(byFields(known, input)[1]).toEqual(errors);
  });

  it('refuses to change fields that come from the metadata', () => {
    const before = { ...known, metadata_url: URL };
    expect(byFields(before, { sso_url: 'https://idp.example.com/other' })[1]).toEqual(['sso_url']);
    expect(byFields(before, { sso_url: 'https://idp.example.com/other', metadata_url: null })[1]).toEqual([]);
  });

  it('reads the signers of metadata', () => {
    const errors: FieldError[] = [];
    expect(signersAfter(null, {}, now, errors)).toEqual([]);
    expect(signersAfter(null, { metadata_certificates: [pem] }, now, errors)).toHaveLength(1);
    expect(
      signersAfter({ ...known, metadata_certificates: known.certificates }, { metadata_certificates: [] }, now, errors),
    ).toEqual([]);
    expect(errors).toEqual([]);
    signersAfter(null, { metadata_certificates: ['x'] }, now, errors);
    expect(fields(errors)).toEqual(['metadata_certificates']);
  });

  it('joins the settings, with the defaults of a new connection', () => {
    expect(samlAfter(null, {}, samlSettings, samlSettings, [])).toEqual(samlSettings);
    const changed = samlAfter(known, { signed: 'both', subject_claim: 'uid' }, known, known, []);
    expect(changed).toEqual({ ...known, signed: 'both', subject_claim: 'uid' });
    expect(samlAfter(changed, { subject_claim: null }, known, known, [])).not.toHaveProperty('subject_claim');
  });
});

describe('certificates', () => {
  const DAY = 86_400_000;
  const now = new Date('2026-06-01T12:00:00Z');
  const before = (days: number) => new Date(now.getTime() - days * DAY);
  const within = (days: number) => certificate(new Date(now.getTime() + days * DAY));

  describe('certificates that are pinned', () => {
    long('are stored once each, in one spelling, with the time since when they are known', async () => {
      const [one, other] = [await certificate(), await certificate()];
      const first = pinned([one, base64(one), `\n${one}\n`], [], before(9));
      if ('problem' in first) throw new Error(first.problem);
      expect(first.certificates).toHaveLength(1);
      const second = pinned([other, base64(one)], first.certificates, now);
      expect(second).toEqual({
        certificates: [{ pem: expect.any(String), added_at: now.toISOString() }, first.certificates[0]],
      });
    });

    it('are accepted after their end, and named by their place when they are invalid', async () => {
      const expired = await certificate(new Date('2021-01-01'));
      expect(pinned([expired], [], now)).toHaveProperty('certificates');
      expect(pinned([expired, 'nonsense'], [], now)).toEqual({
        problem: expect.stringMatching(/^certificate 2 of 2 /),
      });
    });
  });

  describe('the words for the end of a certificate', () => {
    const notes = async (end: number, added: number, last: number | null) =>
      expiryNotes(
        [{ pem: await within(end), added_at: before(added).toISOString() }],
        last === null ? null : before(last),
        now,
      ).map(({ days }) => days);

    it.each<[string, number, number, number | null, number[]]>([
      ['far away', 61, 400, 1, []],
      ['a mark passed since yesterday', 59.5, 400, 1, [60]],
      ['the same mark passed before', 58, 400, 1, []],
      ['several marks passed since the last look: the nearest', 6.5, 400, 60, [7]],
      ['its end', -0.5, 400, 1, [0]],
      ['its end long ago', -30, 400, 1, []],
      ['never looked at', 20, 400, null, [30]],
      ['pinned since the last look', 20, 0.5, 1, [30]],
      ['pinned before the last look', 20, 2, 1, []],
    ])('%s', async (_, end, added, last, expected) => expect(await notes(end, added, last)).toEqual(expected));
  });

  describe('a slug out of a name', () => {
    const random = Uint8Array.from({ length: 8 }, (_, i) => i);
    it.each([
      ['Okta', 'okta-abcdefgh'],
      ['  Größe & Söhne GmbH ', 'gro-e-sohne-gmbh-abcdefgh'],
      ['日本', 'abcdefgh'],
      ['x'.repeat(200), `${'x'.repeat(40)}-abcdefgh`],
    ])('%s', (name, slug) => {
      expect(slugFrom(name, random)).toBe(slug);
      expect(slug).toMatch(/^[a-z0-9-]{3,63}$/);
    });
  });
});
