import {
  PLAN_COLUMNS,
  planCells,
  previewedUser,
} from '../../../../src/directory-sync/routes/preview/preview.controller.js';
import type { PlannedRow } from '../../../../src/directory-sync/routes/preview/preview-plans.repository.js';
import { kindsOf, storedKinds, type PreviewKind } from '../../../../src/directory-sync/routes/preview/preview.rules.js';

const ROW: PlannedRow = {
  user_id: 'usr_1',
  user_name: 'ann@example.com',
  owner_kind: 'take_over',
  change_kind: 'update',
  fields: ['role', 'last_name'],
  take_seat: false,
  held: null,
  steps: {
    role: { from: 'User', to: 'Admin' },
    status: { from: 'active', to: 'active' },
    seat: { from: 'held', to: 'held' },
    console: { from: 'none', to: 'admin' },
  },
  made_at: new Date('2026-11-26T10:00:00Z'),
};

it('shows a user of a plan with all its kinds, as JSON and as CSV', () => {
  const would = ['take_over', 'update'];
  expect(previewedUser(ROW)).toEqual({
    user_id: 'usr_1',
    user_name: 'ann@example.com',
    would,
    fields: ['role', 'last_name'],
    take_seat: false,
    held: null,
    steps: ROW.steps,
  });
  expect(planCells(ROW)).toEqual([
    'usr_1',
    'ann@example.com',
    'take_over update',
    'role last_name',
    'false',
    null,
    ...['User', 'Admin', 'active', 'active', 'held', 'held', 'none', 'admin'],
    ROW.made_at,
  ]);
  expect(PLAN_COLUMNS).toHaveLength(planCells(ROW).length);
});

it.each<PreviewKind[]>([['create'], ['link', 'deactivate'], ['delete'], ['take_over']])(
  'stores %s %s in two columns and reads them back',
  (...kinds) => {
    const given = kinds.filter((kind) => kind !== undefined);
    expect(kindsOf(storedKinds(given))).toEqual(given);
  },
);
