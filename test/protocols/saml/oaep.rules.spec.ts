import { createHash, randomBytes } from 'node:crypto';
import { unpadOaep } from '../../../src/protocols/saml/oaep.rules.js';
import { masking, padOaep, type OaepHash } from './support/encrypt.js';

const HASHES: OaepHash[] = ['sha1', 'sha256', 'sha384', 'sha512'];
const LENGTH = 256;

it.each(HASHES.flatMap((digest) => HASHES.map((mask) => [digest, mask] as const)))(
  'gives the text under %s with the mask of %s, at each length',
  (digest, mask) => {
    const longest = LENGTH - 2 * createHash(digest).digest().length - 2;
    for (const length of [0, 1, 16, 32, longest]) {
      // A text that begins as the padding does.
      const text = Buffer.concat([Buffer.from([0, 1]), randomBytes(LENGTH)]).subarray(0, length);
      expect(unpadOaep(padOaep(text, LENGTH, digest, mask), digest, mask)).toEqual(text);
    }
  },
);

/** A block of SHA-256 under the mask of SHA-1, its data changed before the mask. */
function changed(change: (data: Buffer) => void, first = 0): Buffer {
  const block = padOaep(Buffer.from('0123456789abcdef'), LENGTH, 'sha256', 'sha1');
  const seed = masking(block.subarray(1, 33), block.subarray(33), 'sha1');
  const data = masking(block.subarray(33), seed, 'sha1');
  change(data);
  const masked = masking(data, seed, 'sha1');
  return Buffer.concat([Buffer.from([first]), masking(seed, masked, 'sha1'), masked]);
}

it.each<[string, Buffer]>([
  ['begins with another byte than 0', changed(() => undefined, 1)],
  ['has another label', changed((data) => (data[31]! ^= 0x80))],
  ['has a 2 among its zeros', changed((data) => (data[40] = 2))],
  ['has a 2 in the place of the 1', changed((data) => (data[data.length - 17] = 2))],
  ['has no 1 at all', changed((data) => data.fill(0, 32))],
  ['is too short for the hash', Buffer.alloc(65)],
])('gives null for a block that %s', (_what, block) => {
  expect(
    unpadOaep(
      changed(() => undefined),
      'sha256',
      'sha1',
    )?.toString(),
  ).toBe('0123456789abcdef');
  expect(unpadOaep(block, 'sha256', 'sha1')).toBeNull();
});
