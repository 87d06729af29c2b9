import { KeyRing } from '../../../src/tenancy/ledger/chain-keys.js';

const seed = (byte: number): Buffer => Buffer.alloc(32, byte);
const [first, second, third] = [seed(1), seed(2), seed(3)];

it('signs with the first key and verifies with all of them', () => {
  const old = new KeyRing([first]);
  const both = new KeyRing([second, first]);
  expect(both.currentId).not.toBe(old.currentId);
  expect(both.verifies('text', old.sign('text'))).toBe(true);
  expect(old.verifies('text', both.sign('text'))).toBe(false);
  expect(both.verifies('other', both.sign('text'))).toBe(false);
  expect(both.publicKeys().map(({ current }) => current)).toEqual([true, false]);
});

it('trusts a key that has left the settings while a later one has endorsed it, in any number of steps', () => {
  const signed = new KeyRing([first]).sign('text');
  const byThe2nd = new KeyRing([second, first]).endorsements();
  const byThe3rd = new KeyRing([third, second]).endorsements();
  const now = new KeyRing([third]);
  expect(now.verifies('text', signed)).toBe(false);
  now.learn([...byThe2nd, ...byThe3rd]);
  expect(now.verifies('text', signed)).toBe(true);
});

it('trusts no key without an endorsement of a trusted key, and none under another id', () => {
  const mine = new KeyRing([first]);
  const stranger = new KeyRing([second]);
  mine.learn(stranger.endorsements());
  expect(mine.knows(stranger.currentId)).toBe(false);

  const [own] = mine.endorsements();
  const [theirs] = stranger.endorsements();
  mine.learn([{ ...theirs!, endorsedBy: mine.currentId, signature: own!.signature }]);
  expect(mine.knows(stranger.currentId)).toBe(false);
  mine.learn([{ ...own!, keyId: stranger.currentId }]);
  expect(mine.knows(stranger.currentId)).toBe(false);
});
