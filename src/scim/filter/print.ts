import type { AttributePath, Filter, PatchPath } from './ast.js';

/** The canonical text of a filter: `parseFilter(printFilter(ast))` is the same ast. */
export function printFilter(filter: Filter): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.map((term) => operand(term)).join(` ${filter.kind} `);
    case 'not':
      return `not (${printFilter(filter.term)})`;
    case 'present':
      return `${printPath(filter.path)} pr`;
    case 'compare':
      return `${printPath(filter.path)} ${filter.op} ${JSON.stringify(filter.value)}`;
    case 'valuePath':
      return `${printPath(filter.path)}[${printFilter(filter.filter)}]`;
  }
}

export function printPath(path: AttributePath): string {
  const name = path.sub === null ? path.attr : `${path.attr}.${path.sub}`;
  return path.urn === null ? name : `${path.urn}:${name}`;
}

export function printPatchPath({ path, filter, sub }: PatchPath): string {
  const values = filter === null ? '' : `[${printFilter(filter)}]`;
  return `${printPath(path)}${values}${sub === null ? '' : `.${sub}`}`;
}

/** Terms that are chains themselves keep their parentheses, whatever the precedence: grouping is part of the tree. */
function operand(filter: Filter): string {
  return filter.kind === 'and' || filter.kind === 'or' ? `(${printFilter(filter)})` : printFilter(filter);
}
