import { PACE, webhookRules } from '../../../../src/integrations/webhooks/channel/retries.rules.js';

const PAUSES = [5_000, 300_000, 1_800_000];
const rules = webhookRules({ ...PACE, pauses: PAUSES });

describe('the pauses of a webhook message', () => {
  it.each(PAUSES.map((planned, i) => [i + 1, planned]))(
    'after failure %i: %i ms, give or take a fifth',
    (n, planned) => {
      expect(rules.pause(n, null, 0)).toBe(planned * 0.8);
      expect(rules.pause(n, null, 0.5)).toBe(planned);
      expect(rules.pause(n, null, 0.999_999)).toBeLessThanOrEqual(planned * 1.2);
    },
  );

  it('end with the list, and the message is given up then', () => expect(rules.pause(4, null, 0.5)).toBeNull());

  it('are none when the list is empty', () => {
    expect(webhookRules({ ...PACE, pauses: [] }).pause(1, null, 0.5)).toBeNull();
  });

  it.each([
    ['longer than planned', 60_000, 60_000],
    ['shorter than planned', 1_000, 5_000],
    ['longer than a day', 7 * 86_400_000, 86_400_000],
  ])('wait for a Retry-After that is %s', (_, retryAfterMs, expected) => {
    expect(rules.pause(1, retryAfterMs, 0.5)).toBe(expected);
  });
});
