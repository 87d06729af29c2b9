import {
  UNLINKED_COLUMNS,
  unlinkedBody,
  unlinkedCells,
} from '../../../../src/directory-sync/routes/unlinked/unlinked.controller.js';

it('shows an unlinked user, as JSON and as CSV', () => {
  const row = {
    user_id: 'usr_1',
    user_name: 'ann@example.com',
    email: 'ann@example.com',
    first_name: 'Ann',
    last_name: 'Other',
    role: 'User',
    seat: 'held',
    held: null,
    updated_at: new Date('2026-11-26T10:00:00Z'),
  };
  expect(unlinkedBody(row)).toEqual({ ...row, updated_at: '2026-11-26T10:00:00.000Z' });
  expect(unlinkedCells(row)).toEqual(UNLINKED_COLUMNS.map((column) => unlinkedBody(row)[column]));
});
