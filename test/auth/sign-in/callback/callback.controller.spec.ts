import { withoutNewAuthentication } from '../../../../src/auth/sign-in/callback/callback.controller.js';

const BEGUN = new Date('2026-05-04T12:00:00Z');
const asked = { asked_anew: true, created_at: BEGUN };
const seconds = (count: number) => new Date(BEGUN.getTime() + count * 1000);

it.each<[string, Date | null, typeof asked | null, RegExp | null]>([
  ['after the request', seconds(5), asked, null],
  ['60 s before the request, as clocks differ', seconds(-60), asked, null],
  ['61 s before the request', seconds(-61), asked, /answered by an authentication of 2026-05-04T11:58:59.000Z/],
  ['not stated', null, asked, /does not state when/],
  ['not stated, and not asked for', null, { ...asked, asked_anew: false }, null],
  ['old, and not asked for', seconds(-9_000), { ...asked, asked_anew: false }, null],
  ['old, in a sign-in that the IdP began', seconds(-9_000), null, null],
])('judges an authentication %s', (_, authenticatedAt, request, words) => {
  const note = withoutNewAuthentication({ authenticatedAt }, request);
  if (words === null) expect(note).toBeNull();
  else expect(note).toMatch(words);
});
