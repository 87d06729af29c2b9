import { invalidValue, type ScimRequestError } from '../scim.errors.js';
import { bulkReferences } from './bulk-references.js';
import type { BulkOperation } from './bulk-request.js';

/** One step of a bulk request. */
export type BulkStep =
  /** Run the operation without the references in `deferred` (`withoutReferences`). */
  | { readonly kind: 'execute'; readonly index: number; readonly deferred: ReadonlySet<string> }
  /**
   * The operation has created its resource without the references in `deferred`. Their ids are known now: write its
   * whole data to that resource, like a PUT.
   */
  | { readonly kind: 'completeReferences'; readonly index: number; readonly deferred: ReadonlySet<string> }
  /** Do not run the operation; this is its result. */
  | { readonly kind: 'refuse'; readonly index: number; readonly error: ScimRequestError };

/** The order of the operations of a bulk request. */
interface BulkPlan {
  readonly steps: readonly BulkStep[];
  /** For each operation, the bulkIds that it refers to. If one of them was not created, the operation fails. */
  readonly references: readonly ReadonlySet<string>[];
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Orders the operations of a bulk request so that references point to existing resources (RFC 7644 §3.7.2).
 *
 * Operations keep their order, except that a resource is created before the first operation that refers to it. In a
 * circle one resource is created without its reference, and completed once the other exists. A reference to a bulkId
 * that no POST of the request defines refuses its operation.
 */
export function planBulk(operations: readonly BulkOperation[]): BulkPlan {
  const references = operations.map(({ refusal, data, path }) =>
    refusal === null ? new Set([...bulkReferences(data), ...bulkReferences(path)]) : NONE,
  );
  return { steps: new Order(operations, references).steps(), references };
}

/**
 * Visits the operations depth first along their references. It has a stack of its own, since a chain can be as long as
 * the request.
 */
class Order {
  private readonly definitions = new Map<string, number>();
  private readonly state: ('new' | 'open' | 'done')[];
  private readonly deferred = new Map<number, Set<string>>();
  /** For each POST that is not done, the operations with a deferred reference to it. */
  private readonly waiting = new Map<number, number[]>();
  /** For each operation, the number of deferred references that are not done. */
  private readonly missing = new Map<number, number>();
  private readonly result: BulkStep[] = [];

  constructor(
    private readonly operations: readonly BulkOperation[],
    private readonly references: readonly ReadonlySet<string>[],
  ) {
    this.state = operations.map(() => 'new');
    for (const { index, method, bulkId } of operations) {
      if (method === 'POST' && bulkId !== undefined) this.definitions.set(bulkId, index);
    }
  }

  steps(): readonly BulkStep[] {
    for (let index = 0; index < this.operations.length; index++) this.visit(index);
    return this.result;
  }

  private visit(start: number): void {
    if (this.state[start] !== 'new') return;
    const stack = [this.open(start)];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = this.nextDependency(top);
      if (next === undefined) {
        this.close(top.index);
        stack.pop();
      } else {
        stack.push(this.open(next));
      }
    }
  }

  private open(index: number): { index: number; left: Iterator<string> } {
    this.state[index] = 'open';
    return { index, left: (this.references[index] ?? NONE).values() };
  }

  /** Returns the next operation that has to come before; defers references into the open circle. */
  private nextDependency({ index, left }: { index: number; left: Iterator<string> }): number | undefined {
    for (let item = left.next(); item.done !== true; item = left.next()) {
      const definition = this.definitions.get(item.value);
      if (definition === undefined) continue;
      if (this.state[definition] === 'new') return definition;
      if (this.state[definition] === 'open') {
        const put = this.deferred.get(index) ?? new Set<string>();
        this.deferred.set(index, put.add(item.value));
        this.missing.set(index, (this.missing.get(index) ?? 0) + 1);
        const waiters = this.waiting.get(definition);
        if (waiters === undefined) this.waiting.set(definition, [index]);
        else waiters.push(index);
      }
    }
    return undefined;
  }

  private close(index: number): void {
    this.state[index] = 'done';
    const operation = this.operations[index];
    const unknown = this.unknownReference(index);
    if (operation?.refusal != null) {
      this.result.push({ kind: 'refuse', index, error: operation.refusal });
    } else if (unknown !== undefined) {
      const error = invalidValue(`No POST of this request has the bulkId "${unknown.slice(0, 100)}".`);
      this.result.push({ kind: 'refuse', index, error });
      this.deferred.delete(index);
    } else {
      this.result.push({ kind: 'execute', index, deferred: this.deferred.get(index) ?? NONE });
    }
    for (const waiter of this.waiting.get(index) ?? []) {
      this.missing.set(waiter, this.missing.get(waiter)! - 1);
      this.complete(waiter);
    }
    this.complete(index);
  }

  private unknownReference(index: number): string | undefined {
    for (const id of this.references[index] ?? NONE) if (!this.definitions.has(id)) return id;
    return undefined;
  }

  /** Completes an operation once it and all its deferred references are done. Each reference is counted once. */
  private complete(index: number): void {
    const ids = this.deferred.get(index);
    if (ids === undefined || this.state[index] !== 'done' || this.missing.get(index) !== 0) return;
    this.deferred.delete(index);
    this.result.push({ kind: 'completeReferences', index, deferred: ids });
  }
}
