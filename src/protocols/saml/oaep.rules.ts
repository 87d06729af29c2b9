import { hash } from 'node:crypto';

/**
 * Removes the padding of RSA-OAEP with an empty label (RFC 8017 §7.1.2, step 3). No step depends on a value of the block
 * before the last one: the time of a refusal does not say which part of the padding is wrong (Manger's attack).
 *
 * @param block as long as the modulus
 * @param digest the hash of the label, by its name in `node:crypto`
 * @param mask the hash of MGF1
 * @returns null when the block is not padded so
 */
export function unpadOaep(block: Buffer, digest: string, mask: string): Buffer | null {
  const label = hash(digest, '', 'buffer');
  const size = label.length;
  // Lengths are public.
  if (block.length < 2 * size + 2) return null;
  const masked = block.subarray(size + 1);
  const seed = xor(block.subarray(1, size + 1), mgf1(masked, size, mask));
  const data = xor(masked, mgf1(seed, masked.length, mask));
  let wrong = block[0]!;
  for (let i = 0; i < size; i++) wrong |= data[i]! ^ label[i]!;
  let isPadding = 1;
  let start = 0;
  for (let i = size; i < data.length; i++) {
    const isOne = isZero(data[i]! ^ 1);
    wrong |= isPadding & ~isOne & ~isZero(data[i]!) & 1;
    start |= -(isPadding & isOne) & (i + 1);
    isPadding &= ~isOne;
  }
  return (wrong | isPadding) === 0 ? data.subarray(start) : null;
}

/** Makes a mask from a seed (RFC 8017 §B.2.1). */
function mgf1(seed: Buffer, length: number, name: string): Buffer {
  const parts: Buffer[] = [];
  const counter = Buffer.alloc(4);
  for (let made = 0; made < length; made += parts[0]!.length) {
    counter.writeUInt32BE(parts.length);
    parts.push(hash(name, Buffer.concat([seed, counter]), 'buffer'));
  }
  return Buffer.concat(parts, length);
}

function xor(bytes: Buffer, mask: Buffer): Buffer {
  const result = Buffer.alloc(bytes.length);
  for (let i = 0; i < bytes.length; i++) result[i] = bytes[i]! ^ mask[i]!;
  return result;
}

/** Returns 1 for the byte 0 and 0 for another one, without a branch. */
function isZero(byte: number): number {
  return (byte - 1) >>> 31;
}
