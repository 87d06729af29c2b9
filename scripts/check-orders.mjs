// A bare name in ORDER BY is the output column, not the column of the table. Where the output is a cast of it
// (`entry_id::text as entry_id`), rows come in the order of the cast: as text, 10 is before 9. No statement of src may
// order by such an output, nor by a name of a list of columns that the check cannot see.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { filesIn } from './check-tables.mjs';

/** Marks a part of a statement that is known at run time alone. */
const UNSEEN = '¤';
const CAST = /^(::|cast|to_char)$/i;
const TOKENS = /'(?:[^']|'')*'|"[^"]*"|::|->>|#>>|[a-z_][\w]*(?:\.(?:[a-z_]\w*|\*))*|\d+|¤|[^\s]/gi;
const SOURCE_ENDS = /^(where|group|order|limit|offset|having|window|for|union|intersect|except|returning|on|fetch)$/i;
const ORDER_ENDS = /^(limit|offset|for|fetch|rows|range|groups|returning|union|with|where|on)$/i;
const MODIFIERS = /^(asc|desc|nulls|first|last|collate|"C"|¤)$/i;

/** Returns what is wrong with the orders of a statement, one text for each; none: all orders are as they read. */
export function orderFaults(statement) {
  const faults = [];
  visit(treeOf(statement), new Map(), [], faults);
  return [...new Set(faults)];
}

/** Reads a statement as a tree: a list of tokens and, for each pair of parentheses, a list in it. */
function treeOf(statement) {
  const root = [];
  const open = [root];
  for (const [token] of statement.replace(/--[^\n]*/g, '').matchAll(TOKENS)) {
    if (token === '(') {
      const list = [];
      open.at(-1).push(list);
      open.push(list);
    } else if (token === ')') {
      if (open.length > 1) open.pop();
    } else open.at(-1).push(token);
  }
  return root;
}

const isWord = (token, word) => typeof token === 'string' && token.toLowerCase() === word;

/**
 * Checks the orders of a list and of the lists in it.
 *
 * @param ctes the outputs of named queries, by name
 * @param around the sources of the query around an aggregate or a window
 * @returns the outputs of the list if it is a query, else null
 */
function visit(list, ctes, around, faults) {
  const known = new Map(ctes);
  list.forEach((token, i) => {
    const named = isWord(list[i - 1], 'as') ? list[i - 2] : isWord(list[i - 1], 'materialized') ? list[i - 3] : null;
    if (
      Array.isArray(token) &&
      typeof named === 'string' &&
      token.some((one) => /^(select|insert|update|delete)$/i.test(one))
    ) {
      known.set(named, visit(token, known, around, faults));
    }
  });
  const selects = [...list.keys()].filter((i) => isWord(list[i], 'select'));
  const sources = selects.length === 0 ? around : selects.flatMap((at) => sourcesOf(list, at, known, faults));
  const below = list.filter(Array.isArray).map((token) => visit(token, known, sources, faults));
  // Branches of a union can be in parentheses of their own.
  const branches = list.some((token) => isWord(token, 'union')) ? below.filter((one) => one !== null) : [];
  const outputs = selects.length > 0 ? selects.map((at) => outputsOf(list, at, sources)) : branches;
  list.forEach((token, i) => {
    if (!isWord(token, 'order') || !isWord(list[i + 1], 'by')) return;
    for (const item of itemsOf(list.slice(i + 2), ORDER_ENDS)) {
      const [name, ...rest] = item.filter((one) => !MODIFIERS.test(one));
      if (typeof name !== 'string' || rest.length > 0) continue;
      const fault = faultOf(name, outputs, sources);
      if (fault !== null) faults.push(`order by ${name}: ${fault}`);
    }
  });
  return outputs[0] ?? null;
}

/** Splits a list of tokens at its commas, up to a word that ends it. */
function itemsOf(tokens, end) {
  const items = [[]];
  for (const token of tokens) {
    if (typeof token === 'string' && end.test(token)) break;
    if (token === ',') items.push([]);
    else items.at(-1).push(token);
  }
  return items;
}

/** The sources after the `from` of a query: alias and outputs; null for those of a table. */
function sourcesOf(list, select, ctes, faults) {
  const from = list.findIndex((token, i) => i > select && isWord(token, 'from'));
  if (from < 0) return [];
  const sources = [];
  for (let i = from + 1; i < list.length && !/^(where|group|order|limit|union|select)$/i.test(list[i]); i++) {
    const token = list[i];
    if (/^(join|left|right|full|inner|cross|lateral|only|as|on|natural)$/i.test(token)) continue;
    const after = isWord(list[i + 1], 'as') ? list[i + 2] : list[i + 1];
    const alias =
      typeof after === 'string' && /^[a-z_]\w*$/i.test(after) && !/^(on|join|left|cross|where|order)$/i.test(after)
        ? after
        : null;
    if (Array.isArray(token)) sources.push({ alias, outputs: visit(token, ctes, sources, faults) });
    else if (/^[a-z_]/i.test(token)) sources.push({ alias: alias ?? token, outputs: ctes.get(token) ?? null });
  }
  return sources;
}

