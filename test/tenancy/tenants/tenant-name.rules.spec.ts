import { tenantNameProblem } from '../../../src/tenancy/tenants/tenant-name.rules.js';

it.each([
  'Example Ltd.',
  'Überland GmbH & Co. KG',
  'Яндекс',
  '東京タワー Inc.',
  '삼성 Electronics',
  'Ελλάδα 24',
  '24/7',
])('takes %s', (name) => expect(tenantNameProblem(name)).toBeNull());

it.each([
  ['a Cyrillic letter among Latin ones', 'V\u0456ctim Ltd'],
  ['a Greek letter among Latin ones', 'Victim Ltd \u0391'],
  ['a zero-width blank', 'Victim\u200b Ltd'],
  ['a change of direction', '\u202edtL mitciV'],
])('refuses %s', (_, name) => expect(tenantNameProblem(name)).toMatch(/^must not/));
