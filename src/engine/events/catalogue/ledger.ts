import { count, flag, kinds, list, object, type Schema, text, textOrNull, words } from './kind.js';

const day: Schema<string> = { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' };
const whole: Schema<number> = { type: 'integer' };

/** The events about the ledgers. */
export const LEDGER_EVENTS = kinds({
  'chain.day_closed': {
    severity: 'info',
    runbook: 'No action: keep the signed head of the day where this service cannot write, as evidence.',
    schema: object({
      chain: words('seats', 'audit'),
      day,
      sequence: count,
      count: whole,
      hash: text,
      // The text that is signed, byte for byte.
      signed: text,
      key_id: text,
      // Ed25519 over `signed`, base64.
      signature: text,
    }),
    example: {
      chain: 'seats',
      day: '2026-01-31',
      sequence: 1204,
      count: 87,
      hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      signed: 'seats 2026-01-31 …',
      key_id: '0f1e2d3c4b5a6978',
      signature: 'c2lnbmF0dXJlIG9mIHRoZSBoZWFk',
    },
  },
  'ledger.corrected': {
    severity: 'warning',
    runbook:
      'Tell your auditors: lines that were sealed in a wrong order are corrected by further lines; none was changed.',
    schema: object({
      chain: words('seats'),
      corrections: count,
      // The first hundred of them, each with the sequences of the two lines that it names; no user: limit and policy.
      corrected: list(object({ user_id: textOrNull, holds: flag, lines: list(whole) })),
    }),
    example: {
      chain: 'seats',
      corrections: 1,
      corrected: [{ user_id: 'usr_01k0000000abcdefghjkmnpqrs', holds: false, lines: [9, 10] }],
    },
  },
});
