import { randomBytes, randomUUID } from 'node:crypto';
import { measuredBits } from '../../../src/base/crypto/measured-bits.js';

describe('measuredBits', () => {
  it.each([
    'greenhouse-hook-28',
    'greenhouse-hook-production-webhook-secret-key',
    'passwordpasswordpassword',
    '123456789012345678901234567890123456789012',
    'a'.repeat(200),
    'abcdefghijklmnopqrstuvwxyz0123456789',
    'correct-horse-battery-staple-and-some',
    'Greenhouse-Webhook-Token-2026-Production!',
    'acme-corp-greenhouse-inbound-2026-11-26',
    'qwertyuiopasdfghjklzxcvbnm',
    '00000000-0000-0000-0000-000000000001',
    'greenhouse-4f2a9c1b7d3e8a6f',
    '',
  ])('measures less than 128 bits for a chosen text: %s', (text) => {
    expect(measuredBits(text)).toBeLessThan(128);
  });

  it.each([
    ['32 hexadecimal digits', () => randomBytes(16).toString('hex')],
    ['a UUID', () => randomUUID()],
    ['32 characters of Base64', () => randomBytes(24).toString('base64url')],
  ])('measures at least 120 bits for %s made by chance', (_, make) => {
    for (let i = 0; i < 200; i++) expect(measuredBits(make())).toBeGreaterThan(120);
  });
});
