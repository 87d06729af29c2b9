import { LANE_COLUMNS, laneOf, type LaneRow } from '../../../../src/engine/delivery/lanes/lane-row.mapping.js';
import { laneWith, LATER, OLDER_TOKEN } from '../../../support/lanes.js';

const row: LaneRow = {
  subject: 'usr_1',
  state: 'idle',
  target_state: 'active',
  rank: 1,
  first_pending: null,
  last_pending: '7',
  pending_since: null,
  newer_since: null,
  round: 0,
  epoch: 1,
  call_count: 3,
  call: null,
  lease_token: null,
  lookup: null,
  platform_id: null,
  account: 'none',
  confirmed_state: null,
  confirmed_digest: null,
  confirmed_through: '0',
  confirmed_at: null,
  failure_count: 0,
  own_failure_count: 0,
  failed_at: null,
  next_at: -Infinity,
  parked_reason: null,
  parked_detail: null,
};

it('reads a lane: sequences as numbers, and no time for -infinity', () => {
  expect(laneOf(row)).toEqual(laneWith());
  const pending = laneOf({ ...row, first_pending: '5', lease_token: OLDER_TOKEN, next_at: LATER, platform_id: 'hp_1' });
  expect(pending).toMatchObject({ firstPending: 5, leaseToken: OLDER_TOKEN, nextAt: LATER, accountId: 'hp_1' });
});

it('selects each column that it reads', () => {
  expect(LANE_COLUMNS.replaceAll(/\s/g, '').replaceAll('l.', '').split(',').sort()).toEqual(Object.keys(row).sort());
});
