import { noTotals, withEffects } from '../../../../src/directory-sync/routes/preview/plan-totals.rules.js';
import type { PreviewEffect } from '../../../../src/directory-sync/routes/preview/preview.rules.js';

const effect = (more: Partial<PreviewEffect>): PreviewEffect => ({
  kinds: [],
  fields: [],
  takesSeat: false,
  freesSeat: false,
  leaves: false,
  held: null,
  ...more,
});

it('adds up kinds, seats and departures over batches, and leaves the former totals unchanged', () => {
  const first = withEffects(noTotals(), [
    effect({ kinds: ['create'], takesSeat: true }),
    effect({ kinds: ['link', 'update'] }),
  ]);
  const second = withEffects(first, [effect({ kinds: ['take_over', 'deactivate'], freesSeat: true, leaves: true })]);
  expect(first).toEqual({
    kinds: { create: 1, link: 1, take_over: 0, update: 1, deactivate: 0, delete: 0 },
    takeSeat: 1,
    freeSeat: 0,
    leave: 0,
  });
  expect(second).toEqual({
    kinds: { create: 1, link: 1, take_over: 1, update: 1, deactivate: 1, delete: 0 },
    takeSeat: 1,
    freeSeat: 1,
    leave: 1,
  });
});