/** The outputs of a query by name and place: `plain`, `cast`, `computed` or `unseen`. */
function outputsOf(list, select, sources) {
  const outputs = { names: new Map(), places: [], unseen: false };
  let rest = list.slice(select + 1);
  if (isWord(rest[0], 'distinct')) rest = rest.slice(isWord(rest[1], 'on') ? 3 : 1);
  for (const item of itemsOf(rest, /^(from|where|order|limit|union)$/i)) {
    const as = item.findLastIndex((token) => isWord(token, 'as'));
    const alias = as >= 0 ? item[as + 1] : typeof item.at(-1) === 'string' ? item.at(-1).split('.').at(-1) : null;
    const expression = (as >= 0 ? item.slice(0, as) : item).flat(Infinity);
    if (item.length === 1 && item[0] === UNSEEN) outputs.unseen = true;
    const kind = kindOf(expression, as >= 0 ? alias : null, sources);
    outputs.places.push(kind);
    if (alias === '*') for (const { outputs: inner } of sources) mergeInto(outputs, inner);
    else if (alias !== null) outputs.names.set(alias, kind);
  }
  return outputs;
}

/** `alias` is null for an output without `as`. A column in another collation keeps its type. */
function kindOf(expression, alias, sources) {
  if (expression.length === 1) {
    if (expression[0] === UNSEEN && alias !== null) return 'unseen';
    return kindIn(expression[0], sources) ?? 'plain';
  }
  const hidesColumn =
    expression.some((token) => token.split('.').at(-1) === alias) && !isWord(expression[1], 'collate');
  return hidesColumn || expression.some((token) => CAST.test(token)) ? 'cast' : 'computed';
}

function mergeInto(outputs, inner) {
  if (inner === null) return;
  for (const [name, kind] of inner.names) if (!outputs.names.has(name)) outputs.names.set(name, kind);
}

/** What a name means as an input of a query: the output of a query below it; null: a column of a table. */
function kindIn(name, sources) {
  const [alias, column] = name.includes('.') ? name.split('.') : [null, name];
  for (const source of sources) {
    if (alias !== null && source.alias !== alias) continue;
    const kind = source.outputs?.names.get(column);
    if (kind !== undefined) return kind;
  }
  return null;
}

function faultOf(name, outputs, sources) {
  if (/^\d+$/.test(name)) {
    const kind = outputs[0]?.places[Number(name) - 1];
    return kind === 'cast' ? 'a place whose output is a cast' : null;
  }
  if (!/^[a-z_]/i.test(name)) return null;
  const named = name.includes('.') ? [] : outputs.flatMap(({ names }) => names.get(name) ?? []);
  const own = named.find((kind) => kind === 'cast') ?? named[0];
  const kind = own ?? kindIn(name, sources);
  if (kind === 'cast') return 'an output that is a cast; name the column with its table';
  if (kind === 'unseen') return 'an output that cannot be seen here; name the column with its table';
  if (own === undefined && kind === null && !name.includes('.') && outputs.some(({ unseen }) => unseen)) {
    return 'the list of columns cannot be seen here; name the column with its table';
  }
  return null;
}

/** Fails where a statement of src orders by the text, or another cast, of a column. */
export function checkOrders() {
  const faults = filesIn('src').flatMap((file) =>
    statementsOf(file).flatMap((text) => orderFaults(text).map((fault) => `${file}: ${fault}`)),
  );
  if (faults.length > 0) throw new Error(`ORDER BY is not what it reads:\n  ${[...new Set(faults)].join('\n  ')}`);
}

/** The statements of a file with an order; names of constants in them are replaced by their texts. */
function statementsOf(file) {
  const { source } = fileOf(file);
  const texts = [];
  const collect = (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const text = textOf(node, file, 0);
      if (/\border\s+by\b/i.test(text)) texts.push(text);
      return;
    }
    ts.forEachChild(node, collect);
  };
  collect(source);
  return texts;
}

const files = new Map();

/** A file with its constants by name (undefined: two of one name) and the files of its imported names. */
function fileOf(file) {
  if (files.has(file)) return files.get(file);
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const found = { source, constants: new Map(), imports: new Map() };
  files.set(file, found);
  const collect = (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) {
      found.constants.set(node.name.text, found.constants.has(node.name.text) ? undefined : node.initializer);
    }
    if (ts.isImportDeclaration(node) && node.moduleSpecifier.text.startsWith('.')) {
      const from = path.posix.join(path.posix.dirname(file), node.moduleSpecifier.text.replace(/\.js$/, '.ts'));
      for (const { name } of node.importClause?.namedBindings?.elements ?? []) found.imports.set(name.text, from);
    }
    ts.forEachChild(node, collect);
  };
  collect(source);
  return found;
}

function textOf(node, file, depth) {
  if (node === undefined || depth > 8) return UNSEEN;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return (
      node.head.text +
      node.templateSpans.map(({ expression, literal }) => textOf(expression, file, depth + 1) + literal.text).join('')
    );
  }
  if (!ts.isIdentifier(node)) return UNSEEN;
  const { constants, imports } = fileOf(file);
  if (constants.has(node.text)) return textOf(constants.get(node.text), file, depth + 1);
  const from = imports.get(node.text);
  return from === undefined || !from.startsWith('src/') ? UNSEEN : textOf(node, from, depth + 1);
}
