import type { FieldError } from '../../../src/base/errors/domain-error.js';
import { connectionDraftOf, namedRoles } from '../../../src/auth/connections/draft.rules.js';
import { oidcSettings, samlSettings } from './support/settings.js';

const given = { paired: false, imported: null, now: new Date(0) };
const allowance = { allowPrivate: false };

it('makes a draft of an OIDC connection with its secrets', () => {
  const errors: FieldError[] = [];
  const present = { type: 'oidc', settings: oidcSettings, secrets: { clientSecret: true, privateKey: false } } as const;
  expect(connectionDraftOf(present, { client_id: 'other' }, given, allowance, errors)).toEqual({
    type: 'oidc',
    settings: { ...oidcSettings, client_id: 'other' },
    plans: { clientSecret: { kind: 'keep' }, privateKey: { kind: 'drop' } },
  });
  expect(errors).toEqual([]);
});

it('takes the IdP of imported metadata before fields', () => {
  const errors: FieldError[] = [];
  const imported = { ...samlSettings, idp_entity_id: 'urn:imported' };
  const draft = connectionDraftOf(
    { type: 'saml', settings: null },
    { idp_entity_id: 'urn:sent' },
    { ...given, imported },
    allowance,
    errors,
  );
  expect(draft).toMatchObject({ type: 'saml', settings: { idp_entity_id: 'urn:imported' } });
  expect(errors).toEqual([]);
});

it('collects every problem', () => {
  const errors: FieldError[] = [];
  const present = { type: 'oidc', settings: null, secrets: { clientSecret: false, privateKey: false } } as const;
  connectionDraftOf(present, { jit: true, sso_url: 'x' }, { ...given, paired: true }, allowance, errors);
  expect(errors.map(({ field }) => field)).toEqual(['sso_url', 'jit', 'issuer', 'client_id', 'client_secret']);
});

it('lists the roles that a request names', () => {
  expect(namedRoles({ role_map: { a: 'Admin' } }, oidcSettings)).toEqual([
    { field: 'default_role', role: 'User' },
    { field: 'role_map', role: 'Admin' },
  ]);
});
