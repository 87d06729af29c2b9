/** `attrPath` as written (RFC 7644 §3.4.2.2, §3.10). `resolve.ts` finds the attribute. */
export interface AttributePath {
  readonly urn: string | null;
  readonly attr: string;
  readonly sub: string | null;
}

/** The comparison operators (RFC 7644 §3.4.2.2). */
export type CompareOp = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';

/** A value in a filter. */
export type Literal = string | number | boolean | null;

/** The syntax tree of a filter. `and` and `or` have two terms or more. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Filter[] }
  | { readonly kind: 'not'; readonly term: Filter }
  | { readonly kind: 'present'; readonly path: AttributePath }
  | {
      readonly kind: 'compare';
      readonly path: AttributePath;
      readonly op: CompareOp;
      readonly value: Literal;
    }
  | { readonly kind: 'valuePath'; readonly path: AttributePath; readonly filter: Filter };

/** The path of a PATCH operation: `attrPath / valuePath [subAttr]` (RFC 7644 §3.5.2). */
export interface PatchPath {
  readonly path: AttributePath;
  readonly filter: Filter | null;
  /** The sub-attribute after a value path; without a value path it is part of `path`. */
  readonly sub: string | null;
}
