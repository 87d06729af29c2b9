// Names are kept for all of a process: other specs of a worker may have used them up.
import { describe, expect, it } from '@jest/globals';
import {
  MAX_OWN,
  MAX_SHAPES,
  shapedStatementName,
  statementCounts,
  statementName,
} from '../../../src/base/database/bounded-client.js';

it('gives a statement of our own the same name each time', () => {
  expect(statementName('select 1')).toBe(statementName('select 1'));
  expect(statementName('select 1')).not.toBe(statementName('select 2'));
});

it('names at most the possible number of texts of our own', () => {
  for (let i = 0; i < 2 * MAX_OWN; i++) statementName(`select 1 as own${i}`);
  expect(statementCounts().own).toBe(MAX_OWN);
  expect(statementName('select 1')).toBeDefined();
  expect(statementName('select 1 as own1999')).toBeUndefined();
});

describe('texts that callers shape', () => {
  const text = (i: number) => `select 1 offset ${i}`;
  const often = (shape: string, times: number) =>
    Array.from({ length: times }, () => shapedStatementName(shape) !== undefined);

  it('are prepared at the third use', () => {
    expect(often('select a', 3)).toEqual([false, false, true]);
  });

  it('are not prepared at the first use, and displace no other', () => {
    for (let i = 0; i < 5000; i++) expect(shapedStatementName(text(i))).toBeUndefined();
    expect(shapedStatementName('select a')).toBeDefined();
  });

  it('are kept by their last use, so that one caller cannot occupy all places', () => {
    for (let i = 0; i < 4 * MAX_SHAPES; i++) {
      expect(often(text(i), 3)[2]).toBe(true);
      expect(shapedStatementName('select a')).toBeDefined();
    }
    expect(statementCounts().shaped).toBe(MAX_SHAPES);
    expect(often('select honest', 3)[2]).toBe(true);
  });
});
