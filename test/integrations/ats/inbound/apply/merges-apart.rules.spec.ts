import { upToMerge } from '../../../../../src/integrations/ats/inbound/apply/merges-apart.rules.js';

const event = (id: string, survivorId?: string) => ({
  id,
  reading: {
    effect: survivorId === undefined ? { kind: 'candidate' } : { kind: 'gone', gone: { remoteId: id, survivorId } },
  },
});
const batch = (...read: object[]) => ({ rows: read, read, verdicts: read }) as never;
const idsOf = (given: ReturnType<typeof upToMerge>) =>
  [given.rows, given.read, given.verdicts].map((list) => list.map(({ id }) => id));

test('leaves a batch whole when it has no merge', () => {
  const whole = upToMerge(batch(event('1'), event('2')));
  expect([whole.isCut, idsOf(whole)]).toEqual([
    false,
    [
      ['1', '2'],
      ['1', '2'],
      ['1', '2'],
    ],
  ]);
});

test('ends a batch before its first merge', () => {
  const cut = upToMerge(batch(event('1'), event('2'), event('3', '9'), event('4')));
  expect([cut.isCut, idsOf(cut)[1]]).toEqual([true, ['1', '2']]);
});

test('takes a merge alone when it comes first', () => {
  expect(idsOf(upToMerge(batch(event('1', '9'), event('2'))))).toEqual([['1'], ['1'], ['1']]);
});
