import type { AttributePath, Filter, PatchPath } from './ast.js';

/** Returns the canonical text of a filter: `parseFilter(printFilter(ast))` equals `ast`. */
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

/** Returns the text of an attribute path. */
export function printPath(path: AttributePath): string {
  const name = path.sub === null ? path.attr : `${path.attr}.${path.sub}`;
  return path.urn === null ? name : `${path.urn}:${name}`;
}

/** Returns the canonical text of a PATCH path. */
export function printPatchPath({ path, filter, sub }: PatchPath): string {
  const values = filter === null ? '' : `[${printFilter(filter)}]`;
  return `${printPath(path)}${values}${sub === null ? '' : `.${sub}`}`;
}

/** Returns the text of a term. A chain keeps its parentheses: grouping is part of the tree. */
function operand(filter: Filter): string {
  return filter.kind === 'and' || filter.kind === 'or' ? `(${printFilter(filter)})` : printFilter(filter);
}
