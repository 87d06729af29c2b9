import { ShapeTexts } from '../../../src/base/database/statement-batches.js';

it('gives one shape to one text and layout', () => {
  const shapes = new ShapeTexts();
  const one = shapes.of('select $1, $2', '1 ');
  one.together = 'together';
  expect(shapes.of(['select $1', '$2'].join(', '), '1 ')).toBe(one);
  const others = [
    shapes.of('select $2, $1', '1 '),
    shapes.of('select $1, $2', '2 '),
    shapes.of('select $1, $2 ', '1 '),
  ];
  expect(new Set([one, ...others].map(({ name }) => name)).size).toBe(4);
  expect(others.map(({ together }) => together)).toEqual([undefined, undefined, undefined]);
});

it('forgets the oldest text at its limit, and never gives a name twice', () => {
  const shapes = new ShapeTexts();
  const names = new Set<string>();
  const kept = shapes.of('select kept', '');
  for (let i = 0; i < 1000; i++) names.add(shapes.of(`select ${'x'.repeat(i % 7)}${i}`, '').name);
  expect(names.size).toBe(1000);
  expect(names.has(kept.name)).toBe(false);
  const again = shapes.of('select kept', '');
  expect(again).not.toBe(kept);
  expect(again.name).not.toBe(kept.name);
});
