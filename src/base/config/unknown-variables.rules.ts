/** First parts of names that programs beside this one use too: there only a name close to a known one is a mistake. */
const SHARED = new Set(['API', 'APP', 'BASE', 'DATA', 'DNS', 'LOG', 'NODE']);
/** Variables of other programs with a first part of ours: the session of a desktop, and addresses that Kubernetes and Docker set. */
const FOREIGN = /^SESSION_MANAGER$|_SERVICE_HOST$|_SERVICE_PORT(?:_\w+)?$|_PORT_\d+_(?:TCP|UDP)(?:_\w+)?$/;
const TYPING_ERRORS = 2;

/**
 * Returns the variables of the environment that begin as a setting of the service does and are none, each with the nearest
 * setting.
 *
 * @param known all names that the service and its command line read
 */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): { variable: string; nearest: string }[] {
  const names = new Set(known);
  const families = new Set(known.map(familyOf).filter((family) => family !== null));
  return Object.entries(env).flatMap(([variable, value]) => {
    const family = familyOf(variable);
    if (names.has(variable) || family === null || !families.has(family)) return [];
    if (FOREIGN.test(variable) || /^(?:tcp|udp):\/\//.test(value ?? '')) return [];
    const [nearest, distance] = nearestOf(variable, SHARED.has(family) ? known.filter((name) => familyOf(name) === family) : known); // prettier-ignore
    return SHARED.has(family) && distance > TYPING_ERRORS ? [] : [{ variable, nearest }];
  });
}

/** The part before the first underscore; null: the name has none. */
function familyOf(name: string): string | null {
  const end = name.indexOf('_');
  return end > 0 ? name.slice(0, end) : null;
}

function nearestOf(name: string, known: readonly string[]): [string, number] {
  return known
    .map((one): [string, number] => [one, distanceBetween(name, one)])
    .reduce((best, one) => (one[1] < best[1] ? one : best));
}

/** Returns the number of characters to insert, remove or replace (Levenshtein). */
function distanceBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
