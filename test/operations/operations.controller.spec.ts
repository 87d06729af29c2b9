import { securityText } from '../../src/operations/operations.controller.js';

it('names the contact and an end within a year (RFC 9116 §2.5)', () => {
  const text = securityText('https://bridge.example', new Date('2026-11-26T10:00:00Z'));
  expect(text).toMatch(/^Contact: https:\/\/bridge\.example\/docs\/why\/security#report-a-weakness$/m);
  expect(text).toMatch(/^Expires: 2027-05-25T00:00:00Z$/m);
  expect(text).toMatch(/^Canonical: https:\/\/bridge\.example\/\.well-known\/security\.txt$/m);
});
