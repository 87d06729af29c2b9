import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * What a credential is good for: an API key, a directory's SCIM token, the installation's operator; of a person's
 * session its cookie (`tbn`), the one-time code for another application (`tbc`) and what renews that one's token (`tbr`);
 * a sign-in link that the operator has made (`tbl`).
 */
export type TokenKind = 'tbk' | 'tbs' | 'tbo' | 'tbn' | 'tbc' | 'tbr' | 'tbl';

export interface MintedToken {
  /** Shown once and kept nowhere. */
  token: string;
  /** What is stored. */
  hash: Buffer;
  /** The beginning, by which people tell their credentials apart. */
  prefix: string;
}

export interface ParsedToken {
  kind: TokenKind;
  /** The tenant that a look-up leads with; '' for the operator. */
  tenantId: string;
  hash: Buffer;
}

// Letters and digits only: a double click selects the whole secret. 43 of 62 signs hold 256 bits.
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET = 43;
const CHECKSUM = 6;
const OPERATOR = 'operator';
const SHAPE = /^(tb[ksoncrl])_([0-9a-z]{8,40})_[0-9A-Za-z]{49}$/;

/** A new credential: `<kind>_<tenant>_<secret><checksum>`. */
export function mintToken(kind: TokenKind, tenantId: string): MintedToken {
  const tenantPart = kind === 'tbo' ? OPERATOR : tenantId.replace(/^ten_/, '');
  const body = `${kind}_${tenantPart}_${randomSigns(SECRET)}`;
  const token = body + checksumOf(body);
  return { token, hash: hashToken(token), prefix: body.slice(0, body.length - SECRET + 4) };
}

/** Reads a credential; null when it cannot be one of ours, which costs no trip to the database. */
export function parseToken(text: string): ParsedToken | null {
  const match = SHAPE.exec(text);
  if (match === null) return null;
  const end = text.length - CHECKSUM;
  if (checksumOf(text.slice(0, end)) !== text.slice(end)) return null;
  const kind = match[1] as TokenKind;
  return { kind, tenantId: kind === 'tbo' ? '' : `ten_${match[2]!}`, hash: hashToken(text) };
}

/** The stored form. A plain hash is enough: 256 random bits cannot be guessed. */
export function hashToken(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Whether two hashes are the same, in a time that says nothing about where they differ. */
export function sameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let signs = '';
  for (let i = 0; i < CHECKSUM; i++) {
    signs = ALPHABET[rest % 62]! + signs;
    rest = Math.floor(rest / 62);
  }
  return signs;
}

function randomSigns(count: number): string {
  let signs = '';
  while (signs.length < count) {
    for (const byte of randomBytes(count)) {
      // 248 is the largest multiple of 62 in a byte: above it some signs would come more often than others.
      if (byte < 248 && signs.length < count) signs += ALPHABET[byte % 62]!;
    }
  }
  return signs;
}
