import { NotAcceptable } from './http.errors.js';

/** Refuses with 406 a caller whose Accept header leaves room for none of the types that an address answers with. */
export function demandAcceptable(accept: string | undefined, ...types: readonly string[]): void {
  if (accept === undefined || accept === '' || accept.includes('*/*')) return;
  const wanted = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return { type, refused: parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) };
  });
  const fits = (type: string): boolean =>
    wanted.some((range) => !range.refused && (range.type === type || range.type === `${type.split('/')[0]!}/*`));
  if (!types.some(fits)) throw new NotAcceptable(types.join(' or '));
}
