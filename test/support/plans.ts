import pg from 'pg';

/** A node of a plan, as `explain (analyze, format json)` prints it. */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** A statement as it ran, with its plan. */
interface RanStatement {
  readonly text: string;
  readonly plan: PlanNode;
}

interface Notice {
  message?: string | undefined;
}

/** The largest page, and a batch of background work. */
const MOST_SORTED = 1_000;
/** Rows that a scan may pass over to find those that it returns. */
const MOST_PASSED = 1_000;

/**
 * Collects the plans of all statements that the service runs on a database, with their real row counts: `auto_explain`
 * sends each one as a notice on the connection that ran it. Statements within functions and foreign keys are included.
 */
export class PlanRecorder {
  readonly ran: RanStatement[] = [];
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with its client below
  private readonly connect = pg.Client.prototype.connect;
  private recording = false;

  /** Records on connections that are opened from now on. `role` names those of the service. */
  constructor(role: string) {
    const { connect } = this;
    const note = (notice: Notice): void => this.note(notice.message ?? '');
    pg.Client.prototype.connect = function (this: pg.Client, ...args: unknown[]) {
      // node-postgres does not declare the options of a connection.
      const { options } = (this as unknown as { connectionParameters: { options?: string } }).connectionParameters;
      if (options?.includes(`role=${role}`)) this.on('notice', note);
      return (connect as (...given: unknown[]) => unknown).apply(this, args);
    } as typeof connect;
  }

  /** The settings that a superuser gives the database before the service connects. */
  static settings(database: string): string[] {
    const set = (name: string, value: string): string => `alter database ${database} set ${name} = '${value}'`;
    return [
      set('session_preload_libraries', 'auto_explain'),
      set('auto_explain.log_min_duration', '0'),
      set('auto_explain.log_analyze', 'on'),
      set('auto_explain.log_timing', 'off'),
      set('auto_explain.log_nested_statements', 'on'),
      set('auto_explain.log_format', 'json'),
      set('auto_explain.log_level', 'notice'),
    ];
  }

  start(): void {
    this.recording = true;
  }

  /**
   * Judges what runs during `tour`: each faulty statement once, with its faults, and how many statements there were.
   *
   * @param small tables that do not grow with tenants or records
   * @param sums beginnings of statements that are about all rows of a tenant
   */
  async faultsDuring(
    tour: () => Promise<void>,
    small: ReadonlySet<string>,
    sums: readonly string[] = [],
  ): Promise<{ faults: string[]; ran: number }> {
    this.ran.length = 0;
    this.start();
    await tour();
    const faulty = new Map<string, Set<string>>();
    for (const statement of this.ran) {
      if (sums.some((text) => statement.text.startsWith(text))) continue;
      for (const fault of faultsOf(statement, small)) {
        const known = faulty.get(statement.text) ?? new Set();
        faulty.set(statement.text, known.add(fault));
      }
    }
    const faults = [...faulty].map(([text, why]) => `${[...why].join('; ')}: ${text.replaceAll(/\s+/g, ' ')}`);
    return { faults, ran: new Set(this.ran.map(({ text }) => text)).size };
  }

  /** Ends the recording for all connections. */
  stop(): void {
    this.recording = false;
    pg.Client.prototype.connect = this.connect;
  }

  private note(message: string): void {
    const begin = message.indexOf('{');
    if (!this.recording || begin < 0 || !message.startsWith('duration:')) return;
    const { 'Query Text': text, Plan: plan } = JSON.parse(message.slice(begin)) as {
      'Query Text': string;
      Plan: PlanNode;
    };
    this.ran.push({ text, plan });
  }
}

/**
 * Returns what is wrong with the plan of a statement: a table read whole, an index read through for a few rows, a sort of
 * more than a page.
 *
 * @param small tables that do not grow with tenants or users
 */
function faultsOf({ plan }: RanStatement, small: ReadonlySet<string>): string[] {
  const faults: string[] = [];
  const visit = (node: PlanNode): void => {
    const type = node['Node Type'];
    const table = node['Relation Name'] ?? '';
    const loops = node['Actual Loops'] ?? 0;
    const passed = loops * ((node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0));
    const where = `${table}${node['Index Name'] === undefined ? '' : ` by ${node['Index Name']}`}`;
    if (type.endsWith('Seq Scan') && !small.has(table) && !isVoid(node)) faults.push(`reads all of ${table}`);
    else if (passed > MOST_PASSED && !isCut(node)) faults.push(`passes over ${passed} rows of ${where}`);
    if (type === 'Sort' || type === 'Incremental Sort') {
      const sorted = rowsOf(node.Plans![0]!);
      if (sorted > MOST_SORTED) faults.push(`sorts ${sorted} rows`);
    }
    for (const below of node.Plans ?? []) visit(below);
  };
  visit(plan);
  return [...new Set(faults)];
}

/** Whether a node passes over rows of a part of the statement that a limit has cut before: a bounded search. */
function isCut(node: PlanNode): boolean {
  const cuts = (below: PlanNode): boolean => below['Node Type'] === 'Limit' || (below.Plans ?? []).some(cuts);
  return node['Node Type'] === 'Subquery Scan' && (node.Plans ?? []).some(cuts);
}

/** Returns how many rows the scans of a plan have read, also those that they passed over. */
export function rowsRead(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, part) => sum + rowsRead(part), 0);
  if (node['Relation Name'] === undefined) return below;
  const passed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return below + rowsOf(node) + (node['Actual Loops'] ?? 0) * passed;
}

/** Catalogues, and a partition of a month without rows. */
function isVoid(node: PlanNode): boolean {
  const table = node['Relation Name'] ?? '';
  const read = rowsOf(node) + (node['Rows Removed by Filter'] ?? 0);
  return table.startsWith('pg_') || (/_(\d{4}_\d\d|default)$/.test(table) && read === 0);
}

function rowsOf(node: PlanNode): number {
  return (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0);
}
