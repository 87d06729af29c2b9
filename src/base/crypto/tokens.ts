import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The kinds of credentials: an API key (`tbk`), a directory's SCIM token (`tbs`), the secret of a client of a directory (`tbd`)
 * and the access token that the client gets for it (`tba`), the operator's token (`tbo`). Of a session: the cookie (`tbn`), the
 * one-time code for another application (`tbc`) and its refresh token (`tbr`). A sign-in link of the operator (`tbl`). Of an
 * ATS: a link to connect it (`tbi`), and the `state` of its OAuth (`tbg`). Of the console: a link (`tbe`), and the cookie of a
 * session (`tbw`).
 */
export type TokenKind =
  'tbk' | 'tbs' | 'tbd' | 'tba' | 'tbo' | 'tbn' | 'tbc' | 'tbr' | 'tbl' | 'tbi' | 'tbg' | 'tbe' | 'tbw';

interface MintedToken {
  /** Shown once and not stored. */
  token: string;
  hash: Buffer;
  /** The beginning, by which users recognise a credential. */
  prefix: string;
}

/** The parts of a credential. */
export interface ParsedToken {
  kind: TokenKind;
  /** A look-up begins with the tenant; '' for the operator. */
  tenantId: string;
  hash: Buffer;
}

// Only letters and digits, so that a double click selects the whole secret. 43 of 62 characters hold 256 bits.
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET = 43;
const CHECKSUM = 6;
const OPERATOR = 'operator';
const SHAPE = /^(tb[ksoncrliaewgd])_([0-9a-z]{8,40})_[0-9A-Za-z]{49}$/;

/** Creates a credential: `<kind>_<tenant>_<secret><checksum>`. `tenantId` is '' for one of the operator. */
export function mintToken(kind: TokenKind, tenantId: string): MintedToken {
  const tenantPart = tenantId === '' ? OPERATOR : tenantId.replace(/^ten_/, '');
  const body = `${kind}_${tenantPart}_${randomSigns(SECRET)}`;
  const token = body + checksumOf(body);
  return { token, hash: hashToken(token), prefix: body.slice(0, body.length - SECRET + 4) };
}

/** Parses a credential; null when its form or checksum is wrong, which needs no look-up. */
export function parseToken(text: string): ParsedToken | null {
  const match = SHAPE.exec(text);
  if (match === null) return null;
  const end = text.length - CHECKSUM;
  if (checksumOf(text.slice(0, end)) !== text.slice(end)) return null;
  const kind = match[1] as TokenKind;
  return { kind, tenantId: match[2] === OPERATOR ? '' : `ten_${match[2]!}`, hash: hashToken(text) };
}

/** A credential as a request presents it. Guards and limits read its parts, which are computed once. */
export class PresentedToken {
  private known: ParsedToken | null | undefined;
  private knownHash: Buffer | undefined;

  constructor(readonly text: string) {}

  get parsed(): ParsedToken | null {
    if (this.known === undefined) this.known = parseToken(this.text);
    return this.known;
  }

  /** For storage and look-ups, also of a text in a wrong form. */
  get hash(): Buffer {
    this.knownHash ??= this.parsed?.hash ?? hashToken(this.text);
    return this.knownHash;
  }
}

/** A plain hash is enough: 256 random bits cannot be guessed. */
export function hashToken(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Compares in constant time. */
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
      // 248 is the largest multiple of 62 in a byte: higher bytes would make some characters more frequent.
      if (byte < 248 && signs.length < count) signs += ALPHABET[byte % 62]!;
    }
  }
  return signs;
}
