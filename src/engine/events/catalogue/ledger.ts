import { count, object, text, textOrNull, type Kinds } from './kind.js';

/** The data of the events about the ledgers. */
export interface LedgerEvents {
  'chain.day_closed': {
    chain: 'seats' | 'audit';
    /** UTC, `2026-01-31`. */
    day: string;
    sequence: number;
    count: number;
    hash: string;
    /** The text that is signed, byte for byte. */
    signed: string;
    key_id: string;
    /** Ed25519 over `signed`, base64. */
    signature: string;
  };
  'ledger.corrected': {
    chain: 'seats';
    /** The number of lines of the kind `correction` that were added. */
    corrections: number;
    /** The first hundred of them. */
    corrected: {
      /** Null: limit and policy. */
      user_id: string | null;
      /** Whether the user holds a seat. */
      holds: boolean;
      /** The sequences of the two lines that the correction names. */
      lines: number[];
    }[];
  };
}

/** The events about the ledgers. */
export const LEDGER_EVENTS: Kinds<LedgerEvents> = {
  'chain.day_closed': {
    severity: 'info',
    runbook: 'No action: keep the signed head of the day where this service cannot write, as evidence.',
    schema: object({
      chain: { enum: ['seats', 'audit'] },
      day: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' },
      sequence: count,
      count: { type: 'integer' },
      hash: text,
      signed: text,
      key_id: text,
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
      chain: { enum: ['seats'] },
      corrections: count,
      corrected: {
        type: 'array',
        items: object({
          user_id: textOrNull,
          holds: { type: 'boolean' },
          lines: { type: 'array', items: { type: 'integer' } },
        }),
      },
    }),
    example: {
      chain: 'seats',
      corrections: 1,
      corrected: [{ user_id: 'usr_01k0000000abcdefghjkmnpqrs', holds: false, lines: [9, 10] }],
    },
  },
};
