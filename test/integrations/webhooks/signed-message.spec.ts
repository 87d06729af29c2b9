import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  messageOf,
  newSecret,
  webhookSecretProblem,
  signatureHeader,
} from '../../../src/integrations/webhooks/signed-message.js';
import { jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

describe('message', () => {
  const secret = newSecret();
  const at = new Date('2026-03-02T09:15:30.000Z');
  const now = new Date('2026-03-02T09:15:31.900Z');
  const data = '{"id":"cand_1","metadata":{"b":1.0,"a":480912000001234567,"e":"🧪","u":"\u2028"}}';
  const event = { id: 'evt_0000000000000042', event: 'destination.back' as const, at, data, record: 'cand_1' };
  const endpoint = { tenantId: 'ten_1', form: 'source' as const, headers: {}, secrets: [secret] };

  function verified(message: ReturnType<typeof messageOf>): unknown {
    jest.useFakeTimers({ now });
    try {
      return new Webhook(secret).verify(Buffer.from(message.body, 'utf8'), message.headers);
    } finally {
      jest.useRealTimers();
    }
  }

  it('sends exactly event, timestamp and data, letter for letter', () => {
    const message = messageOf(event, endpoint, now);
    expect(message.body).toBe(`{"event":"destination.back","timestamp":"2026-03-02T09:15:30.000Z","data":${data}}`);
    expect(message.headers).toMatchObject({
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'webhook-id': 'evt_0000000000000042',
      'webhook-timestamp': '1772442931',
    });
    expect(message.headers['user-agent']).toMatch(/^talent-bridge\/\d+\.\d+\.\d+/);
    expect(verified(message)).toEqual(JSON.parse(message.body));
  });

  it('adds `type` beside `event` for the standard form', () => {
    const message = messageOf(event, { ...endpoint, form: 'standard' }, now);
    expect(Object.keys(JSON.parse(message.body) as object)).toEqual(['event', 'type', 'timestamp', 'data']);
    expect(message.body.endsWith(`"data":${data}}`)).toBe(true);
    verified(message);
  });

  it('sends structured CloudEvents 1.0', () => {
    const message = messageOf(event, { ...endpoint, form: 'cloudevents' }, now);
    expect(message.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
    expect(JSON.parse(message.body)).toEqual({
      specversion: '1.0',
      id: 'evt_0000000000000042',
      source: '/tenants/ten_1',
      type: 'destination.back',
      time: '2026-03-02T09:15:30.000Z',
      subject: 'cand_1',
      datacontenttype: 'application/json',
      data: JSON.parse(data) as unknown,
    });
    expect(messageOf({ ...event, record: null }, { ...endpoint, form: 'cloudevents' }, now).body).not.toContain(
      'subject',
    );
    verified(message);
  });

  it('makes a retry with the same id and body, and a fresh time and signature', () => {
    const first = messageOf(event, endpoint, now);
    const second = messageOf(event, endpoint, new Date(now.getTime() + 5_000));
    expect(second.body).toBe(first.body);
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(second.headers['webhook-timestamp']).not.toBe(first.headers['webhook-timestamp']);
    expect(second.headers['webhook-signature']).not.toBe(first.headers['webhook-signature']);
    expect(Object.keys(second.headers)).toEqual(Object.keys(first.headers));
  });

  it('sends valid UTF-8 where a text holds a lone surrogate, with a good signature', () => {
    const message = messageOf({ ...event, data: '{"half":"\ud83e"}' }, endpoint, now);
    expect(verified(message)).toMatchObject({ data: { half: '\ufffd' } });
  });

  it('never lets a header of the endpoint replace one of ours', () => {
    const headers = { authorization: 'Bearer x', 'webhook-id': 'forged', 'content-type': 'text/plain' };
    expect(messageOf(event, { ...endpoint, headers }, now).headers).toMatchObject({
      authorization: 'Bearer x',
      'webhook-id': event.id,
      'content-type': 'application/json',
    });
  });

  it('gives two endpoints the same id and different signatures', () => {
    const other = messageOf(event, { ...endpoint, secrets: [newSecret()] }, now);
    const first = messageOf(event, endpoint, now);
    expect(other.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(other.headers['webhook-signature']).not.toBe(first.headers['webhook-signature']);
  });
});

describe('signature', () => {
  const vectors = JSON.parse(readFileSync(new URL('cases/signatures.json', import.meta.url), 'utf8')) as Record<
    string,
    string
  >[];

  /** The vectors of Standard Webhooks, with Svix's own as row A. */
  const ROWS = vectors.map((row) => ({
    row: row['row']!,
    what: row['what']!,
    secret: row['secret']!,
    id: row['webhook-id']!,
    timestamp: row['webhook-timestamp']!,
    body: row['body']!,
    bytes: Number(row['body_bytes']),
    sha256: row['body_sha256']!,
    signature: row['webhook-signature']!,
  }));
  const B = ROWS.find(({ row }) => row === 'B')!;

  /** Verifies with the official package, with its clock at `at` seconds. */
  function verify(
    { secret, id, timestamp, body, signature }: Omit<typeof B, 'row' | 'what' | 'bytes' | 'sha256'>,
    at = Number(B.timestamp),
  ): unknown {
    jest.useFakeTimers({ now: at * 1000 });
    try {
      const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
      return new Webhook(secret).verify(body, headers);
    } finally {
      jest.useRealTimers();
    }
  }

  const sign = ({ id, timestamp, body, secret }: Pick<typeof B, 'id' | 'timestamp' | 'body' | 'secret'>): string =>
    signatureHeader(id, Number(timestamp), body, [secret]);

  describe('vectors', () => {
    it.each(ROWS)('row $row: $what', (row) => {
      expect(Buffer.byteLength(row.body)).toBe(row.bytes);
      expect(createHash('sha256').update(row.body).digest('hex')).toBe(row.sha256);
      expect(sign(row)).toBe(row.signature);
      expect(new Webhook(row.secret).sign(row.id, new Date(Number(row.timestamp) * 1000), row.body)).toBe(
        row.signature,
      );
      expect(() => verify(row, Number(row.timestamp))).not.toThrow();
    });

    it('row G: 20 086 bytes', () => {
      const body = JSON.stringify({
        event: 'candidate.created',
        timestamp: '2026-03-02T09:15:33.000Z',
        data: { pad: 'x'.repeat(20000) },
      });
      expect(createHash('sha256').update(body).digest('hex')).toBe(
        '690f271b7884610ebd87fb31fcb265d9bae612adf5bcf1e3b60677da583381c7',
      );
      const row = { ...B, id: 'msg_2bTqBig000000000000000000', timestamp: '1772442933', body };
      expect(sign(row)).toBe('v1,dtitnFtpujVH/QmURC2Zhw2m5LEhYCpLuWGF5lSuOW0=');
    });

    it('writes one signature for each live secret, newest first, and either receiver accepts them', () => {
      const [newer, older] = [ROWS.find(({ row }) => row === 'C-new')!, ROWS.find(({ row }) => row === 'C-old')!];
      const signature = signatureHeader(newer.id, Number(newer.timestamp), newer.body, [newer.secret, older.secret]);
      expect(signature).toBe(`${newer.signature} ${older.signature}`);
      for (const { secret } of [newer, older]) {
        expect(() => verify({ ...newer, secret, signature }, Number(newer.timestamp))).not.toThrow();
      }
    });

    it('signs text that is not ASCII as UTF-8', () => {
      const body = JSON.stringify({ emoji: '🧪', line: '\u2028', name: 'Zoë' });
      expect(verify({ ...B, body, signature: sign({ ...B, body }) })).toEqual(JSON.parse(body));
    });
  });

  describe('what a receiver refuses', () => {
    const good = { ...B, signature: sign(B) };
    const refusals: [string, string, () => unknown][] = [
      ['N1', 'one byte of the body changed', () => verify({ ...good, body: good.body.replace('Zoë', 'Zoe') })],
      [
        'N2',
        'a body that was made anew',
        () => verify({ ...good, body: JSON.stringify(JSON.parse(good.body), null, 1) }),
      ],
      ['N3', 'another id', () => verify({ ...good, id: 'msg_other' })],
      ['N4', 'another time', () => verify({ ...good, timestamp: String(Number(good.timestamp) + 1) })],
      ['N5', 'a message of 301 s ago', () => verify(good, Number(good.timestamp) + 301)],
      ['N5', 'a message of 301 s ahead', () => verify(good, Number(good.timestamp) - 301)],
      ['N7', 'a missing header', () => verify({ ...good, id: '' })],
      ['N8', 'a hex digest', () => verify({ ...good, signature: hexOf(good.signature) })],
      ['N9', 'only another version', () => verify({ ...good, signature: good.signature.replace('v1,', 'v1a,') })],
      ['N11', 'a list with commas', () => verify({ ...good, signature: `v1,AAAA,${good.signature}` })],
      ['N12', 'a digest keyed with the text', () => verify({ ...good, signature: keyedWithText(good) })],
      ['N13', 'a time in milliseconds', () => verify({ ...good, timestamp: `${good.timestamp}000` })],
    ];
    it.each(refusals)('%s: %s', (_row, _what, attempt) => {
      expect(attempt).toThrow();
    });

    it.each([
      ['N6', 'a message of exactly 300 s ago', () => verify(good, Number(good.timestamp) + 300)],
      ['N10', 'an unknown version beside', () => verify({ ...good, signature: `v2,AAAA ${good.signature}` })],
    ])('%s: accepts %s', (_row, _what, attempt) => {
      expect(attempt).not.toThrow();
    });

    it('N14: writes the time as plain decimal seconds, which the verifier reads unchanged', () => {
      expect(signatureHeader(B.id, 1_772_442_930, B.body, [B.secret])).toBe(B.signature);
    });

    it('is never sent without a signature', () => {
      expect(() => signatureHeader(B.id, 1, B.body, [])).toThrow('never sent without a signature');
    });
  });

  describe('secrets', () => {
    it('makes 32 random bytes that the official package reads', () => {
      const secret = newSecret();
      expect(webhookSecretProblem(secret)).toBeNull();
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
      expect(newSecret()).not.toBe(secret);
      expect(sign({ ...B, secret })).toBe(new Webhook(secret).sign(B.id, new Date(Number(B.timestamp) * 1000), B.body));
    });

    it.each([
      ['24 bytes', `whsec_${Buffer.alloc(24, 7).toString('base64')}`, null],
      ['64 bytes', `whsec_${Buffer.alloc(64, 7).toString('base64')}`, null],
      ['23 bytes', `whsec_${Buffer.alloc(23, 7).toString('base64')}`, 'must hold 24 to 64 bytes'],
      ['65 bytes', `whsec_${Buffer.alloc(65, 7).toString('base64')}`, 'must hold 24 to 64 bytes'],
      ['no prefix', Buffer.alloc(32, 7).toString('base64'), 'must begin with whsec_'],
      ['no padding', `whsec_${Buffer.alloc(32, 7).toString('base64').replace('=', '')}`, 'must be whsec_ and standard'],
      ['base64url', `whsec_${Buffer.alloc(33, 0xff).toString('base64url')}`, 'must be whsec_ and standard'],
    ])('%s', (_what, secret, problem) => {
      if (problem === null) expect(webhookSecretProblem(secret)).toBeNull();
      else expect(webhookSecretProblem(secret)).toContain(problem);
    });
  });

  function hexOf(signature: string): string {
    return `v1,${Buffer.from(signature.slice(3), 'base64').toString('hex')}`;
  }

  function keyedWithText({ id, timestamp, body, secret }: typeof B): string {
    return signatureHeader(id, Number(timestamp), body, [`whsec_${Buffer.from(secret).toString('base64')}`]);
  }
});
