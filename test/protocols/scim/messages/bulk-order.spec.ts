import fc from '../../../support/properties.js';
import { dialectOf } from '../../../../src/protocols/scim/dialects/dialects.js';
import { planBulk, type BulkStep } from '../../../../src/protocols/scim/messages/bulk-order.js';
import { parseBulkRequest } from '../../../../src/protocols/scim/messages/bulk-request.js';
import { long } from '../../../support/rounds.js';

/** POSTs named `bulkId`, each referring to others; PATCHes and DELETEs by their path. */
function plan(...operations: (readonly [string, ...string[]])[]): readonly BulkStep[] {
  const wire = operations.map(([name, ...refs]) =>
    name.startsWith('/')
      ? { method: 'PUT', path: name, data: { members: refs.map((ref) => ({ value: `bulkId:${ref}` })) } }
      : {
          method: 'POST',
          path: '/Groups',
          bulkId: name,
          data: { members: refs.map((ref) => ({ value: `bulkId:${ref}` })) },
        },
  );
  return planBulk(parseBulkRequest({ Operations: wire }, { maxOperations: 1000 }, dialectOf('tolerant')).operations)
    .steps;
}

const readable = (steps: readonly BulkStep[]): string[] =>
  steps.map((step) =>
    step.kind === 'refuse' ? `refuse ${step.index}` : [step.kind, step.index, ...step.deferred].join(' '),
  );

describe('planBulk', () => {
  it.each<[string, (readonly [string, ...string[]])[], string[]]>([
    ['no references: the order of the request', [['a'], ['/Users/x'], ['b']], ['execute 0', 'execute 1', 'execute 2']],
    ['a definition before its use', [['a'], ['b', 'a']], ['execute 0', 'execute 1']],
    ['a use before its definition', [['b', 'a'], ['/Users/x'], ['a']], ['execute 2', 'execute 0', 'execute 1']],
    ['a chain backwards', [['a', 'b'], ['b', 'c'], ['c']], ['execute 2', 'execute 1', 'execute 0']],
    ['a reference in a path', [['/Groups/bulkId:a'], ['a']], ['execute 1', 'execute 0']],
    [
      'a circle of two',
      [
        ['a', 'b'],
        ['b', 'a'],
      ],
      ['execute 1 a', 'execute 0', 'completeReferences 1 a'],
    ],
    ['a resource that refers to itself', [['a', 'a']], ['execute 0 a', 'completeReferences 0 a']],
    [
      'a circle of three',
      [
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'a'],
      ],
      ['execute 2 a', 'execute 1', 'execute 0', 'completeReferences 2 a'],
    ],
    [
      'two circles that share one',
      [
        ['a', 'b', 'c'],
        ['b', 'a'],
        ['c', 'a'],
      ],
      ['execute 1 a', 'execute 2 a', 'execute 0', 'completeReferences 1 a', 'completeReferences 2 a'],
    ],
    [
      'a follow-up comes as soon as it can',
      [['a', 'b'], ['b', 'a'], ['d']],
      ['execute 1 a', 'execute 0', 'completeReferences 1 a', 'execute 2'],
    ],
    [
      'a reference that no operation defines',
      [
        ['a', 'unknown'],
        ['b', 'a'],
      ],
      ['refuse 0', 'execute 1'],
    ],
    [
      'an unknown reference, and a circle',
      [
        ['a', 'b', 'unknown'],
        ['b', 'a'],
      ],
      ['execute 1 a', 'refuse 0', 'completeReferences 1 a'],
    ],
  ])('%s', (_, operations, expected) => {
    expect(readable(plan(...operations))).toEqual(expected);
  });

  it('refuses an operation that the request refused, without a look for references in it', () => {
    const { operations } = parseBulkRequest(
      { Operations: [{ method: 'POST', path: '/Nope', bulkId: 'a', data: { x: 'bulkId:zzz' } }] },
      { maxOperations: 1 },
      dialectOf('tolerant'),
    );
    expect(planBulk(operations).steps).toEqual([
      expect.objectContaining({ kind: 'refuse', index: 0, error: operations[0]?.refusal }),
    ]);
  });

  it('returns the references of each operation', () => {
    const wire = [{ method: 'PUT', path: '/Users/bulkId:a', data: { manager: { value: 'bulkId:b' } } }];
    const { references } = planBulk(
      parseBulkRequest({ Operations: wire }, { maxOperations: 1 }, dialectOf('tolerant')).operations,
    );
    expect([...(references[0] ?? [])].sort()).toEqual(['a', 'b']);
  });

  it('plans a chain of the maximum length', () => {
    const chain = Array.from({ length: 1000 }, (_, i) => [`g${i}`, `g${(i + 1) % 1000}`] as const);
    expect(plan(...chain)).toHaveLength(1001);
  });

  long('creates each resource once, and refers to existing ones alone', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const graphs = fc.array(fc.uniqueArray(fc.constantFrom(...names)), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(graphs, (graph) => {
        const steps = plan(...graph.map((refs, i) => [names[i] ?? '', ...refs] as const));
        const there = new Set<string>();
        const open = new Map<number, ReadonlySet<string>>();
        for (const step of steps) {
          if (step.kind === 'refuse') throw new Error('nothing to refuse');
          const refs = graph[step.index] ?? [];
          if (step.kind === 'execute') {
            for (const ref of refs) expect(there.has(ref) || step.deferred.has(ref)).toBe(true);
            if (step.deferred.size > 0) open.set(step.index, step.deferred);
            expect(there.has(names[step.index] ?? '')).toBe(false);
            there.add(names[step.index] ?? '');
          } else {
            for (const ref of refs) expect(there.has(ref)).toBe(true);
            expect(open.get(step.index)).toEqual(step.deferred);
            open.delete(step.index);
          }
        }
        expect(there.size).toBe(5);
        expect(open.size).toBe(0);
      }),
      { numRuns: 500 },
    );
  });
});
