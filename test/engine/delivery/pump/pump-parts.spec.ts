import { CallBudget } from '../../../../src/engine/delivery/pump/pump-parts.js';

it('leaves calls to other tenants when one tenant has many open ones', () => {
  const budget = new CallBudget(10, 4);
  for (let i = 0; i < 4; i++) budget.take('ten_1');
  expect(budget.roomFor('ten_1')).toBe(0);
  expect(budget.roomFor('ten_2')).toBe(4);
  for (let i = 0; i < 4; i++) budget.take('ten_2');
  expect(budget.roomFor('ten_3')).toBe(2);
  budget.release('ten_1');
  expect(budget.roomFor('ten_1')).toBe(1);
});
