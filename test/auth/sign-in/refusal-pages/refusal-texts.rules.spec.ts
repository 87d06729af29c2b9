import {
  isStale,
  plainLogoutRefusal,
  plainRefusal,
} from '../../../../src/auth/sign-in/refusal-pages/refusal-texts.rules.js';
import { REFUSAL_REASONS } from '../../../../src/auth/sign-in/sign-in.errors.js';

it.each(REFUSAL_REASONS)('has a text for %s that gives no detail away', (reason) => {
  const { status, title, said, way } = plainRefusal(reason);
  expect([400, 401, 403, 409, 429, 503]).toContain(status);
  expect(['again', 'other', 'home', 'none']).toContain(way);
  expect(title).toMatch(/^[A-Z].{8,60}[^.]$/);
  expect(said).toMatch(/^[A-Z].+\.$/);
  expect(`${title} ${said}`).not.toMatch(/signature|token|assertion|issuer|audience|nonce/i);
  expect(`${title} ${said}`).not.toMatch(/\bwhom\b/i);
});

it('has the same text for all refused answers of an IdP', () => {
  const texts = ['signature_invalid', 'audience_mismatch', 'replayed', 'nonce_mismatch'] as const;
  expect(new Set(texts.map(plainRefusal)).size).toBe(1);
});

it.each([true, false])('leads a refused logout message to the home page (a response: %s)', (answers) => {
  expect(plainLogoutRefusal('signature_invalid', answers)).toMatchObject({ status: 401, way: 'home' });
});

it('treats an answer that a reload or the Back button repeats as harmless', () => {
  const stale = REFUSAL_REASONS.filter(isStale);
  expect(stale).toEqual(['state_unknown', 'state_used', 'state_expired', 'other_browser']);
});
