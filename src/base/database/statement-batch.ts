import { Params, placeOf, type Fragment, type StatementStep } from './params.js';

/** Parameters that are columns of rows: `b` before the subject is written, `subject` afterwards. */
class RowParams extends Params {
  alias = 'b';
  readonly types: string[] = [];
  /** The columns that are read after the subject is written. */
  readonly carried = new Set<number>();

  constructor(tenantId: string) {
    super();
    this.shared(tenantId);
  }

  override add(_value: unknown, type?: string): string {
    const column = this.types.push(type ?? 'text') - 1;
    if (this.alias === 'subject') this.carried.add(column);
    return `${this.alias}.p${column}`;
  }

  /** The tenant is the first parameter; the second one is the array of keys. */
  protected override sharedPlace(_value: string, type: string | undefined): string {
    const others = this.sharedValues.length;
    return placeOf(others === 0 ? 1 : others + 2, type);
  }

  override get source(): string {
    return 'from b';
  }

  override get keys(): string {
    return '$2::text[]';
  }

  override joined(id: string): string {
    return `join subject on subject.id = ${id}`;
  }
}

/**
 * A batch holds the locks of some rows while it waits for that of another one, which a statement of one row never does. So
 * it gives way long before the database looks for a deadlock (`deadlock_timeout`, 1 s), and its statements run alone.
 */
export const LOCK_PATIENCE = '100ms';

/**
 * Returns one text for many statements of a shape: their own values are the rows of a table, and each part reads them
 * there. What a statement costs beside its rows is then paid once: about two thirds of what PostgreSQL does for a new
 * user. The rows that one statement would write are the rows that it writes here: each guard reads the values of its own
 * row, and none of them sees what the others write, as statements that run at the same time.
 *
 * The parameters are the tenant, the keys, the other values that all statements share ({@link Params.sharedValues}), and
 * a column for each value of their own. Statements of one text have one text together.
 *
 * @param steps the fragments of one of them, in the order in which they were added
 */
export function batchText(tenantId: string, steps: readonly StatementStep[]): string {
  const p = new RowParams(tenantId);
  const at = (alias: string, fragment: Fragment): string => {
    p.alias = alias;
    return fragment(p);
  };
  const [before, after]: [string[], string[]] = [[], []];
  let [written, answer, otherwise] = ['', 'subject.*', ''];
  for (const { kind, name, fragment } of steps) {
    if (kind === 'given') before.push(`${name} as materialized (${at('b', fragment)})`);
    else if (kind === 'subject') written = at('b', fragment);
    else if (kind === 'part') after.push(`${name} as (${at('subject', fragment)})`);
    else if (kind === 'answer') answer = at('subject', fragment);
    else otherwise = at('b', fragment);
  }
  const columns = p.types.map((_, i) => `p${i}`);
  const arrays = columns.map((_, i) => `$${p.sharedValues.length + 2 + i}::text[]`);
  const cast = columns.map((name, i) => (p.types[i] === 'text' ? `u.${name}` : `u.${name}::${p.types[i]} as ${name}`));
  const carried = [...p.carried].map((i) => `, b.p${i}`).join('');
  const parts = [
    // Read with the first row, before anything is locked; it holds to the end of the statement.
    `patience as materialized (select set_config('lock_timeout', '${LOCK_PATIENCE}', true) as value)`,
    `b as materialized (select ${['u.key', ...cast].join(', ')}
       from patience cross join unnest(${[p.keys, ...arrays].join(', ')}) as u(${['key', ...columns].join(', ')})
       where patience.value is not null)`,
    ...before,
    `written as (${written})`,
    `subject as materialized (select b.key${carried}, s.* from written s join b on b.key = s.id)`,
    ...after,
  ];
  const rows = `select subject.key as batch_key, ${answer} from subject`;
  const instead =
    otherwise === ''
      ? ''
      : `\nunion all (select b.key, o.* from b cross join lateral (${otherwise} offset 0) o
          where not exists (select 1 from subject s where s.key = b.key))`;
  return `with ${parts.join(',\n')}\n${rows}${instead}`;
}
