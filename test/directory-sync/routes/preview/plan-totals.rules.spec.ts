import { noTotals, withEffects } from '../../../../src/directory-sync/routes/preview/plan-totals.rules.js';
import type { SteppedEffect } from '../../../../src/directory-sync/routes/preview/preview.rules.js';

const STEPS: SteppedEffect['steps'] = {
  role: { from: 'User', to: 'User' },
  status: { from: 'active', to: 'active' },
  seat: { from: 'held', to: 'held' },
  console: { from: 'none', to: 'none' },
};
const effect = (more: Partial<SteppedEffect>): SteppedEffect => ({
  kinds: [],
  fields: [],
  takesSeat: false,
  freesSeat: false,
  leaves: false,
  held: null,
  steps: STEPS,
  ...more,
});

it('adds up kinds, seats, departures and administrators over batches, and leaves the former totals unchanged', () => {
  const first = withEffects(noTotals(), [
    effect({ kinds: ['create'], takesSeat: true }),
    effect({ kinds: ['link', 'update'] }),
  ]);
  const second = withEffects(first, [
    effect({
      kinds: ['take_over', 'deactivate'],
      freesSeat: true,
      leaves: true,
      steps: { ...STEPS, console: { from: 'admin', to: 'none' } },
    }),
  ]);
  expect(first).toEqual({
    kinds: { create: 1, link: 1, take_over: 0, update: 1, deactivate: 0, delete: 0 },
    takeSeat: 1,
    freeSeat: 0,
    leave: 0,
    administrators: 0,
  });
  expect(second).toEqual({
    kinds: { create: 1, link: 1, take_over: 1, update: 1, deactivate: 1, delete: 0 },
    takeSeat: 1,
    freeSeat: 1,
    leave: 1,
    administrators: 1,
  });
});
